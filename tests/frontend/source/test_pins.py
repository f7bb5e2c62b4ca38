"""An emitted program means what its kernels mean, whatever macros the compiler of the program is given."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.cpu.toolchain import INCLUDE
from accache.driver import translate

PROGRAM = """\
#include "size.h"
#ifndef M_PI
#define M_PI 3.14
#endif
#ifdef MIN
#undef MIN
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#ifndef N
#define N 10
#endif
#ifndef T
#define T float
#endif
#ifdef NDEBUG
#define FACTOR 1
#else
#define FACTOR 2
#endif
int told[] = {N, WIDTH, FACTOR, SECOND}; double pi_told = M_PI;
T typed;
void fill(T *a)
{
#pragma acc parallel loop copyout(a[0:N])
    for (int i = 0; i < N; ++i)
        a[i] = FACTOR * WIDTH * SECOND + sizeof(T);
}
"""
HEADER = "#ifndef SIZE_H\n#define SIZE_H\n#ifndef WIDTH\n#define WIDTH 4\n#endif\n#endif\n"
GIVEN = ("-DN=100", "-DSECOND=OTHER", "-DOTHER=3", "-D_GNU_SOURCE", "-Ulinux")


def told(folder: Path, flags: tuple[str, ...], language: str) -> tuple[int, str, str]:
    """Status, values of the macros and messages when a compiler with some flags reads the emitted program."""
    (folder / "size.h").write_text(HEADER)
    path = folder / "main.c"
    path.write_text(PROGRAM)
    found = translate(str(path), Options(preprocessor=GIVEN))
    text = found.joined if language == "c++" else found.host
    assert text is not None
    command = ["cc", "-E", "-P", "-x", language, "-I", str(INCLUDE), "-I", str(folder), *flags, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    lines = (line for line in done.stdout.splitlines() if re.search(r"\b(told|typed)\b", line))
    return done.returncode, " ".join(lines), done.stderr


@pytest.mark.parametrize("language", ["c++", "c"])
@pytest.mark.parametrize(
    "flags", [(), GIVEN, ("-DN=100",), ("-DWIDTH=4",), ("-DSECOND=OTHER",), ("-DM_PI=3.2",)], ids=" ".join
)
def test_macros_have_the_values_of_the_translation(flags: tuple[str, ...], language: str, tmp_path: Path) -> None:
    expected = "int told[] = {100, 4, 2, 3}; double pi_told = 3.14; float typed;"
    assert told(tmp_path, flags, language) == (0, expected, "")


@pytest.mark.parametrize("language", ["c++", "c"])
@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("-DN=200", "N is 100 in the kernels"),
        ("-DWIDTH=5", "WIDTH is 4 in the kernels"),
        ("-DNDEBUG", "the kernels were made without NDEBUG"),
        ("-DOTHER=4", "OTHER is 3 in the kernels"),
    ],
)
def test_another_number_is_an_error(flag: str, message: str, language: str, tmp_path: Path) -> None:
    status, _, messages = told(tmp_path, (flag,), language)
    assert status == 1
    assert message in messages


@pytest.mark.parametrize(
    ("flag", "message"), [("-DT=double", "T is what"), ("-DMIN=3", "MIN is what"), ("-DSECOND=5", '"SECOND" redefined')]
)
def test_another_text_is_told_and_has_no_effect(flag: str, message: str, tmp_path: Path) -> None:
    status, line, messages = told(tmp_path, (flag,), "c")
    assert (status, line) == (0, "int told[] = {100, 4, 2, 3}; double pi_told = 3.14; float typed;")
    assert message in messages


def test_a_macro_with_parameters_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "main.c"
    path.write_text("void f(int *a) {\n#pragma acc serial copy(a[0:1])\n*a = F(2);\n}\nint four = F(2);\n")
    found = translate(str(path), Options(preprocessor=("-DF(x)=2 * (x)",)))
    assert "#define F(x) 2 * (x)\n" in found.host
    assert found.joined is not None
    assert "#define F(x) 2 * (x)\n" in found.joined


GROUPS = """\
#ifdef __cplusplus
extern "C" {
#endif
int f(void);
#ifdef __cplusplus
}
#endif
#if defined(__cplusplus) || \\
    defined(__OPTIMIZE__)
#define K 1
#elif __GNUG__
#define K 4
#elif __STDC_VERSION__ >= 199901L
#define K 2
#ifdef __CUDACC__
#define L 5
#else
#define L 6
#endif
#else
#define K 3
#endif
int told[] = {K, L, __LINE__};
void fill(int *a)
{
#pragma acc parallel loop copyout(a[0:9])
    for (int i = 0; i < 9; ++i) {
#ifdef __cplusplus
        a[i] = 7;
#else
        a[i] = K * L;
#endif
    }
}
"""


def test_conditions_on_the_compiler_have_the_answers_of_the_translation(tmp_path: Path) -> None:
    path = tmp_path / "main.c"
    path.write_text(GROUPS)
    joined = translate(str(path), Options(line=True)).joined
    assert joined is not None
    command = ["cc", "-E", "-P", "-O2", "-D__CUDACC__", "-x", "c++", "-I", str(INCLUDE), "-"]
    text = subprocess.run(command, input=joined, capture_output=True, text=True, check=True).stdout
    assert "int told[] = {2, 6, 23};" in text
    assert "a[i] = 2*6;" in text
    assert 'extern "C" {' in text
