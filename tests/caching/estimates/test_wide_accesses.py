"""Neighbouring elements that a thread with several iterations accesses at once: what is emitted, what it needs."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.cpu.build import build
from accache.cpu.run import run
from accache.driver import translate
from accache.ir.kernels import alignment

LINE = """
void f(int n, int k, const {type} *restrict a, {type} *restrict b)
{{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (int i = {first}; i < n; ++i) {{
        {body}
    }}
}}
"""
PLANE = """
void f(int n, int m, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m+8]) copy(b[0:n*m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {{
            {body}
        }}
}}
"""
WINDOW = "{type} s = 0; for (int t = 0; t < 5; ++t) s += a[i + t]; b[i] = s;"


JOINED = {"unsigned char": "v4.u8", "short": "v4.u16", "float": "v4.f32", "double": "v2.f64"}
"""The accesses that nvcc makes of four neighbours of a type."""


def facts(folder: Path, text: str, factors: str = "4", *, wide: str = "on") -> set[str]:
    """What the launch makes sure of for a function, as its kernel tells the compiler."""
    path = folder / "a.c"
    path.write_text(text)
    found = translate(str(path), Options(runtime=False, coarsen=factors, wide=wide)).device
    kernel = found[found.index("__global__") :].partition("\n}")[0]
    return set(re.findall(r"\w+ = (accache_\w+(?:<\d>)?\(\w+\));", kernel))


def test_examples() -> None:
    assert doctest.testmod(alignment).failed == 0


def test_a_window_of_neighbours_is_loaded_at_once(tmp_path: Path) -> None:
    text = LINE.format(type="float", first=0, body=WINDOW.format(type="float"))
    assert facts(tmp_path, text) == {"accache_aligned(a)", "accache_aligned(b)"}
    device = translate(str(tmp_path / "a.c"), Options(coarsen="4", wide="on")).device
    assert "const int i_base = 512*blockIdx.x + 4*threadIdx.x;" in device
    assert "accache_aligned({a_device, b_device})" in device
    assert "f_L4_kernel_unaligned<<<" in device or "f_L4_kernel_single<<<" in device
    assert facts(tmp_path, text, wide="off") == set()


@pytest.mark.parametrize("element", ["volatile float", "struct { volatile float x, y; }"])
def test_volatile_elements_are_accessed_one_by_one(element: str, tmp_path: Path) -> None:
    text = f"typedef {element} element;\n" + LINE.format(type="element", first=0, body="b[i] = a[i];")
    assert facts(tmp_path, text.replace("volatile ", "")) == {"accache_aligned(a)", "accache_aligned(b)"}
    assert facts(tmp_path, text) == set()


@pytest.mark.parametrize(
    ("body", "factors", "needed"),
    [
        ("b[i*m + j] = a[i*m + j];", "2x4", {"aligned(a)", "aligned(b)", "multiple<4>(m)"}),
        ("b[i*m + j] = a[j];", "2x4", {"aligned(a)", "aligned(b)", "multiple<4>(m)"}),
        ("b[i*m + j] = a[j*n + i];", "2x4", {"aligned(a)", "aligned(b)", "multiple<4>(m)", "multiple<2>(n)"}),
        ("b[i*m + j] = a[j*n + i];", "4x2", {"aligned(a)", "aligned(b)", "multiple<2>(m)", "multiple<4>(n)"}),
        ("float s = 0; for (int k = 0; k < 4; ++k) s += a[j*4 + k]; b[j*m + 2*i] = s;", "2x2", {"aligned(a)"}),
        ("b[j*m + 3*i] = a[i*m + 2*j];", "2x4", set()),
        ("b[j*m + 3*i] = a[(int)a[j] + j*n];", "2x4", {"aligned(a)"}),  # a[j] alone
    ],
)
def test_what_the_launch_makes_sure_of(body: str, factors: str, needed: set[str], tmp_path: Path) -> None:
    assert facts(tmp_path, PLANE.format(body=body), factors) == {f"accache_{item}" for item in needed}


def test_numbers_that_the_kernel_changes_are_no_multiples(tmp_path: Path) -> None:
    text = LINE.format(type="float", first=0, body="int q = k; if (b[i] > 0) q = 3; b[i] = a[q + i];")
    assert facts(tmp_path, text) == {"accache_aligned(b)"}


TYPES = ("signed char", "unsigned char", "short", "int", "float", "long long", "double")
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static void {name}_line(int n, int lo, const {type} *restrict a, {type} *restrict b)
{{
#pragma acc parallel loop present(a[0:n+8], b[0:n])
    for (int i = lo; i < n; ++i) {{
        {type} s = 0;
        for (int t = 0; t < 5; ++t)
            s += a[i + t] * ({type})(t + 1);
        b[i] = s;
    }}
}}
static void {name}_plane(int n, int m, const {type} *restrict a, {type} *restrict b)
{{
#pragma acc parallel loop collapse(2) present(a[0:n*m+8], b[0:n*m])
    for (int i = 0; i < n; ++i)
        for (int j = 1; j < m; ++j) {{
            {type} s = b[i*m + j];
            for (int t = -1; t < 2; ++t)
                s += a[i*m + j + t] * ({type})(t + 3);
            b[i*m + j] = s;
        }}
}}
static void {name}_product(int n, int m, const {type} *restrict a, {type} *restrict b)
{{
#pragma acc parallel loop collapse(2) present(a[0:n*m+8], b[0:n*m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {{
            {type} s = 0;
            for (int l = 0; l < m; l += 4)
                for (int k = l; k < l + 4 && k < m; ++k)
                    s += a[i*m + k] * a[k + j % 8];
            b[(size_t)i*m + j] += s;
        }}
}}
static void {name}_update(int n, int m, const {type} *restrict a, {type} *restrict b)
{{
#pragma acc parallel loop collapse(2) present(a[0:n*m+8], b[0:n*m])
    for (int i = 0; i < n - 1; ++i)
        for (int j = 1; j < m - 1; ++j)
            b[j + (long)m*i] -= a[(long)i*m + j + 1] + a[j - 1 + (long)(i + 1)*m] * 2 - b[j + (long)m*i] / 2;
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), shift = atoi(argv[3]), count = n*m + 24;
    {type} *a = malloc(sizeof *a * count), *b = malloc(sizeof *b * count);
    for (int i = 0; i < count; ++i) {{
        a[i] = (i * 7 + 1) % 5;
        b[i] = i % 3;
    }}
#pragma acc data copyin(a[0:count]) copy(b[0:count])
    {{
        {name}_line(n*m, shift, a + shift, b + shift % 3);
        {name}_plane(n, m, a + shift, b + shift);
        {name}_product(n, m, a + shift, b);
        {name}_update(n, m, a, b + shift);
    }}
    for (int i = 0; i < count; ++i)
        printf("%g%c", (double)b[i], i % m == m - 1 ? '\\n' : ' ');
    return 0;
}}
"""
SIZES = ((1, 1, 0), (1, 4, 0), (2, 5, 1), (3, 8, 4), (5, 132, 2), (17, 130, 0), (9, 260, 0))


@pytest.mark.parametrize("check", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_results_are_those_of_one_iteration_a_thread(check: bool, tmp_path: Path) -> None:
    cases = []
    for number, ctype in enumerate(("short", "double") if check else TYPES):
        program = Program(f"w{number}", PROGRAM.format(name=f"w{number}", type=ctype), SIZES, (), cached=False)
        factors = ("2x4", "4") if ctype in ("short", "double") else ("2x4",)
        cases += [Case(program, Options(coarsen=each, wide="on")) for each in factors]
    batch = Batch(tmp_path, cases)
    for member in batch.members:
        assert " = accache_aligned(" in member.device
        assert " = accache_multiple<" in member.device
    assert batch.differences(check=check) == []


@pytest.mark.parametrize("test", ["accache_aligned({a_device, b_device})", "m % 4 == 0"])
def test_a_run_traps_what_a_gpu_would(test: str, tmp_path: Path) -> None:
    path = tmp_path / "w.c"
    path.write_text(PROGRAM.format(name="w", type="float"))
    translation = translate(str(path), Options(coarsen="2x4", wide="on"))
    assert test in translation.device
    arguments = ("3", "8", "1") if "aligned" in test else ("3", "5", "0")
    sound = run(build(translation.device, translation.host, tmp_path / "sound", check=True), arguments)
    assert (sound.returncode, sound.findings) == (0, ())
    broken = translation.device.replace(test, "true")
    found = run(build(broken, translation.host, tmp_path / "broken", check=True), arguments)
    assert found.returncode != 0
    assert "multiple of" in found.stderr


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc joins the accesses")
def test_nvcc_joins_accesses(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    lines = (LINE.format(type=ctype, first=0, body=WINDOW.format(type=ctype)) for ctype in JOINED)
    path.write_text("".join(line.replace("void f(", f"void f{number}(") for number, line in enumerate(lines)))
    (tmp_path / "a.cu").write_text(translate(str(path), Options(coarsen="4", wide="on")).device)
    command = ["nvcc", "-arch=sm_90", "-ptx", "-w", str(tmp_path / "a.cu"), "-o", str(tmp_path / "a.ptx")]
    subprocess.run(command, check=True)
    ptx = (tmp_path / "a.ptx").read_text().replace(".nc", "")
    for number, access in enumerate(JOINED.values()):
        (kernel,) = (text for text in ptx.split(".entry ") if re.match(rf"\w*f{number}_L\d+_kernel(?!_)\w*\(", text))
        assert f"ld.global.{access}" in kernel
        assert f"st.global.{access}" in kernel
