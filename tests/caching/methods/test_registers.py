"""Subarrays that each thread has for itself, in registers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

import accache
from accache.base.options import Options
from accache.driver import translate

HEAD = """
#include <stdio.h>
#include <stdlib.h>
static void {name}(int n, {type} *restrict m, {type} *restrict x)
{{
#pragma acc parallel loop copy(m[0:n*{size}], x[0:n*4])
    for (int b = 0; b < n; ++b) {{
{body}
    }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), seed = atoi(argv[2]);
    {type} *m = malloc(n*{size}*sizeof *m), *x = malloc(n*4*sizeof *x);
    for (int i = 0; i < n*{size}; ++i)
        m[i] = (i*7 + seed) % 31 + 1 + ({type})40*(i % 5 == 0);
    for (int i = 0; i < n*4; ++i)
        x[i] = (i*5 + seed) % 23;
    {name}(n, m, x);
    double sum = 0;
    for (int i = 0; i < n*{size}; ++i)
        sum = sum*0.75 + m[i];
    for (int i = 0; i < n*4; ++i)
        sum = sum*0.75 + x[i];
    printf("%.17g\\n", sum);
    return 0;
}}
"""
FACTORS = """
#pragma acc cache(m[b*16:16])
        for (int k = 0; k < 4; ++k)
            for (int i = k + 1; i < 4; ++i) {
                m[b*16 + i*4 + k] /= m[b*16 + k*4 + k];
                for (int j = k + 1; j < 4; ++j)
                    m[b*16 + i*4 + j] -= m[b*16 + i*4 + k]*m[b*16 + k*4 + j];
            }
"""
BACKWARDS = """
#pragma acc cache(m[b*16:16], x[4*b:4])
        for (int i = 3; i >= 0; --i) {
            for (int j = 3; j > i; j -= 1)
                x[4*b + i] -= m[b*16 + i*4 + j]*x[4*b + j];
            x[4*b + i] /= m[b*16 + 5*i];
        }
"""
SOMETIMES = """
#pragma acc cache(x[4*b:4])
        for (int i = 0; i < 4; ++i)
            if (m[b*3 + i % 3] > x[4*b + 3 - i])
                x[4*b + i] = x[4*b + 3 - i]*2 + 1;
"""
FILLED = """
#pragma acc cache(x[4*b:4])
        for (int i = 0; i < 4; ++i)
            x[4*b + i] = m[b*3] + i;
        for (int i = 0; i < 3; ++i)
            x[4*b + i] += x[4*b + i + 1];
"""
OVERLAPPING = """
#pragma acc cache(m[3*b:3])
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                x[4*b + i] += m[3*b + j]*m[3*b + i];
"""
RELAXED = """
#pragma acc cache(m[b*16:16], x[b*4:4])
        for (int t = 0; t < n % 5; ++t)
            for (int i = 0; i < 4; ++i) {
                float s = x[b*4 + i];
                for (int j = 0; j < 4; ++j)
                    if (j != i)
                        s -= m[b*16 + i*4 + j]*x[b*4 + j];
                x[b*4 + i] = s/(m[b*16 + 5*i] + 100);
            }
"""
SIZES = ((1, 3), (31, 1), (128, 2), (257, 4))
PROGRAMS = {
    "factors float": ("float", 16, FACTORS),
    "factors double": ("double", 16, FACTORS),
    "backwards": ("double", 16, BACKWARDS),
    "relaxed": ("float", 16, RELAXED),
    "sometimes": ("int", 3, SOMETIMES),
    "maybe one": ("float", 16, BACKWARDS),
    "filled": ("short", 3, FILLED),
    "rows of three": ("float", 3, OVERLAPPING),
}


def text(name: str) -> str:
    """A program."""
    ctype, size, body = PROGRAMS[name]
    program = HEAD.format(name=f"by_{'_'.join(name.split())}", type=ctype, size=size, body=body)
    return program.replace("restrict", "") if name == "maybe one" else program


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_sequential_program(name: str, tmp_path: Path) -> None:
    program = Program(f"by_{'_'.join(name.split())}", text(name), SIZES, ())
    ways = [Options(), *(Options(tune="off", method="registers", write=write) for write in ("auto", "back", "through"))]
    assert Batch(tmp_path, [Case(program, options) for options in ways]).differences(check=True) == []


def emitted(folder: Path, program: str, **options: str) -> str:
    """The device text of a program."""
    source = folder / "a.c"
    source.write_text(program)
    return translate(str(source), Options(runtime=False, **options)).device


def test_auto_keeps_what_each_thread_has_for_itself(tmp_path: Path) -> None:
    device = emitted(tmp_path, text("factors float"))
    kernel = device[device.index("by_factors_float_L6_kernel(") :].partition("\n}")[0]
    assert "    float m_tile[16];\n" in kernel
    assert "m = accache_aligned(m);" in kernel
    assert kernel.count("#pragma unroll") == 3
    assert "by_factors_float_L6_kernel_unaligned" in device
    assert "__shared__" not in device


def test_what_threads_share_lies_in_shared_memory(tmp_path: Path) -> None:
    shared = text("rows of three").replace("m[3*b:3]", "m[b:3]").replace("m[3*b", "m[b")
    assert "m_tile" not in emitted(tmp_path, shared)  # as a tile saves nothing
    assert "__shared__" in emitted(tmp_path, shared, method="rbi", tune="off")


@pytest.mark.parametrize(
    ("loop", "subarray", "reason"),
    [
        ("for (int k = 0; k < 8; ++k)", "a[0:m]", "only the run knows its length"),
        ("for (int k = 0; k < 8; ++k)", "a[8*i:96]", "it has 384 bytes, and a thread keeps 256 in registers at most"),
        ("for (int k = 0; k < m; ++k)", "a[8*i:8]", "the position of the reference at line 7 is no constant"),
        ("for (int k = 0; k < m && k < 8; ++k)", "a[8*i:8]", "the position of the reference at line 7 is no constant"),
        (
            "int k; for (k = 0; k < 8; ++k) b[i] += a[8*i + k]; for (k = 0; k < m && k < 8; ++k)",
            "a[8*i:8]",
            "the position of the reference at line 6 is no constant",
        ),
        ("for (int k = 0; k < 600; ++k)", "a[8*i:8]", "the position of the reference at line 7 is no constant"),
        ("for (int k = 0; k < 8; ++k)", "a[8*i:64]", ""),
    ],
)
def test_what_registers_cannot_hold(loop: str, subarray: str, reason: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "void f(int n, int m, float *restrict a, float *restrict b)\n{\n"
        "#pragma acc parallel loop copy(a[0:8*n+96], b[0:n])\n    for (int i = 0; i < n; ++i) {\n"
        f"#pragma acc cache({subarray})\n        {{ {loop}\n            b[i] += a[8*i + k]; }}\n    }}\n}}\n"
    )
    told = translate(str(source), Options(method="registers", tune="off")).diagnostics
    found = [item.message for item in told if item.code == "ACC408"]
    assert [message.partition(": ")[2] for message in found] == ([reason] if reason else [])


@pytest.mark.parametrize(
    ("update", "subarray", "is_served"),
    [
        ("a[2*i + 2] ^= b[i];", "a[2*i:5]", False),
        ("a[2*i] ^= a[2*i + 1];", "a[2*i:2]", True),
        ("if (b[i]) a[8*i] ^= a[8*i + 1];", "a[8*i:5]", True),
        ("for (int k = 0; k < 4; ++k) a[(i*3 + i*m)*4 + k] ^= b[i];", "a[(i*3 + i*m)*4:4]", True),
        ("for (int k = 1; k < 4; ++k) a[(i*3 + i*m)*4 + k] ^= b[i];", "a[(i*3 + i*m)*4:4]", False),
        ("if (b[i]) a[(i*3 + i*m)*4] ^= b[i];", "a[(i*3 + i*m)*4:1]", False),
    ],
)
def test_no_thread_fetches_what_another_one_writes(update: str, subarray: str, is_served: bool, tmp_path: Path) -> None:
    """Nobody used what was fetched so, but the check of what the thread read found a race."""
    text = (
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n"
        "    int n = atoi(argv[1]), m = 2, a[4096], b[128];\n"
        "    for (int i = 0; i < 4096; ++i) a[i] = b[i % 128] = i*7 % 31;\n"
        "#pragma acc parallel loop copy(a) copyin(b)\n    for (int i = 0; i < n; ++i) {\n"
        f"#pragma acc cache({subarray})\n        {update}\n    }}\n"
        "    unsigned sum = 0;\n    for (int i = 0; i < 4096; ++i) sum = sum*31 + a[i];\n"
        '    printf("%u", sum);\n    return 0;\n}\n'
    )
    options = Options(method="registers", tune="off")
    source = tmp_path / "a.c"
    source.write_text(text)
    refused = [item for item in translate(str(source), options).diagnostics if item.code == "ACC408"]
    assert bool(refused) != is_served
    batch = Batch(tmp_path / "run", [Case(Program("own", text, (("100",),), ()), options)])
    assert batch.differences(check=True) == []


def test_all_subarrays_together_leave_registers_for_the_rest(tmp_path: Path) -> None:
    arrays = ("a", "b", "c")
    body = " + ".join(f"{name}[64*i + k]" for name in arrays)
    source = tmp_path / "a.c"
    source.write_text(
        f"void f(int n, float *restrict x, {', '.join(f'const float *restrict {name}' for name in arrays)})\n{{\n"
        f"#pragma acc parallel loop copy(x[0:n]) copyin({', '.join(f'{name}[0:64*n]' for name in arrays)})\n"
        f"    for (int i = 0; i < n; ++i) {{\n"
        f"#pragma acc cache({', '.join(f'{name}[64*i:64]' for name in arrays)})\n"
        f"        for (int k = 0; k < 64; ++k)\n            x[i] += {body};\n    }}\n}}\n"
    )
    told = translate(str(source), Options(method="registers", tune="off")).diagnostics
    found = [item.message for item in told if item.code == "ACC408"]
    assert len(found) == 1
    assert found[0].endswith("with it a thread keeps 768 bytes in registers, more than 512")


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_a_compiler_keeps_all_in_registers(tmp_path: Path) -> None:
    program, source = tmp_path / "a.c", tmp_path / "a.cu"
    program.write_text(text("factors float"))
    source.write_text(accache.translate(program).cuda or "")
    command = ["nvcc", "-arch=sm_90", "-Xptxas", "-v", "-c", source, "-o", tmp_path / "a.o"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    frames = [line for line in said.splitlines() if "stack frame" in line]
    assert frames
    assert all(line.strip().startswith("0 bytes stack frame") for line in frames)


UNWRITTEN = """
#include <stdio.h>
int main(void)
{
    enum { N = 70 };
    static float v[9*N];
#pragma acc parallel loop copyout(v)
    for (int i = 0; i < N; ++i) {
#pragma acc cache(v[9*i:9])
        for (int p = 0; p < 3; ++p)
            for (int q = FIRST; q < 3; ++q)
                v[9*i + 3*p + q] = p + q;
        for (int p = 0; p < 3; ++p)
            for (int q = 0; q < 3; ++q)
                v[9*i + 3*q + p] += v[9*i + 3*p + q];
    }
    printf("%g\\n", v[9*N - 1]);
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize("first", [0, 1])
def test_what_is_loaded_and_not_used_need_not_have_a_value(first: int, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(UNWRITTEN.replace("FIRST", str(first)))
    found = accache.run(source, check=True, method="registers", tune="off").findings
    uninitialised = [item for item in found if item.kind == "uninitialised"]
    assert bool(uninitialised) == bool(first)
    assert {item.array for item in uninitialised} <= {"v_tile"}


def test_only_loops_that_count_positions_are_unrolled(tmp_path: Path) -> None:
    device = emitted(tmp_path, text("relaxed"))
    kernel = device[device.index("by_relaxed_L6_kernel(") :].partition("\n}")[0]
    rolled, _, inner = kernel.partition("for (int t = 0;")
    assert "float x_tile[4];" in rolled
    assert "#pragma unroll" not in rolled
    assert inner.count("#pragma unroll") == 2
