"""Loads by other cache operators in CUDA C: which expressions become calls, and that they still give the values."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.cpu.build import build
from accache.driver import translate, translate_with_operators
from accache.lowering.cache_operators import CacheOperators, Operated

PROGRAM = """\
/* Lines count: the loop begins in line 18. */
#include <stdio.h>
struct pair { float x; int n : 4; short s; };
static float a[300], c[300];
static int k[300], m[4]; static short tally[4];
static struct pair p[300];
int main(void)
{
    struct { int x; } one = {1}; for (int i = 0; i < 300; ++i) {
        a[i] = i % 7;
        c[i] = 1;
        k[i] = (i * 7) % 290;
        p[i].x = i;
        p[i].n = 1;
        p[i].s = i;
    }
#pragma acc parallel loop copy(a, c, k, p, m, tally) firstprivate(one)
    for (int i = 1; i < 290; ++i) {
        float sum = a[k[i]] * c[i];
        for (int j = 0; j < 3; ++j)
            sum += a[k[i] + j];
        c[i] += sum;
        const float *q = &a[i];
        p[i].x += p[i].s + p[i].n;
        c[i]++;
        sum = *q + a[i] +
            a[i + 1];
        p[i].s -= 2;
        if (a[i] > 3)
            c[i] = sum;
#pragma acc atomic update
        m[i % 4] += k[i] + one.x;
#pragma acc atomic update // by the loop that narrow types need
        tally[i % 4] += 3;
    }
    float sum = m[1] + 2 * m[2] + tally[3];
    for (int i = 0; i < 300; ++i)
        sum += c[i] + p[i].x + p[i].s;
    printf("%g\\n", sum);
    return 0;
}
"""


def lines_of_kernel(
    folder: Path, loads: set[tuple[int, str]], mode: str = "cg"
) -> tuple[list[str], set[tuple[int, str]]]:
    """The lines of the kernel's loop with these loads, and those that were found."""
    path = folder / "a.c"
    path.write_text(PROGRAM)
    wanted = CacheOperators("main_L17_kernel", frozenset(loads), mode)
    text, became = translate_with_operators(str(path), Options(), wanted)
    assert text is not None
    (folder / "a.cu").write_text(text)
    kernel = text[text.index("main_L17_kernel(") :].partition("\n}")[0]
    return [line.strip() for line in kernel.splitlines()], set(became.found)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of the kernel's loop as it is."""
    return lines_of_kernel(tmp_path_factory.mktemp("plain"), set())[0]


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        ((19, "a"), "float sum = __ldcg(&a[k[i]])*c[i];"),
        ((19, "k"), "float sum = a[__ldcg(&k[i])]*c[i];"),
        ((19, "c"), "float sum = a[k[i]]*__ldcg(&c[i]);"),
        ((21, "a"), "sum += __ldcg(&a[k[i] + j]);"),
        ((22, "c"), "c[i] = __ldcg(&c[i]) + sum;"),
        ((24, "p"), "p[i].x = __ldcg(&p[i].x) + (__ldcg(&p[i].s) + p[i].n);"),
        ((26, "a"), "sum = __ldcg(&a[i]) + __ldcg(&a[i]) + __ldcg(&a[i + 1]);"),
        ((28, "p"), "p[i].s = __ldcg(&p[i].s) - 2;"),
        ((29, "a"), "if (__ldcg(&a[i]) > 3)"),
        ((0, "k"), "float sum = a[__ldcg(&k[i])]*c[i];"),
    ],
)
def test_a_load_becomes_a_call(load: tuple[int, str], expected: str, plain: list[str], tmp_path: Path) -> None:
    lines, found = lines_of_kernel(tmp_path, {load})
    assert found == {load}
    assert expected in lines
    assert [line for line in lines if "__ldcg" not in line] == [
        old for old, new in zip(plain, lines, strict=True) if "__ldcg" not in new
    ]


STAYING = {
    "out of the loop": (21, "k"),
    "address": (23, "a"),
    "step": (25, "c"),
    "written": (30, "c"),
    "local pointer": (26, "q"),
    "not there": (19, "p"),
    "other line": (18, "a"),
    "local": (19, "sum"),
    "atomic": (32, "m"),
    "in an atomic": (32, "k"),
    "of a private copy": (32, "one"),
}


@pytest.mark.parametrize("load", STAYING.values(), ids=STAYING)
def test_what_is_no_load_of_its_own_stays(load: tuple[int, str], plain: list[str], tmp_path: Path) -> None:
    assert lines_of_kernel(tmp_path, {load}) == (plain, set())


def test_what_was_kept_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM)
    wanted = CacheOperators("main_L17_kernel", frozenset({(0, "p"), (0, "k"), (28, "c")}), "cg")
    became = translate_with_operators(str(path), Options(), wanted)[1]
    assert became.found == {(0, "p"), (0, "k")}
    assert became.kept == {(24, "p"), (21, "k")}, "a bit-field, and what leaves the loop"


def test_other_kernels_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM)
    wanted = CacheOperators("other_kernel", frozenset({(0, "a")}), "cg")
    assert translate_with_operators(str(path), Options(), wanted) == (
        translate(str(path), Options()).joined,
        Operated(),
    )


@pytest.mark.parametrize("mode", ["cg", "no_allocate"])
def test_the_program_computes_the_same(mode: str, tmp_path: Path) -> None:
    everything = {(0, name) for name in "ackp"}
    lines, found = lines_of_kernel(tmp_path, everything, mode)
    assert found == everything
    assert ("accache_load_no_allocate" in "".join(lines)) == (mode == "no_allocate")
    plain = tmp_path / "plain"
    subprocess.run(["gcc", "-w", tmp_path / "a.c", "-o", plain], check=True)
    program = build((tmp_path / "a.cu").read_text(), None, tmp_path, check=True)
    outputs = [
        subprocess.run([each], capture_output=True, text=True, check=True) for each in (plain, program.executable)
    ]
    assert outputs[0].stdout == outputs[1].stdout


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize(
    ("mode", "arch", "word"),
    [
        ("cg", "sm_80", "ld.global.cg."),
        ("no_allocate", "sm_90", "ld.global.L1::no_allocate."),
        ("no_allocate", "sm_75", "ld.global.L1::no_allocate."),
    ],
)
def test_nvcc_takes_them(mode: str, arch: str, word: str, tmp_path: Path) -> None:
    lines_of_kernel(tmp_path, {(19, "a"), (22, "c"), (28, "p")}, mode)
    command = ["nvcc", "-Werror", "all-warnings", f"-arch={arch}", "-ptx", "a.cu"]
    subprocess.run(command, cwd=tmp_path, check=True)
    loads = [line for line in (tmp_path / "a.ptx").read_text().splitlines() if "ld.global" in line]
    assert sum(word in line for line in loads) == 3
    assert len(loads) > 6
