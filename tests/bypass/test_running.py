"""CUDA programs that are run, traced from their PTX, decided on and rewritten."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accache.bypassing.tracing import execute_traced
from accache.cli.main import main
from accache.l1.trace import Site
from accache.ptx.launch import Allocation, Launch
from accache.ptx.parser import parse
from accache.text import SourceFile

needs_compilers = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")
ROOT = Path(__file__).parents[2]
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


def test_a_launch_becomes_a_trace() -> None:
    memory = (Allocation(BASE, bytes(128) + struct.pack("<2f", 1.0, 2.0) * 80),)
    launch = Launch("k", (2, 1, 1), (40, 1, 1), 0, (struct.pack("<Q", BASE),), memory)
    after, trace = execute_traced(parse(SourceFile("k.ptx", PTX)), launch, threads=80)
    assert struct.unpack_from("<I", after[0].data)[0] == 40
    assert struct.unpack_from("<2f", after[0].data, 128 + 8 * 79) == (3.0, 2.0)
    assert trace.block == (40, 1, 1)
    assert [(site.name, site.policy) for site in trace.sites] == [("k+8", "ca"), ("k+13", "cg"), ("k+14", "ca")]
    assert trace.step is not None
    assert trace.site is not None
    rows = list(
        zip(
            *(column.tolist() for column in (trace.thread, trace.direction, trace.address, trace.bytes)),
            trace.step.tolist(),
            trace.site.tolist(),
            strict=True,
        )
    )
    own = [BASE + 128 + 8 * thread for thread in range(80)]
    assert rows[:3] == [(0, 0, own[0], 8, 0, 0), (0, 0, BASE, 4, 2, 1), (0, 1, own[0], 4, 3, 2)]
    assert [row for row in rows if row[0] == 79] == [(79, 0, own[79], 8, 0, 0), (79, 1, own[79], 4, 3, 2)]
    assert len(rows) == 80 * 2 + 40
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_only_some_blocks_are_traced() -> None:
    memory = (Allocation(BASE, bytes(128 + 8 * 80)),)
    launch = Launch("k", (2, 1, 1), (40, 1, 1), 0, (struct.pack("<Q", BASE),), memory)
    module = parse(SourceFile("k.ptx", PTX))
    assert execute_traced(module, launch, threads=79)[1].thread.max() == 39
    assert execute_traced(module, launch, threads=8)[1].thread.max() == 39, "one block at least"


def test_a_site_of_a_traced_launch_has_its_line() -> None:
    text = PTX.replace("    ld.global.v2", "    .loc 1 7 3\n    ld.global.v2") + '.file 1 "/x/prog.cu"\n'
    memory = (Allocation(BASE, bytes(128 + 8 * 32)),)
    launch = Launch("k", (1, 1, 1), (32, 1, 1), 0, (struct.pack("<Q", BASE),), memory)
    _, trace = execute_traced(parse(SourceFile("k.ptx", text)), launch)
    assert trace.sites[0] == Site("k+8", "", "/x/prog.cu", 7, "ca")


def bypass(*words: str) -> Result:
    return CliRunner().invoke(main, ["bypass", *words])


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
    source.write_text(
        "__global__ void first(float *a) { a[threadIdx.x] += 1; }\n"
        "__global__ void second(float *a) { a[threadIdx.x] *= 2; }\n"
        "int main(int argc, char **)\n{\n    float *a;\n    cudaMalloc(&a, 128);\n    first<<<1, 32>>>(a);\n"
        "    if (argc > 1)\n        second<<<1, 32>>>(a);\n    cudaDeviceSynchronize();\n    return 3;\n}\n"
    )
    words = (str(source), "--kernel", "second", "--json")
    found = bypass(*words, "--args", "'a word'", "--", "-arch=sm_80")
    assert json.loads(found.stdout)["kernel"] == "_Z6secondPf"
    assert re.findall(r"ACC\d+", found.stderr) == ["ACC973"]
    found = bypass(*words, "-q", "--", "-arch=sm_80")
    assert found.exit_code == 1
    assert f"error: '{source}' launches no kernel 'second' in this run [ACC972]" in found.stderr
    found = bypass(str(source), "--kernel", "third", "--", "-arch=sm_80")
    assert (found.exit_code, re.findall(r"ACC\d+", found.stderr)) == (1, ["ACC965"])
