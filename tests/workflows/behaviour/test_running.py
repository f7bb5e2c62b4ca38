"""CUDA programs that are run, traced from their PTX, decided on and rewritten."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from accache.base.diagnostics import CompileError, Reporter
from accache.base.text import SourceFile
from accache.cli.main import main
from accache.l1.tools import PLAIN
from accache.l1.trace import Site, trace_of
from accache.ptx import execute
from accache.ptx.loads.loads import load_groups
from accache.ptx.loads.rewriting import MODES, bypassing
from accache.ptx.machine.launch import Allocation, Array, Launch
from accache.ptx.text.parser import parse
from accache.workflows import tracing
from accache.workflows.bypass.deciding import Choice, decide_on_launch
from accache.workflows.tracing import trace_launch

needs_compilers = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")
ROOT = Path(__file__).parents[3]
# each thread adds what lies in front of its pair of floats; those of even number count themselves
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    .reg .f32 %f<6>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    mul.wide.s32 %rd3, %r4, 8;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.v2.f32 {%f1, %f2}, [%rd4+128];
    add.f32 %f3, %f1, %f2;
    and.b32 %r5, %r1, 1;
    setp.eq.s32 %p1, %r5, 0;
    @%p1 atom.global.add.u32 %r5, [%rd2], 1;
    @%p1 ld.volatile.global.u32 %r5, [%rd2];
    st.global.f32 [%rd4+128], %f3;
    ret;
}
"""
BASE = 1 << 32
KERNELS = """\
__global__ void first(float *a) { a[threadIdx.x] += 1; }
__global__ void second(float *a) { a[threadIdx.x] *= 2; }

int main(int argc, char **)
{
    float *a;
    cudaMalloc(&a, 128);
    first<<<1, 32>>>(a);
    if (argc > 1)
        second<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    return 3;
}
"""


def launch(blocks: int, threads: int) -> Launch:
    """Of ``k``, with 1.0 and 2.0 for each thread."""
    memory = (Allocation(BASE, bytes(128) + struct.pack("<2f", 1.0, 2.0) * blocks * threads),)
    return Launch("k", (blocks, 1, 1), (threads, 1, 1), 0, (struct.pack("<Q", BASE),), memory)


MODULE = parse(SourceFile("k.ptx", PTX))


def test_a_launch_becomes_a_trace() -> None:
    trace = trace_launch(MODULE, launch(2, 40))
    assert trace.block == (40, 1, 1)
    assert [(site.name, site.policy) for site in trace.sites] == [("k+8", "ca"), ("k+13", "cg"), ("k+14", "ca")]
    assert trace.step is not None
    assert trace.site is not None
    columns = (trace.thread, trace.direction, trace.address, trace.bytes, trace.step, trace.site)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    own = [BASE + 128 + 8 * thread for thread in range(80)]
    assert rows[:3] == [(0, 0, own[0], 8, 0, 0), (0, 0, BASE, 4, 2, 1), (0, 1, own[0], 4, 3, 2)]
    assert [row for row in rows if row[0] == 79] == [(79, 0, own[79], 8, 0, 0), (79, 1, own[79], 4, 3, 2)]
    assert len(rows) == 80 * 2 + 40
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


@pytest.mark.parametrize(
    ("threads", "limit", "blocks"),
    [(120, 10_000, 3), (119, 10_000, 2), (8, 10_000, 1), (10_000, 360, 3), (10_000, 359, 2), (10_000, 120, 1)],
)
def test_only_some_blocks_are_traced(threads: int, limit: int, blocks: int) -> None:
    """A block of 40 threads loads and stores 40 times each, and 20 threads do atomics and load their result."""
    assert trace_launch(MODULE, launch(9, 40), threads, limit).thread.max() == 40 * blocks - 1


def test_blocks_of_one_multiprocessor_are_traced_and_numbered_anew() -> None:
    """Nine blocks on four multiprocessors: the first one gets blocks 0, 4 and 8, on sixteen only block 0."""
    trace = trace_launch(MODULE, launch(9, 40), multiprocessors=4)
    first = {
        int(thread) // 40: int(address)
        for thread, address in zip(trace.thread, trace.address, strict=True)
        if thread % 40 == 1
    }
    assert first == {number: BASE + 128 + 8 * (40 * block + 1) for number, block in enumerate((0, 4, 8))}
    assert trace.shorter == 0.75
    limited = trace_launch(MODULE, launch(9, 40), threads=80, multiprocessors=4)
    assert (limited.thread.max(), limited.shorter) == (79, 0)
    assert trace_launch(MODULE, launch(9, 40), multiprocessors=16).thread.max() == 39


def test_blocks_of_those_that_stand_for_all_are_traced_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine blocks on four multiprocessors: those of the first are 0, 4 and 8, those of the third 2 and 6."""
    trace = trace_launch(MODULE, launch(9, 40), multiprocessors=4, some=True)
    assert (trace.blocks_of, trace.shorter) == ((3, 2, 2, 2), 0.75)
    first = {
        int(thread) // 40: int(address - BASE - 128) // 320
        for thread, address in zip(trace.thread, trace.address, strict=True)
        if thread % 40 == 1
    }
    assert first == dict(enumerate((0, 4, 8, 1, 5, 2, 6, 3, 7)))
    few = trace_launch(MODULE, launch(9, 40), limit=240, multiprocessors=4, some=True)
    assert few.blocks_of == (2, 2, 2, 2)
    monkeypatch.setattr(tracing, "TOGETHER", 2 * 3 * 120)
    assert trace_launch(MODULE, launch(9, 40), multiprocessors=4, some=True).blocks_of == (2, 2)
    monkeypatch.setattr(tracing, "TOGETHER", 2 * 3 * 120 - 1)
    alone = trace_launch(MODULE, launch(9, 40), multiprocessors=4, some=True)
    assert (alone.blocks_of, alone.thread.max(), alone.shorter) == ((), 119, 0.75)
    assert trace_launch(MODULE, launch(9, 40), some=True).blocks_of == ()


def test_a_block_that_does_too_much_is_refused() -> None:
    with pytest.raises(CompileError, match=r"a block of 'k' makes 120 accesses; .* at most 119 \[ACC975\]"):
        trace_launch(MODULE, launch(1, 40), limit=119)
    mangled = parse(SourceFile("k.ptx", PTX.replace(".entry k(", ".entry _ZN2ns5naiveEPf(")))
    with pytest.raises(CompileError, match=r"a block of 'naive' makes 120 accesses"):
        trace_launch(mangled, replace(launch(1, 40), kernel="_ZN2ns5naiveEPf"), limit=119)


def test_a_site_belongs_to_the_array_that_it_touches() -> None:
    """The counter lies in front of the pairs; of the first block's pairs it is known that they are another array."""
    arrays = (Array(BASE, 8 * 200, "pairs", 4), Array(BASE + 128, 8 * 40, "first", 4), Array(0, 9, "none", 1))
    trace = trace_launch(MODULE, launch(2, 40), arrays=arrays)
    known = [(site.name, site.array) for site in trace.sites]
    assert known == [("k+8", "pairs"), ("k+8", "first"), ("k+13", "pairs"), ("k+14", "pairs"), ("k+14", "first")]
    assert trace.site is not None
    own = trace.site[trace.address >= BASE + 128]
    expected = ["first"] * (2 * 40) + ["pairs"] * (2 * 40)
    assert [trace.sites[number].array for number in own] == expected
    assert {site.array for site in trace_launch(MODULE, launch(1, 40), arrays=arrays[2:]).sites} == {""}


def test_a_site_of_a_traced_launch_has_its_line() -> None:
    text = PTX.replace("    ld.global.v2", "    .loc 1 7 3\n    ld.global.v2") + '.file 1 "/x/prog.cu"\n'
    trace = trace_launch(parse(SourceFile("k.ptx", text)), launch(1, 32))
    assert trace.sites[0] == Site("k+8", "", "/x/prog.cu", 7, "ca")


def bypass(*words: str) -> Result:
    return CliRunner().invoke(main, ["bypass", *words])


@pytest.mark.nvcc
@needs_compilers
def test_the_example_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    target = tmp_path / "spmv"
    found = bypass("samples/bypass/spmv.cu", "-o", str(target), "--", "-O3", "-arch=sm_80", "--no-compress")
    assert found.exit_code == 0, found.output
    shown = "".join(f"    {line}" if line.strip() else line for line in found.stdout.splitlines(keepends=True))
    assert shown in (ROOT / "docs" / "bypass.md").read_text()
    sectors = 24 * 8192 * 4 // 32
    assert f"{sectors:,}" in shown, "each element of the matrix once"
    assert target.read_bytes().count(b"ld.global.L1::no_allocate") >= 2
    assert subprocess.run([target, "1"], capture_output=True, check=False).stdout.startswith(b"1 rows")


@needs_compilers
def test_the_launch_of_a_named_kernel(tmp_path: Path) -> None:
    source = tmp_path / "two.cu"
    source.write_text(KERNELS)
    words = (str(source), "--kernel", "_Z6secondPf", "--json")
    found = bypass(*words, "--args", "'a word'", "--", "-arch=sm_80")
    assert json.loads(found.stdout)["kernel"] == "_Z6secondPf"
    assert re.findall(r"ACC\d+", found.stderr) == ["ACC973"]
    found = bypass(*words, "-q", "--", "-arch=sm_80")
    assert found.exit_code == 1
    assert f"error: '{source}' launches no kernel 'second' in this run [ACC972]" in found.stderr
    found = bypass(str(source), "--kernel", "third", "--", "-arch=sm_80")
    assert (found.exit_code, re.findall(r"ACC\d+", found.stderr)) == (1, ["ACC965"])


GATHER = """\
#define N 4096
static float a[N], b[N], c[N];
static int k[N];
int main(void)
{
    for (int i = 0; i < N; ++i)
        k[i] = i * 1021 % N;
#pragma acc parallel loop copyin(a, b, k) copy(c)
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < 8; ++j)
            c[i] += a[(k[i] + j) % N];
        c[i] += b[i];
    }
    return 0;
}
"""


@pytest.mark.nvcc
@needs_compilers
@pytest.mark.parametrize(("mode", "call"), [("cg", "__ldcg"), ("no_allocate", "accache_load_no_allocate")])
def test_decisions_on_a_c_program_as_cuda_c(
    mode: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a is read again; nvcc moves the load of k, the third parameter, out of the loop."""
    monkeypatch.chdir(tmp_path)
    Path("gather.c").write_text(GATHER)
    found = bypass("gather.c", "--gpu", "v100", "--mode", mode, "-o", "gather.cu", "--json")
    assert found.exit_code == 0, found.output
    record = json.loads(found.stdout)
    bypassing = {load["load"].rpartition("param ")[2] for load in record["loads"] if load["decision"] == "bypass"}
    assert bypassing == {"0", "2", "3"}
    text = Path("gather.cu").read_text()
    kernel = text[text.index("_kernel(") :].partition("\n}")[0]
    assert f"float c_element = {call}(&c[i]);" in kernel
    assert "c_element += a[(k[i] + j)%4096];" in kernel
    assert f"c[i] = {call}(&c[i]) + {call}(&b[i]);" in kernel
    assert re.findall(r"warning: the load \S+ (param \d).*(ACC\d+)", found.stderr) == [("param 2", "ACC976")]
    subprocess.run(["nvcc", "-Werror", "all-warnings", "-arch=sm_80", "-c", "gather.cu"], check=True)
    assert CliRunner().invoke(main, ["run", "--check", "gather.cu"]).exit_code == 0


@pytest.mark.nvcc
@needs_compilers
def test_messages_name_the_c_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gather.c").write_text(GATHER)
    assert "error: 'gather.c as PTX' has no kernel 'k' [ACC965]" in bypass("gather.c", "--kernel", "k").stderr
    Path("gather.c").write_text(GATHER.replace("int main(void)\n{", "int main(void)\n{\n    return 3;"))
    stderr = bypass("gather.c").stderr
    assert "warning: 'gather.c' ended with the status 3" in stderr
    assert "error: 'gather.c' launches no kernel in this run [ACC972]" in stderr


@pytest.mark.parametrize("file", ["a.cu", "a.ptx"])
def test_cuda_c_is_written_of_c_only(file: str) -> None:
    found = bypass(file, "-o", "out.cu")
    assert (found.exit_code, "CUDA C is written of C" in found.stderr) == (2, True)


def test_a_launch_without_loads_is_refused() -> None:
    trace = trace_launch(MODULE, launch(1, 32))
    stores = trace.direction == 1
    columns = tuple(column[stores] for column in trace.columns)
    empty = replace(trace_of(trace.block, columns), site=np.full(int(stores.sum()), 2, np.uint32), sites=trace.sites)
    with pytest.raises(CompileError, match=r"the launch of 'k' loads nothing .* \[ACC974\]"):
        decide_on_launch(MODULE, "k", empty, Choice(), tools=PLAIN, reporter=Reporter())


@pytest.mark.nvcc
@needs_compilers
def test_c_with_openacc_has_lines_of_the_c_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("width.h").write_text("#define WIDTH 1024\n")
    Path("prog.c").write_text(
        '#include "width.h"\n'
        "int main(void)\n{\n"
        "    static float a[32 * WIDTH], b[WIDTH];\n"
        "#pragma acc parallel loop copyin(a) copyout(b)\n"
        "    for (int i = 0; i < WIDTH; ++i)\n"
        "        b[i] = a[32 * i];\n"
        "    return b[0] != 0;\n}\n"
    )
    found = bypass("prog.c", "--gpu", "fermi-16k", "-o", "prog.ptx", "--json", "--", "-arch=sm_80")
    assert found.exit_code == 0, found.output
    record = json.loads(found.stdout)
    assert record["input"] == "prog.c"
    assert [(load["load"].rpartition(":")[0], load["decision"]) for load in record["loads"]] == [("prog.c:7", "bypass")]
    assert Path("prog.ptx").read_text().count("ld.global.nc.L1::no_allocate") == 1
    Path("bad.c").write_text("#pragma acc paralel\nint x;\n")
    found = bypass("bad.c", "--", "-arch=sm_80")
    assert (found.exit_code, re.findall(r"ACC\d+", found.stderr)) == (1, ["ACC201"])


@pytest.mark.parametrize("mode", MODES)
def test_a_rewritten_kernel_leaves_the_same_memory(mode: str) -> None:
    (kernel,) = MODULE.kernels
    changed = bypassing(MODULE, [group.place for group in load_groups(MODULE, kernel)], mode)
    assert changed != PTX
    (before, _), (after, _) = (
        execute.run(module, launch(2, 40)) for module in (MODULE, parse(SourceFile("changed.ptx", changed)))
    )
    assert before == after
    assert before != launch(2, 40).memory
