"""Functions that kernels call: in one file, in headers and in other files, and in both forms of the output."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from workshop import Workshop

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.cc.main import main as cc
from accache.cpu.build import build
from accache.cpu.run import run
from accache.driver import translate

PROGRAMS = Path(__file__).parent / "programs"
SEVERAL = PROGRAMS / "several_files"
RESIDENT = PROGRAMS / "resident_files"


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize(
    "name", ["routines", "level_routines", "heap", "between_loops", "printing", "residents", "memory_calls"]
)
def test_nvcc_compiles_the_kernels(name: str, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "program.cu"
    source.write_text(workshop.translation(PROGRAMS / f"{name}.c", Options()).device)
    command = ["nvcc", "-arch=sm_90", "-Werror", "all-warnings", "-c", source, "-o", tmp_path / "program.o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_routines_of_other_files_are_called(tmp_path: Path) -> None:
    program = tmp_path / "program"
    assert cc([*(str(SEVERAL / f"{name}.c") for name in ("main", "scales", "sums")), "-o", str(program)]) == 0
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "device 134115 host 14115\n"), done.stderr


def test_variables_of_several_files_have_one_copy_on_the_device(tmp_path: Path) -> None:
    files = [str(RESIDENT / f"{name}.c") for name in ("main", "tables")]
    program, plain = tmp_path / "program", tmp_path / "plain"
    subprocess.run(["gcc", "-w", *files, "-o", plain], check=True)
    expected = subprocess.run([plain], capture_output=True, text=True, check=True).stdout
    for order in (files, files[::-1]):
        assert cc([*order, "-o", str(program)]) == 0
        done = subprocess.run([program], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, expected), done.stderr


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_nvcc_links_variables_of_several_files(tmp_path: Path) -> None:
    objects = []
    for name in ("main", "tables"):
        source = tmp_path / f"{name}.cu"
        joined = translate(str(RESIDENT / f"{name}.c"), Options()).joined
        assert joined is not None
        source.write_text(joined)
        objects.append(source.with_suffix(".o"))
        subprocess.run(["nvcc", "-arch=sm_90", "-rdc=true", "-c", source, "-o", objects[-1]], check=True)
    subprocess.run(["nvcc", "-arch=sm_90", *objects, "-o", tmp_path / "program"], check=True)


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_nvcc_links_routines_of_other_files(tmp_path: Path) -> None:
    files = [str(SEVERAL / f"{name}.c") for name in ("main", "scales", "sums")]
    assert cc(["--target", "cuda", *files, "-o", str(tmp_path / "program")]) == 0


def test_a_file_without_kernels_has_the_routines_of_its_header() -> None:
    translation = translate(str(SEVERAL / "scales.c"), Options())
    assert 'extern "C" __device__ double scaled_device(double x, range r)' in translation.device
    assert "clamped_device(x, r)" in translation.device
    assert translation.diagnostics == ()
    assert translation.host.endswith((SEVERAL / "scales.c").read_text().partition("\n")[2])
    assert "acc routine" not in translation.host


JOINED = """\
#include <stdio.h>
/* Used by the kernel alone. */
static double squared(double x) { return x * x; }
#pragma acc routine seq
static double cubed(double x)
{
    return x * squared(x);
}
int main(void)
{
    double a[100];
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 100; ++i)
        a[i] = cubed(i) + squared(i);
    printf("%g\\n", a[99]);
    return 0;
}
"""


def test_the_joined_form_keeps_the_host_functions(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(JOINED)
    joined = translate(str(tmp_path / "main.c"), Options()).joined
    assert joined is not None
    assert "acc routine" not in joined
    assert "/* Used by the kernel alone. */\nstatic double squared(double x) { return x * x; }\n" in joined
    assert "\n__attribute__((unused)) static double cubed(double x)\n" in joined
    program = build(joined, None, tmp_path, optimise="-O1")
    assert run(program, timeout=60).stdout == "980100\n"
    if shutil.which("nvcc"):
        (tmp_path / "joined.cu").write_text(joined)
        command = ["nvcc", "-Werror", "all-warnings", "-arch=sm_90", "-c", "joined.cu"]
        subprocess.run(command, cwd=tmp_path, check=True)


SHADOWED = """\
double cbrt(double);
static double hypot(double x, double y) { return x - y; }
int main(void)
{
    double a[8];
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 8; ++i)
        a[i] = hypot(3 * i, 4 * i) + cbrt(8);
    return a[1] != 1;
}
"""


def test_a_function_of_the_file_hides_the_one_of_cuda(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(SHADOWED)
    translation = translate(str(tmp_path / "main.c"), Options())
    assert "hypot_device(3*i, 4*i) + cbrt((double)8)" in translation.device


LIBRARY = """\
#include <math.h>
#pragma acc routine(fmin) seq
void lowest(double *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = fmin(a[i], 1);
}
"""


def test_a_directive_about_a_function_of_cuda_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(LIBRARY)
    translation = translate(str(tmp_path / "main.c"), Options())
    assert "a[i] = fmin(a[i], (double)1);" in translation.device
    assert translation.diagnostics == ()


UNREADABLE = """\
static int odd(int x) { return ({ int y = x; y; }) & 1; }
static int twice(int x) { return 2 * x; }
static int never(void) { return __builtin_choose_expr(1, 2, (int[]){[0 ... 3] = 1}); }
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = twice(a[i]);
    a[0] = odd(never());
}
"""


def test_functions_that_cannot_be_read_do_not_hide_those_that_can(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(UNREADABLE)
    assert "a[i] = twice_device(a[i]);" in translate(str(tmp_path / "main.c"), Options()).device


LEAVING = """\
#pragma acc routine vector
int count(const int *a, int n);
void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n*n])
    for (int i = 0; i < n; ++i) {
        int k;
#pragma acc loop vector
        for (int j = 0; j < 9; ++j)
            for (k = 0; k < j; ++k)
                a[n * i + j] += k;
        for (; k > 3; --k)
            count(a + n * i, n);
    }
}
"""


def test_all_threads_must_reach_a_call(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(LEAVING)
    with pytest.raises(CompileError) as caught:
        translate(str(tmp_path / "main.c"), Options())
    found = {(item.code, item.location.line) for item in caught.value.diagnostics}
    assert found == {("ACC312", 9), ("ACC320", 12), ("ACC320", 13)}


CALLED = """\
#pragma acc routine vector
double sum(const double *a, int n)
{
    double total = 0;
#pragma acc loop vector reduction(+: total)
    for (int i = 0; i < n; ++i)
        total += a[i];
    return total;
}
"""
CALLING = """\
#include <stdio.h>
#pragma acc routine LEVEL
double sum(const double *a, int n);
int main(void)
{
    double a[100], b[10];
    for (int i = 0; i < 100; ++i)
        a[i] = i;
#pragma acc parallel loop gang copyin(a) copyout(b)
    for (int i = 0; i < 10; ++i)
        b[i] = sum(a + 10 * i, 10) + i;
    printf("%g %g\\n", b[0], b[9]);
    return 0;
}
"""


@pytest.mark.parametrize("target", ["cpu", pytest.param("cuda", marks=pytest.mark.nvcc)])
def test_files_agree_on_the_level_of_a_routine_or_do_not_link(target: str, tmp_path: Path) -> None:
    if target == "cuda" and not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    (tmp_path / "sum.c").write_text(CALLED)
    for level in ("vector", "worker", "seq"):
        (tmp_path / "main.c").write_text(CALLING.replace("LEVEL", level))
        program = tmp_path / level
        files = [str(tmp_path / "main.c"), str(tmp_path / "sum.c")]
        assert (cc(["--target", target, *files, "-o", str(program)]) == 0) is (level == "vector")
    if target == "cpu":
        done = subprocess.run([tmp_path / "vector"], capture_output=True, text=True, timeout=60)
        assert done.stdout == "45 954\n"
