"""Estimates of loops and indices that edges change: they tell what runs far from the edges."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void f(int n, int m, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop gang copyin(a[0:n*m]) copyout(b[0:n*m])
    for (int y = 0; y < n; ++y)
#pragma acc loop vector
        for (int x = 0; x < m; ++x) {{
            float s = 0;
            {loops}
            b[y*m + x] = s;
        }}
}}
"""
PLAIN = "for (int r = y - 2; r <= y + 2; ++r) s += a[r*m + x];"
WINDOWS = {
    "choices": "for (int r = MAX(y - 2, 0); r <= MIN(y + 2, n - 1); ++r) s += a[r*m + x];",
    "names": "int low = MAX(y - 2, 0), high = MIN(n - 1, y + 2); for (int r = low; r <= high; ++r) s += a[r*m + x];",
    "moved": "int low = y - 2, high = y + 2; if (low < 0) low = 0; if (high >= n) high = n - 1;"
    "for (int r = low; r <= high; ++r) s += a[r*m + x];",
}
ROWS = "for (int k = -2; k <= 2; ++k) {{ int r = y + k; {moves} s += a[r*m + x]; }}"


def sectors(tmp_path: Path, loops: str) -> float:
    """What a warp is estimated to move with one iteration a thread."""
    path = tmp_path / "a.c"
    path.write_text(PROGRAM.format(loops=loops))
    kernel = translate(str(path), Options()).report.kernels[0]
    return next(item.sectors for item in kernel.candidates if item.name == "plain")


@pytest.mark.parametrize("name", WINDOWS)
def test_a_clipped_window_costs_what_a_whole_one_does(name: str, tmp_path: Path) -> None:
    assert sectors(tmp_path, WINDOWS[name]) == pytest.approx(sectors(tmp_path, PLAIN), rel=0.05)


def test_an_index_that_moves_on_is_no_edge(tmp_path: Path) -> None:
    moves = "int r = y; for (int k = 0; k < 5; ++k) { s += a[r*m + x]; if (k & 1) r += 3; }"
    stays = "int r = y; for (int k = 0; k < 5; ++k) { s += a[r*m + x]; if (r < 0) r = 0; }"
    assert sectors(tmp_path, moves) > 2 * sectors(tmp_path, stays)


def test_a_row_that_all_lanes_have_in_common_is_read_side_by_side(tmp_path: Path) -> None:
    moved = ROWS.format(moves="if (r < 0) r = 0; if (r > n - 1) r = n - 1;")
    assert sectors(tmp_path, moved) == pytest.approx(sectors(tmp_path, ROWS.format(moves="")), rel=0.2)
    own = ROWS.format(moves="if (x & 1) r = 0;")
    assert sectors(tmp_path, own) > 3 * sectors(tmp_path, moved)
