"""Threads do not wait between vector loops that give each of them the same elements of an array, and else they do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(int n, int start, float *restrict a, float *restrict b, float *alias, float (*restrict rows)[40])
{
#pragma acc parallel loop gang num_gangs(4) copy(a[0:64*n], b[0:64*n], alias[0:n], rows[0:n]) CLAUSES
    for (int i = 0; i < n; ++i) {
        int base = i * 64;
#pragma acc loop vector
        for (FIRST;
#pragma acc loop vector
        for (SECOND;
    }
}
"""
OWN = "int j = 0; j < 64; ++j) a[i * 64 + j] += 1"
LATER = "int j = start; j < 64; ++j) a[i * 64 + j] += 1"
DOWN = "int j = 63; j >= 0; --j) a[i * 64 + j] += 1"


CACHED = """int j = 0; j < 60; ++j) {
            b[i * 64 + j] += a[i * 64 + j];
            for (int k = 0; k < 2; ++k) {
#pragma acc cache(a[i * 64 + j : 2])
                b[i * 64 + j] += k * a[i * 64 + j];
            }
        }"""


@pytest.mark.parametrize(
    ("first", "second", "waits"),
    [
        (OWN, "int j = 0; j < 64; ++j) b[i * 64 + j] = a[i * 64 + j]", False),
        (OWN, "int j = 0; j < n; ++j) b[i * 64 + j] = a[64 * i + j]", False),
        (OWN, "int j = 0; j < 32; ++j) b[i * 64 + j] = a[i * 64 + j + 128]", False),
        (LATER, LATER, False),
        (DOWN, DOWN, False),
        ("int j = 0; j < 40; ++j) rows[i][j] += 1", "int j = 0; j < 40; ++j) rows[i][j] *= 2", False),
        (OWN, "int j = 0; j < 64; ++j) b[i * 64 + j] = a[i * 64 + 63 - j]", True),
        (OWN, "int j = 0; j < 63; ++j) b[i * 64 + j] = a[i * 64 + j + 1]", True),
        (OWN, "int j = 1; j < 64; ++j) b[i * 64 + j] = a[i * 64 + j]", True),
        (OWN, "int j = 0; j < 64; j += 2) b[i * 64 + j] = a[i * 64 + j]", True),
        (OWN, "int j = 0; j < 64; ++j) b[i * 64 + j] = a[base + j]", False),
        (OWN, "int j = 0; j < 64; ++j) b[i * 64 + j] = a[(int)alias[j]]", True),
        (OWN, "int j = 0; j < 63; ++j) b[i * 64 + j] = a[i * 64 + j] + alias[(int)a[i * 64 + j + 1]]", True),
        (OWN, LATER, True),
        (OWN, DOWN, True),
        ("int j = 0; j < 64; ++j) alias[j] += 1", "int j = 0; j < 64; ++j) b[i * 64 + j] = alias[j]", False),
        ("int j = 0; j < 40; ++j) rows[i][j] += 1", "int j = 0; j < 40; ++j) b[j] = rows[0][i * 40 + j]", False),
        ("int j = 0; j < 40; ++j) rows[i][j] += 1", "int j = 0; j < 40; ++j) b[j] = rows[j][i]", True),
    ],
)
def test_threads_wait_where_they_take_elements_of_others(first: str, second: str, waits: bool, tmp_path: Path) -> None:
    assert _waits(PROGRAM.replace("FIRST", first).replace("SECOND", second).replace("CLAUSES", ""), tmp_path) is waits


@pytest.mark.parametrize("changes", ["", "base += 3;"])
def test_they_wait_where_the_base_changes_in_between(changes: str, tmp_path: Path) -> None:
    own = "int j = 0; j < 64; ++j) a[base + j] += 1"
    program = PROGRAM.replace("FIRST", own).replace("SECOND", own).replace("CLAUSES", "")
    assert _waits(
        f"{changes}\n#pragma acc loop vector".join(program.rsplit("#pragma acc loop vector", 1)), tmp_path
    ) is bool(changes)


def test_they_wait_where_a_pointer_moves_in_between(tmp_path: Path) -> None:
    own = "int j = 0; j < 60; ++j) p[j] += 1"
    program = PROGRAM.replace("FIRST", own).replace("SECOND", own).replace("CLAUSES", "")
    program = program.replace("int base = i * 64;", "float *p = a + i * 64;")
    parts = program.rsplit("#pragma acc loop vector", 1)
    assert _waits("p += 1;\n#pragma acc loop vector".join(parts), tmp_path)


def test_they_wait_where_a_tile_has_elements_of_others(tmp_path: Path) -> None:
    program = PROGRAM.replace("FIRST", OWN).replace("SECOND", CACHED).replace("CLAUSES", "")
    assert _waits(program, tmp_path, sharing=False)


def _waits(program: str, folder: Path, sharing: bool = True) -> bool:
    """Whether there is a barrier between the heads of the kernel's first loop and of its last one."""
    source = folder / "a.c"
    source.write_text(program)
    device = translate(str(source), Options(method="auto" if sharing else "rbi", sharing=sharing)).device
    kernel = device[device.index("__global__ void") :]
    first, *_, second = (found.start() for found in re.finditer(r"\bint j(_\w+)? = ", kernel))
    return "__syncthreads();" in kernel[first:second]
