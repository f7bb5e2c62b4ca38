"""Threads that reduce arrays have several iterations each."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(int n, int m, int (*restrict a)[m], const int *restrict b)
{
    float sum[20] = {0};
    int other[300] = {0}, one = 0;
#pragma acc parallel loop CLAUSES copyin(b[0:n])
    for (int i = 0; i < n; ++i) {
        sum[b[i] % 20] += i;
        other[b[i] % 300] += 1;
        one += b[i];
    }
    a[0][0] = sum[3] + other[7] + one;
}
"""


@pytest.mark.parametrize(
    ("clauses", "grid", "step"),
    [
        ("reduction(+:sum) private(other, one)", "accache_at_most(1024, (i_count + 5119) / 5120)", "256*gridDim.x"),
        ("reduction(+:sum, other, one)", "accache_at_most(1024, (i_count + 16383) / 16384)", "256*gridDim.x"),
        ("reduction(+:one) private(sum, other)", "accache_at_most(1024, (i_count + 255) / 256)", "262144"),
    ],
)
def test_threads_have_an_iteration_for_each_element(clauses: str, grid: str, step: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.replace("CLAUSES", clauses))
    made = translate(str(source), Options())
    assert f"const dim3 grid({grid});" in made.device
    assert f"i += {step})" in made.device
