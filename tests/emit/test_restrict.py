"""``__restrict__`` of kernels without a tile: where C says that no two of their arrays are one memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
float declared[100], other[100];
struct pair { float first, second[9]; };
void f(int n, float one, struct pair pair, PARAMETERS)
{
#pragma acc parallel loop copy(one, pair)
    for (int i = 0; i < n; ++i)
        STATEMENT
}
"""


@pytest.mark.parametrize(
    ("parameters", "statement", "is_promised"),
    [
        ("float *restrict a, const float *restrict b", "a[i] = b[i];", True),
        ("float *restrict a, const float *b", "a[i] = b[i];", True),
        ("float *a, const int *b", "a[i] = b[i];", True),
        ("float *a, const float *b", "a[i] = b[i];", False),
        ("float *a, const char *b", "a[i] = b[i];", False),
        ("int *a, const unsigned *b", "a[i] = b[i];", False),
        ("const float *a, const float *b", "declared[i] = a[i] + b[i];", False),
        ("int *a, const int *b", "declared[i] = other[i];", True),
        ("float *a, const int *b", "a[i] = declared[i];", False),
        ("float *a, const int *b", "a[i] = one;", False),
        ("float *restrict a, const int *b", "a[i] = one;", True),
        ("int *a, const int *b", "a[i] = one;", True),
        ("float *a, const int *b", "pair.second[i] = a[i];", False),
        ("int *a, float **b", "a[i] = b[0][i];", False),
    ],
)
def test_a_kernel_promises_what_c_promises(parameters: str, statement: str, is_promised: bool, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.replace("PARAMETERS", parameters).replace("STATEMENT", statement))
    head = next(line for line in translate(str(source), Options()).device.splitlines() if "__global__" in line)
    assert ("__restrict__" in head) == is_promised, head
