"""The routines of openacc.h: each function of routines.c checks one rule, on a CUDA that works as late as it may."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from accache.base.resources import templates
from accache.cpu import build as cpu
from accache.cpu.toolchain import INCLUDE

HERE = Path(__file__).parent
RUNTIME = templates() / "runtime"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")

RULES = {
    "copyin_copyout": "0 7 1 1 3 0 33 1",
    "finalize": "10 0 1 0",
    "aliases": "1 1 1 1 0",
    "update": "100 2 55 6",
    "addresses": "1 1 1 1 1 0 1 0 0",
    "map": "1 1 1 0 0 1 1",
    "attach": "1 1 1 4 1 5 1 1 1 1 1 6",
    "attach_null": "1",
    "host_shares_its_memory": "1 1 1 1 5 1 2 1 1 1 1 1 1",
    "shut_down": "0 0 1",
    "lifetimes_in_a_queue": "0 0 7 0 0 0 1",
}
"""What holds on every machine."""

LATE = {
    "memory": "4 5 1",
    "device_types": "1 2 2 1 0 0 1 0 1 1 0 1",
    "a_region_ends_where_it_began": "0 9 1 0",
    "two_devices": "0 0 50 1 mock 0 mock 1 1 0 1 0",
    "between_devices": "2 3 5 2",
    "properties": "1000 999 0 mock 0 NVIDIA 13.1 0 1 host host",
    "queues": "1 0 1 1 0 2 3 4 5 6 1",
    "default_queue": "1 0 1 9 1 0 1 7",
    "wait_any": "2 0 -1",
    "queues_of_devices": "1 0 1 1 3 0",
    "streams": "1 1 1 1 1 0 1 0 1 1",
    "memory_waits_in_queues": "fits",
}
"""What takes two devices, or a device whose work can be seen to be pending."""

ERRORS = {
    "absent_update": r"acc_update_self: update: data \(\w+\) is not present on the device",
    "partly": r"acc_copyin: data \(32 bytes at \w+\) is only partly present on the device, where data is 8 bytes at .*",
    "map_present": r"acc_map_data: 4 bytes at \w+ are already present on the device",
    "map_twice": r"acc_map_data: the device memory at \w+ is already mapped to other data",
    "map_around": r"acc_map_data: the device memory at \w+ is already mapped to other data",
    "unmap_created": r"acc_unmap_data: acc_map_data has not mapped \w+",
    "unmap_inside": r"acc_unmap_data: acc_map_data has not mapped \w+",
    "unmap_in_use": r"acc_unmap_data: a data region still uses the data at \w+ \(the last directive was at r\.c:9\)",
    "free_mapped": r"acc_free: the device memory at \w+ is still mapped to data",
    "between_devices_absent": r"acc_memcpy_d2d: data \(\w+\) is not present on device 1",
    "too_many_devices": r"acc_set_device_num: there is no CUDA device 2; devices are numbered from 0 to 1",
    "no_such_device": r"acc_set_device_type: there is no device of type 8",
    "shut_down_inside": r"acc_shutdown: the data region of r\.c:7 is still open .*",
    "bad_queue": r"acc_wait: -7 is not an async argument",
    "out_of_memory": r"acc_create: create data \(\d+ bytes\): mock failure",
}

Outcome = subprocess.CompletedProcess[str]
Call = Callable[..., Outcome]


@pytest.fixture(scope="module")
def late(objects: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Call:
    """Run a function of routines.c on the mock: C, linked with the run-time library on its own."""
    folder = tmp_path_factory.mktemp("routines")
    program = folder / "routines"
    flags = ["-std=c99", *WARNINGS, f"-I{RUNTIME}"]
    subprocess.run(["gcc", *flags, "-c", HERE / "routines.c", "-o", folder / "main.o"], check=True)
    subprocess.run(["g++", folder / "main.o", objects["accache_runtime"], "-o", program], check=True)

    def call(rule: str, **environment: str) -> Outcome:
        settings = {"MOCK_DEVICES": "2", "MOCK_MEMORY": "1000", **environment}
        return subprocess.run(
            [program, rule], env={**os.environ, **settings}, capture_output=True, text=True, timeout=20, check=False
        )

    return call


@pytest.fixture(scope="module")
def on_cpu(tmp_path_factory: pytest.TempPathFactory) -> Call:
    """Run a function of routines.c on the CUDA runtime that executes emitted programs on a CPU."""
    program = cpu.build(
        (RUNTIME / "accache_runtime.cu").read_text(),
        (HERE / "routines.c").read_text(),
        tmp_path_factory.mktemp("routines"),
        optimise="-O0",
        device_flags=["-DACCACHE_CPU"],
        include=[RUNTIME],
    ).executable

    def call(rule: str) -> Outcome:
        return subprocess.run([program, rule], capture_output=True, text=True, timeout=20, check=False)

    return call


@pytest.mark.parametrize("rule", [*RULES, *LATE])
def test_rules_hold_where_work_is_done_late(late: Call, rule: str) -> None:
    done = late(rule)
    assert (done.stdout, done.stderr, done.returncode) == ({**RULES, **LATE}[rule], "", 0)


@pytest.mark.parametrize("rule", RULES)
def test_rules_hold_on_the_cpu(on_cpu: Call, rule: str) -> None:
    done = on_cpu(rule)
    assert (done.stdout, done.stderr, done.returncode) == (RULES[rule], "", 0)


@pytest.mark.parametrize("rule", ERRORS)
def test_errors_name_the_routine(late: Call, rule: str) -> None:
    done = late(rule)
    assert re.fullmatch(f"accache: {ERRORS[rule]}\n", done.stderr), done.stderr
    assert (done.stdout, done.returncode) == ("", 1)


def test_each_function_is_tried() -> None:
    names = re.findall(r"TEST\((\w+)\)", (HERE / "routines.c").read_text().split("tests[]")[1])
    assert sorted(names) == sorted([*RULES, *LATE, *ERRORS])


@pytest.mark.parametrize("number", ["0", "1"])
def test_the_environment_chooses_the_device(late: Call, number: str) -> None:
    assert late("two_devices", ACC_DEVICE_TYPE="nvidia", ACC_DEVICE_NUM=number).stdout.split()[0] == number


def test_the_environment_may_choose_the_host(late: Call) -> None:
    assert late("copyin_copyout", ACC_DEVICE_TYPE="host", MOCK_DEVICES="0").stdout.split()[:3] == ["0", "7", "1"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ACC_DEVICE_TYPE": "toaster"}, "ACC_DEVICE_TYPE is 'toaster'; there are NVIDIA and HOST"),
        ({"ACC_DEVICE_NUM": "2"}, "there is no CUDA device 2; devices are numbered from 0 to 1"),
    ],
)
def test_the_environment_must_name_a_device(late: Call, settings: dict[str, str], message: str) -> None:
    done = late("copyin_copyout", **settings)
    assert (done.stderr, done.returncode) == (f"accache: acc_copyin: {message}\n", 1)


def test_notify_names_the_routine(late: Call) -> None:
    told = late("copyin_copyout", ACCACHE_NOTIFY="2").stderr.splitlines()
    assert told == [
        "accache: create data 32 bytes acc_copyin",
        "accache: upload data 32 bytes acc_copyin",
        "accache: download data 32 bytes acc_copyout",
        "accache: delete data 32 bytes acc_copyout",
    ]


# ---- the header ----


def test_the_document_lists_the_header() -> None:
    section = (HERE.parents[1] / "docs" / "openacc.md").read_text().split("## Runtime routines")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.M)
    assert rows == [(name, "yes") for name in re.findall(r"\b(acc_\w+)\(", prototypes())]


def prototypes() -> str:
    """The declarations of openacc.h."""
    return (RUNTIME / "openacc.h").read_text().split('extern "C" {')[1].split("#ifdef __cplusplus")[0]


def test_every_routine_of_the_header_is_defined_for_c(objects: dict[str, Path]) -> None:
    symbols = subprocess.run(
        ["nm", objects["accache_runtime"]], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    defined = {line.split()[-1] for line in symbols if " W acc_" in line}
    assert defined == set(re.findall(r"\b(acc_\w+)\(", prototypes()))
    assert len(defined) > 70


def test_every_routine_is_called_by_a_rule() -> None:
    text = (HERE / "routines.c").read_text()
    declared = set(re.findall(r"\b(acc_\w+)\(", prototypes()))
    assert [name for name in declared if not re.search(rf"\b{name}\(", text)] == []


@pytest.mark.parametrize("language", ["c99", "c17", "c++11", "c++17"])
def test_the_header_is_c_and_cplusplus(language: str, tmp_path: Path) -> None:
    program = "#include <openacc.h>\nint main(void) { int t = acc_get_device_type(); acc_init(t); return 0; }\n"
    compiler = ["g++", "-x", "c++"] if "++" in language else ["gcc", "-x", "c"]
    flags = [f"-std={language}", *WARNINGS, "-fsyntax-only", "-isystem", RUNTIME, "-"]
    subprocess.run([*compiler, *flags], input=program, text=True, check=True)


GCC_CONSTANTS = [
    *("acc_device_none", "acc_device_default", "acc_device_host", "acc_device_not_host", "acc_device_nvidia"),
    *("acc_property_memory", "acc_property_free_memory", "acc_property_name", "acc_property_vendor"),
    *("acc_property_driver", "acc_async_noval", "acc_async_sync"),
]


def test_objects_that_read_the_compilers_own_header_fit(tmp_path: Path) -> None:
    own = subprocess.run(["gcc", "-print-file-name=include/openacc.h"], check=True, capture_output=True, text=True)
    if not Path(own.stdout.strip()).is_file():
        pytest.skip("this compiler has no openacc.h")
    check = "".join(f'_Static_assert({name} == OURS_{name}, "");\n' for name in GCC_CONSTANTS)
    text = (RUNTIME / "openacc.h").read_text()
    values = re.findall(r"^ +(acc_\w+) = (\w+|-\d+),?$", text, re.M)
    ours = "".join(f"#define OURS_{name} {value}\n" for name, value in values)
    subprocess.run(
        ["gcc", "-fsyntax-only", "-x", "c", "-"],
        input=f"{ours}#include <openacc.h>\n{check}#include <{RUNTIME}/openacc.h>\n",
        text=True,
        check=True,
    )


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_nvcc_compiles_the_routines_without_a_warning(tmp_path: Path) -> None:
    options = ["-arch=sm_80", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror", f"-I{RUNTIME}"]
    subprocess.run(["nvcc", *options, "-c", RUNTIME / "accache_runtime.cu", "-o", tmp_path / "out.o"], check=True)


def test_the_run_time_on_its_own_compiles_for_the_cpu_as_its_comment_says(tmp_path: Path) -> None:
    flags = ["-std=c++17", "-x", "c++", "-c", "-DACCACHE_CPU", f"-I{RUNTIME}", f"-I{INCLUDE}"]
    subprocess.run(["g++", *flags, RUNTIME / "accache_runtime.cu", "-o", tmp_path / "out.o"], check=True)
