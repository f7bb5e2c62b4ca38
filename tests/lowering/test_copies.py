"""Copies of tiles of which threads have several cells: whole ones are copied without a question of each cell."""

from __future__ import annotations

from pathlib import Path

from matrix.builder import Program
from matrix.harness import Batch, Case
from msgspec.structs import replace

from accache.base.options import Options
from accache.driver import translate

BLUR = """#include <stdio.h>
#include <stdlib.h>
static void blur(int n, int m, const float *restrict a, float *restrict c)
{
#pragma acc parallel loop copyin(a[0:n*m]) copy(c[0:n*m])
    for (int i = 0; i < n; ++i)
#pragma acc loop
        for (int j = 0; j < m; ++j) {
#pragma acc cache(a[i-9:19][j-9:19])
            float sum = 2*a[i*m + j];
            for (int r = -9; r <= 9; ++r)
                for (int s = -9; s <= 9; ++s)
                    if (i + r >= 0 && i + r < n && j + s >= 0 && j + s < m)
                        sum += a[(i + r)*m + j + s];
            c[i*m + j] = sum;
        }
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    float *a = malloc(sizeof(float) * n*m), *c = malloc(sizeof(float) * n*m);
    for (int i = 0; i < n*m; ++i) {
        a[i] = (i * 7 + seed) % 11;
        c[i] = 0;
    }
    blur(n, m, a, c);
    unsigned hash = 0;
    for (int i = 0; i < n*m; ++i)
        hash = hash*31 + (unsigned)(int)c[i];
    printf("%u\\n", hash);
    return 0;
}
"""
ONE_ITERATION = Options(method="rbi", tune="off", coarsen="off")


def test_a_whole_tile_is_one_of_which_all_cells_are_asked_for(tmp_path: Path) -> None:
    source = tmp_path / "blur.c"
    source.write_text(BLUR)
    found = translate(str(source), replace(ONE_ITERATION, runtime=False)).device
    quick, _, rarely = found[found.index("_a_fetch(") :].partition("} else {")
    assert "if (rows == 34 && columns == 34 && pitch >= 0 && " in quick
    assert "if (k < 1156)\n" in quick  # five rounds of 256 threads have 1280 cells
    assert "if (row < rows && column < columns && " in rarely.partition("\n}")[0]


def test_blocks_at_the_edges_copy_what_there_is(tmp_path: Path) -> None:
    sizes = ((5, 6), (34, 34), (40, 51), (70, 66))
    batch = Batch(tmp_path, [Case(Program("blur", BLUR, sizes, ()), ONE_ITERATION)])
    assert batch.failures == []
    assert batch.differences(check=True) == []
