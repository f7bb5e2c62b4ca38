"""The grid that a report tells is the one launched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accache.report.text import Report

NEST = """
static float a[{rows}][{columns}];
void f(void)
{{
#pragma acc parallel loop collapse(2) copy(a)
    for (int i = 0; i < {rows}; ++i)
        for (int j = 0; j < {columns}; ++j)
            a[i][j] += 1;
}}
"""


@pytest.mark.parametrize(
    ("rows", "columns", "grid"),
    [(600000, 40, ["2", "65535"]), (6000000, 3, ["70589", "1"]), (600000, 3, ["1", "7059"]), (400, 40, ["2", "50"])],
)
def test_blocks_on_y(rows: int, columns: int, grid: list[str], explain: Callable[..., Report]) -> None:
    (kernel,) = explain(NEST.format(rows=rows, columns=columns)).kernels
    assert [number.formula for number in kernel.grid] == grid


def test_a_limit_of_blocks_is_told(explain: Callable[..., Report]) -> None:
    report = explain(
        "float f(int n, int m, const float *restrict a)\n{\n    float most = 0;\n"
        "#pragma acc parallel loop collapse(2) reduction(max:most) copyin(a[0:n*m])\n"
        "    for (int i = 0; i < n; ++i)\n        for (int j = 0; j < m; ++j)\n"
        "            most = a[i*m + j] > most ? a[i*m + j] : most;\n    return most;\n}\n"
    )
    assert report.kernels[0].most_blocks == 1024
    assert "grid ceil(m/32) x ceil(n/8), 1024 blocks at most\n" in str(report)
