"""Tables that data looks into: whether types prove the index, and what random accesses are estimated to cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from families import parts
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate
from accache.report.records import KernelReport

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static void {name}_f(int n, int m, const {type} *restrict at, const float *restrict x, float *restrict y)
{{
#pragma acc parallel loop copyin(x[0:m], at[0:n + 8]) copyout(y[0:n])
    for (int i = 0; i < n; ++i) {{
        float sum = 0;
#pragma acc cache(x[0:{length}])
        for (int k = 0; k < 9; ++k) {{
            int a = at[i + k], b = at[i];
            sum += x[{index}];
        }}
        y[i] = sum;
    }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), seed = atoi(argv[2]);
    {type} *at = malloc(sizeof *at * (n + 8));
    float x[256], *y = malloc(sizeof *y * n);
    for (int i = 0; i < 256; ++i)
        x[i] = (i * 7 + seed) % 11;
    for (int i = 0; i < n + 8; ++i)
        at[i] = i * 7919u % 128;
    {name}_f(n, 256, at, x, y);
    for (int i = 0; i < n; ++i)
        printf("%g ", y[i]);
    return 0;
}}
"""
BYTE = "unsigned char"
PROVED = {"bytes": (BYTE, "a"), "distance": (BYTE, "a > b ? a - b : b - a"), "mask": ("int", "(a + b) & 255")}
UNPROVED = {
    "numbers": ("int", "a"),
    "signs": ("signed char", "a"),
    "sum": (BYTE, "a + b"),
    "shorts": ("short", "a / 2"),
}


def program(kind: tuple[str, str], length: str = "256", name: str = "table") -> str:
    """A program that looks into a table."""
    return PROGRAM.format(type=kind[0], index=kind[1], length=length, name=name)


def report(tmp_path: Path, kind: tuple[str, str], length: str = "256") -> KernelReport:
    """What is told of its kernel."""
    path = tmp_path / "a.c"
    path.write_text(program(kind, length))
    return translate(str(path), Options()).report.kernels[0]


def method(tmp_path: Path, kind: tuple[str, str]) -> str:
    """What serves its directive where rbi is asked for."""
    path = tmp_path / "a.c"
    path.write_text(program(kind))
    return translate(str(path), Options(method="rbi")).report.kernels[0].subarrays[0].method


@pytest.mark.parametrize("kind", PROVED)
def test_types_and_masks_prove_an_index(kind: str, tmp_path: Path) -> None:
    assert method(tmp_path, PROVED[kind]) == "rbi"


@pytest.mark.parametrize("kind", UNPROVED)
def test_other_indices_are_not_proved(kind: str, tmp_path: Path) -> None:
    assert method(tmp_path, UNPROVED[kind]) != "rbi"


@pytest.mark.parametrize("names", parts((*PROVED, *UNPROVED), 2))
def test_results_stay_the_same(names: list[str], tmp_path: Path) -> None:
    programs = {**PROVED, **UNPROVED}
    cases = [
        Case(
            Program(f"{name}_{way}", program(programs[name], name=f"{name}_{way}"), ((1,), (300,)), (), cached=False),
            Options(method=way),
        )
        for name in names
        for way in ("rbi", "auto")
    ]
    assert Batch(tmp_path, cases).differences(check=True) == []


def plain_sectors(found: KernelReport) -> float:
    """What a warp is estimated to move without tiles."""
    return next(item.sectors for item in found.candidates if item.name == "plain")


def test_random_accesses_of_a_short_table_share_sectors(tmp_path: Path) -> None:
    short, long = (report(tmp_path, PROVED["distance"], length=length) for length in ("256", "m"))
    assert plain_sectors(short) < 0.75 * plain_sectors(long)


def test_random_accesses_of_a_tile_meet_in_banks(tmp_path: Path) -> None:
    turns = []
    for length in ("32", "256"):
        found = report(tmp_path, ("int", f"a & {int(length) - 1}"), length=length)
        turns.append(next(item.turns for item in found.candidates if item.subarrays))
    assert turns[1] - turns[0] > 9 * 0.8
