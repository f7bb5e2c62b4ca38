"""``accache bypass`` from a trace to PTX and programs, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accache.base.text import SourceFile
from accache.cli.main import main
from accache.l1.binary_traces import write_binary_trace
from accache.l1.trace import Site, Trace, trace_of
from accache.ptx.loads.loads import load_groups
from accache.ptx.text.parser import parse

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
PROGRAM = """\
#include <cstdio>

__global__ void kernel(const float *stream, const float *table, volatile float *flag, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += stream[(k * 256 + i) * 32];
        sum += table[(i + k) % 1024];
        sum += *flag;
    }
    out[i] = sum;
}

__global__ void other(const float *a, float *b)
{
    b[threadIdx.x] = a[threadIdx.x];
}

int main()
{
    std::puts("it runs");
    return 0;
}
"""
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
    .reg .b64 %rd<6>;
    .reg .f32 %f<6>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [q];
loop:
    ld.global.f32 %f1, [%rd1];
    ld.global.f32 %f2, [%rd2];
    ld.volatile.global.f32 %f3, [%rd2];
    bra.uni loop;
}
"""
ARCHITECTURES = ("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=compute_90")
Run = Callable[..., Result]
STREAM, TABLE, FLAG, OUT = 1 << 20, 1 << 24, 1 << 25, 1 << 26
DEPTH = 40


def traced(sites: tuple[Site, ...] = (), numbers: tuple[int, ...] = (0, 1, 2, 3)) -> Trace:
    """What 256 threads of ``kernel`` touch: in each turn stream, table and flag; out at the end."""
    thread, turn = (column.ravel() for column in np.meshgrid(np.arange(256), np.arange(DEPTH), indexing="ij"))
    loads = np.stack((STREAM + 128 * (turn * 256 + thread), TABLE + 4 * ((thread + turn) % 1024), FLAG + 0 * thread), 1)
    address = np.concatenate((loads.reshape(256, -1), OUT + 4 * np.arange(256)[:, None]), 1).ravel()
    site = np.tile([*np.tile(numbers[:3], DEPTH), numbers[3]], 256)
    direction = np.tile([*np.zeros(3 * DEPTH, int), 1], 256)
    columns = (np.repeat(np.arange(256), 3 * DEPTH + 1), direction, address, np.full(len(address), 4))
    plain = trace_of((256, 1, 1), tuple(column.astype(np.int64) for column in columns))
    return Trace(plain.block, *plain.columns, site=site.astype(np.uint32), sites=sites)


def by_lines(file: str = "prog.cu") -> Trace:
    return traced(tuple(Site(file=file, line=line) for line in (8, 9, 10, 12)))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("prog.cu").write_text(PROGRAM)
    Path("k.ptx").write_text(PTX)

    def call(*words: str, trace: Trace | None = None) -> Result:
        if trace is not None:
            with Path("t.npz").open("wb") as stream:
                write_binary_trace(trace, stream)
        chosen = () if "--gpu" in words else ("--gpu", "fermi-16k")
        return CliRunner().invoke(main, ["bypass", *chosen, *words])

    return call


def decisions(result: Result) -> dict[str, str]:
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    return {load["load"]: load["decision"] for load in record["loads"]}


def test_ptx_with_a_trace_by_numbers(run: Run) -> None:
    trace = traced(numbers=(2, 3, 4, 9))
    found = run("k.ptx", "--trace", "t.npz", "-o", "out.ptx", "--json", trace=trace)
    assert decisions(found) == {"k+2, p": "bypass", "k+3, q": "cache"}
    record = json.loads(found.stdout)
    assert record["unchanged"] == [{"load": "k+4, q", "reason": "it is volatile"}]
    assert Path("out.ptx").read_text() == PTX.replace("ld.global.f32 %f1", "ld.global.L1::no_allocate.f32 %f1")
    stream = record["loads"][0]
    assert (stream["accesses"], stream["hits"], stream["sectors"]) == (256 * DEPTH, 0, 256 * DEPTH)
    assert stream["weight"] == -256 * DEPTH * 96, "a line instead of a sector for each access"
    flag = 8 * DEPTH * 32
    assert record["bytes"]["bypass_all"] == 256 * DEPTH * 32 + flag + table_sectors() * 32
    assert record["bytes"]["ours"] < record["bytes"]["bypass_all"] < record["bytes"]["cache_all"]


def table_sectors() -> int:
    """Those that the warps' 32 floats from each start touch, counted by hand."""
    return sum(
        len({(warp * 32 + turn + lane) % 1024 // 8 for lane in range(32)}) for warp in range(8) for turn in range(DEPTH)
    )


@pytest.mark.parametrize("solver", ["heuristic", "exact", "ilp"])
@pytest.mark.parametrize("weights", ["bytes", "paper"])
def test_every_solver_and_all_weights_agree_on_a_clear_case(run: Run, solver: str, weights: str) -> None:
    if solver == "ilp":
        pytest.importorskip("scipy")
    trace = traced((Site("k+2"), Site("k+3"), Site("k+4"), Site("k+9")))
    words = ("k.ptx", "--trace", "t.npz", "--solver", solver, "--weights", weights, "--mode", "cg", "--json")
    assert decisions(run(*words, "-o", "out.ptx", trace=trace)) == {"k+2, p": "bypass", "k+3, q": "cache"}
    assert Path("out.ptx").read_text() == PTX.replace("ld.global.f32 %f1", "ld.global.cg.f32 %f1")


def test_a_trace_alone(run: Run) -> None:
    assert decisions(run("t.npz", "--json", trace=by_lines())) == {
        "prog.cu:8": "bypass",
        "prog.cu:9": "cache",
        "prog.cu:10": "cache",
    }
    text = run("t.npz", trace=by_lines()).stdout
    assert text.startswith("t.npz: L1 of fermi-16k with 16 KB, bytes weights, exact solver\n")
    assert re.search(
        r"^  prog\.cu:8 +10,240 +0 +10,240 +-983,040  bypass +caching it fetches 983,040 bytes more$", text, re.M
    )


@needs_nvcc
def test_kernels_for_two_architectures_with_a_trace_by_lines(run: Run) -> None:
    words = ("prog.cu", "--trace", "t.npz", "--kernel", "kernel", "-o", "prog.fatbin", "--json")
    found = run(*words, "--", "--no-compress", "-fatbin", *ARCHITECTURES, trace=by_lines())
    assert decisions(found) == {"prog.cu:8:9, param 0": "bypass", "prog.cu:9:9, param 1": "cache"}
    assert Path("prog.fatbin").read_bytes().count(b"ld.global.L1::no_allocate.f32") >= 1


@needs_nvcc
def test_ptx_of_a_program(run: Run) -> None:
    assert run("prog.cu", "--trace", "t.npz", "--kernel", "kernel", "-o", "x.ptx", trace=by_lines()).exit_code == 0
    module = parse(SourceFile("x.ptx", Path("x.ptx").read_text()))
    kept = {
        group.place.source.line: group.kept
        for kernel in module.kernels
        for group in load_groups(module, kernel)
        if group.place.source
    }
    assert kept == {
        8: "it has the cache operator L1::no_allocate already",
        9: "",
        10: "it is volatile",
        17: "",
    }


def test_the_cache_is_that_of_the_architecture_less_shared_memory(run: Run) -> None:
    trace = traced(numbers=(2, 3, 4, 9))
    shared = PTX.replace("    .reg .f32", "    .shared .align 4 .b8 tile[4096];\n    .reg .f32")
    Path("shared.ptx").write_text(shared.replace("sm_80", "sm_90"))
    with Path("t.npz").open("wb") as stream:
        write_binary_trace(trace, stream)

    def cache(*words: str) -> tuple[str, int]:
        found = CliRunner().invoke(main, ["bypass", *words, "--trace", "t.npz", "--json"])
        record = json.loads(found.stdout)
        return record["gpu"], record["size"] // 1024

    assert cache("k.ptx") == ("a100", 192 - 8)  # a block takes a kilobyte for the system
    assert cache("shared.ptx") == ("h100", 256 - 64)  # eight blocks of 4 + 1
    assert cache("shared.ptx", "--shared-per-block", "0", "--gpu", "v100") == ("v100", 128)
    found = run("k.ptx", "--trace", "t.npz", "--gpu", "v100", "--shared-per-block", "100k")
    assert codes(found) == ["ACC971"]
    assert run("k.ptx", "--trace", "t.npz", "--shared-per-block", "much").exit_code == 2


def codes(result: Result) -> list[str]:
    return re.findall(r"ACC\d+", result.stderr)


def test_ptx_needs_a_trace(run: Run) -> None:
    found = run("k.ptx", "-o", "out")
    assert (found.exit_code, codes(found)) == (1, ["ACC964"])
    assert not Path("out").exists()


def test_a_file_that_is_not_there(run: Run) -> None:
    for name in ("none.ptx", "none.cu"):
        assert codes(run(name, "--trace", "t.npz", trace=traced())) == ["ACC101"]
    assert codes(run("none.cu")) == codes(run("none.cu", "--variants", "v")) == ["ACC101"]
    found = run("prog.cu", "--trace", "t.npz", "-o", "none/out")
    assert (found.exit_code, "none" in found.stderr) == (1, True)
    assert codes(run("k.ptx", "--trace", "none.npz")) == ["ACC101"]
    found = run("k.ptx", "--trace", "t.npz", "-o", "none/out.ptx", trace=traced(numbers=(2, 3, 4, 9)))
    assert found.exit_code == 1
    assert "none" in found.stderr


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("", "'two.ptx' has 2 kernels"),
        ("m", "'two.ptx' has no kernel 'm'"),
    ],
)
def test_the_kernel_must_be_known(run: Run, kernel: str, message: str) -> None:
    second = PTX[PTX.index(".visible") :].replace("entry k", "entry j")
    Path("two.ptx").write_text(PTX + second)
    found = run("two.ptx", "--trace", "t.npz", "--kernel", kernel, trace=traced())
    assert f"error: {message} [ACC965]\n      = hint: --kernel NAME, one of k, j\n" in found.stderr
    Path("none.ptx").write_text(PTX[: PTX.index(".visible")])
    assert "'none.ptx' has no kernels [ACC965]" in run("none.ptx", "--trace", "t.npz").stderr


def test_a_name_of_cuda_may_be_that_of_two_kernels(run: Run) -> None:
    body = PTX[PTX.index(".visible") :]
    Path("two.ptx").write_text(PTX + body.replace("entry k", "entry _Z1fPf") + body.replace("entry k", "entry _Z1fPd"))
    assert (
        "has 2 kernels of the name 'f' [ACC965]"
        in run("two.ptx", "--trace", "t.npz", "--kernel", "f", trace=traced()).stderr
    )
    assert run("two.ptx", "--trace", "t.npz", "--kernel", "_Z1fPd", trace=traced(numbers=(2, 3, 4, 9))).exit_code == 0


def test_the_trace_of_another_kernel(run: Run) -> None:
    others = tuple(Site(f"j+{number}") for number in (2, 3, 4, 9))
    assert codes(run("k.ptx", "--trace", "t.npz", trace=traced(others))) == ["ACC966"]
    assert codes(run("k.ptx", "--trace", "t.npz", trace=by_lines())) == ["ACC966"]


def test_loads_of_the_trace_that_the_kernel_lacks_are_told(run: Run) -> None:
    found = run("k.ptx", "--trace", "t.npz", "--json", trace=traced(numbers=(2, 1, 4, 9)))
    assert codes(found) == ["ACC967"]
    assert found.exit_code == 0
    assert {load["reason"] for load in json.loads(found.stdout)["unchanged"]} == {
        "it is volatile",
        "it is not in the trace",
    }


@pytest.mark.parametrize("name", ["prog.cc", "prog.cpp", "prog.f90"])
def test_other_languages_are_refused(run: Run, name: str) -> None:
    assert codes(run(name, "--trace", "t.npz")) == ["ACC968"]


@needs_nvcc
def test_a_load_that_another_architecture_lacks_is_told(run: Run) -> None:
    changed = PROGRAM.replace("        sum += stream", "#if __CUDA_ARCH__ < 900\n        sum += stream").replace(
        "* 32];\n", "* 32];\n#endif\n"
    )
    Path("prog.cu").write_text(changed)
    trace = traced(tuple(Site(file="prog.cu", line=line) for line in (9, 11, 12, 14)))
    words = ("prog.cu", "--trace", "t.npz", "--kernel", "kernel", "-o", "prog.o", "--", "-c", *ARCHITECTURES)
    found = run(*words, trace=trace)
    assert codes(found) == ["ACC969"]
    assert "sm_90 lacks the load at prog.cu:9:9, param 0" in found.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("t.npz", "-o", "out"),
        ("t.npz", "--trace", "t.npz"),
        ("t.npz", "--kernel", "k"),
        ("k.ptx", "--trace", "t.npz", "--", "-O3"),
        ("k.ptx", "--trace", "t.npz", "--gpu", "fermi-48k", "--shared-per-block", "1k"),
        ("t.npz", "--shared-per-block", "1k"),
    ],
)
def test_words_that_do_not_go_together(run: Run, words: tuple[str, ...]) -> None:
    assert run(*words, trace=traced()).exit_code == 2


def test_the_model_names_loads_as_ptx_does(run: Run) -> None:
    run("k.ptx", "--trace", "t.npz", trace=traced(numbers=(2, 3, 4, 9)))
    words = ("model", "k.ptx", "--trace", "t.npz", "--by", "load", "--json")
    found = CliRunner().invoke(main, list(words))
    assert found.exit_code == 0, found.output
    rows = {row["name"]: row for row in json.loads(found.stdout)["by_load"]}
    assert rows["k+2, p"]["requests"] == 256 * DEPTH
    assert (rows["k+4, q cg"]["requests"], rows["k+4, q cg"]["hits"]) == (8 * DEPTH, 0), "it is volatile"
    assert rows["k+3, q"]["hits"] > 0


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("k.ptx",), 2, "a PTX file launches nothing; the trace of a launch is needed"),
        (("k.ptx", "--trace", "t.npz", "--kernel", "none"), 1, "none"),
        (("prog.cu", "--trace", "t.npz"), 2, "there is a program or a trace"),
        (("gone.ptx", "--trace", "t.npz"), 1, "[ACC101]"),
        (("k.ptx", "--trace", "t.npz"), 1, "[ACC966]"),
    ],
)
def test_what_the_model_refuses_of_ptx(run: Run, words: tuple[str, ...], status: int, said: str) -> None:
    run("t.npz", trace=traced(numbers=(20, 21, 22, 23)))
    found = CliRunner().invoke(main, ["model", *words])
    assert (found.exit_code, said in found.output) == (status, True), found.output
