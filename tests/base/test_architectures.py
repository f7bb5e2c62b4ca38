"""Resident blocks against NVIDIA's own occupancy header, which nvcc brings along and any C++ compiler reads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.base.architectures import ARCHITECTURES, Architecture, architecture
from accache.cli.main import main

ORACLE = Path(__file__).with_name("occupancy.cpp")
UNSUPPORTED = "-2"
"""What the header says of a chip that it does not know (CUDA_OCC_ERROR_UNKNOWN_DEVICE)."""
THREADS = (1, 32, 33, 64, 96, 128, 256, 384, 512, 768, 1000, 1024)
SHARED = (0, 1, 127, 128, 1032, 1296, 2048, 4096, 7000, 8192, 12000, 24576, 32768, 40000, 48 * 1024, 60000, 90000)


def codes_of_nvcc() -> list[str]:
    """The architectures for which nvcc makes code."""
    return subprocess.run(["nvcc", "--list-gpu-code"], capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nvcc, compiler = shutil.which("nvcc"), shutil.which("g++")
    if nvcc is None or compiler is None:
        pytest.skip("needs g++ and the headers that come with nvcc")
    listing = subprocess.run([nvcc, "--dryrun", "-E", "-x", "cu", "/dev/null"], capture_output=True, text=True).stderr
    folders = [line.partition("INCLUDES=")[2] for line in listing.splitlines() if "INCLUDES=" in line]
    flags = [word.strip('"') for word in " ".join(folders).split()]
    program = tmp_path_factory.mktemp("oracle") / "occupancy"
    done = subprocess.run([compiler, "-w", *flags, str(ORACLE), "-o", str(program)], capture_output=True, text=True)
    if "cuda_occupancy.h" in done.stderr:
        pytest.skip("cuda_occupancy.h is not among the headers of this nvcc")
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("row", ARCHITECTURES, ids=lambda row: row.name)
def test_resident_blocks_are_those_of_the_vendors_header(row: Architecture, oracle: Path) -> None:
    cases = [(threads, shared) for threads in THREADS for shared in SHARED if shared <= row.shared_per_block]
    number = row.name.partition("_")[2]
    limits = f"{number} {row.shared_per_sm} {row.shared_per_block} {row.reserved_per_block} {row.threads_per_sm}"
    text = "".join(f"{limits} {threads} {shared}\n" for threads, shared in cases)
    answers = subprocess.run([str(oracle)], input=text, capture_output=True, text=True, check=True).stdout.split()
    ours = [row.resident_blocks(threads, shared) for threads, shared in cases]
    if set(answers) == {UNSUPPORTED} and row.name not in codes_of_nvcc():
        pytest.skip(f"{row.name} is newer than this nvcc")
    assert list(zip(cases, ours, strict=True)) == list(zip(cases, map(int, answers), strict=True))


def test_suffixes_name_the_same_chip() -> None:
    assert {architecture(name).name for name in ("sm_90", "sm_90a")} == {"sm_90"}
    assert {architecture(name).name for name in ("sm_120", "sm_120a", "sm_120f")} == {"sm_120"}


@pytest.mark.parametrize("name", ["sm_999", "sm_9", "sm_90b", "native", "volta", "sm_90af", ""])
def test_an_unknown_one_lists_the_known(name: str) -> None:
    with pytest.raises(ValueError, match=r"is not a known architecture: sm_70, .*sm_90"):
        architecture(name)


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_all_that_nvcc_knows_are_there() -> None:
    known = {row.name for row in ARCHITECTURES}
    listed = codes_of_nvcc()
    assert listed
    lacking = [name for name in listed if name.rstrip("af") not in known]
    assert not lacking, "ARCHITECTURES in accache/base/architectures.py lacks rows"


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_none_is_there_that_nvcc_would_know() -> None:
    """Rows may be older, or newer, than all that the installed nvcc knows."""
    listed = {int(name.removeprefix("sm_").rstrip("af")) for name in codes_of_nvcc()}
    ours = {int(row.name.removeprefix("sm_")) for row in ARCHITECTURES}
    assert {number for number in ours if min(listed) < number < max(listed)} <= listed


@pytest.mark.parametrize("command", ["translate", "explain", "run"])
def test_the_command_line_refuses_an_unknown_one(command: str) -> None:
    result = CliRunner().invoke(main, [command, "--arch", "sm_300", "a.c"])
    assert result.exit_code == 2
    assert "'sm_300' is not a known architecture: sm_70" in result.output
