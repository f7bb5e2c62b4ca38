"""What one lane stores is the gang's where a condition holds in one iteration at most, and refused elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(const int *restrict a, int *restrict b, int *restrict at, volatile int *restrict bell, float x, int n, int m)
{{
#pragma acc parallel loop gang present(a, b, at, bell)
    for (int i = 0; i < n; ++i) {{
        int last = 0;
#pragma acc loop vector
        for (int j = 0; j < m; ++j) {{
            {body}
        }}
#pragma acc loop vector
        for (int j = 0; j < m; ++j)
            b[i*m + j] = last;
    }}
}}
"""


def is_taken(folder: Path, body: str) -> bool:
    path = folder / "a.c"
    path.write_text(PROGRAM.format(body=body))
    found: set[str] = set()
    try:
        translate(str(path), Options())
    except CompileError as error:
        found = {item.code for item in error.diagnostics}
    assert found <= {"ACC312"}
    return not found


@pytest.mark.parametrize(
    "body",
    [
        "if (j == i % m) last = a[j];",
        "if (i % m == j) last = a[j];",
        "if (j == (i & (m - 1))) last = a[j];",
        "if (j == i / 3) last = a[j];",
        "if (j == (i ^ 5) && a[j]) last = a[j];",
        "if (2*j - i % 5 == -(i >> 1)) last = a[j];",
        "if (j == a[i]) last = a[j];",
        "if (j != abs(i - m)) continue; last = a[j];",
        "const int k = i % m; if (j == k) last = a[j];",
        "int k = j - i % m; if (k == 3) last = a[j];",
        "if (j == (int)(i * x)) last = a[j];",
    ],
)
def test_one_value_for_all_iterations_picks_one(body: str, tmp_path: Path) -> None:
    assert is_taken(tmp_path, body)


@pytest.mark.parametrize(
    "body",
    [
        "if (j == j % m) last = a[j];",
        "if (j % m == i % m) last = a[j];",
        "if (j == (i & j)) last = a[j];",
        "if (j == a[j]) last = a[j];",
        "if (j == i * x) last = a[j];",  # as floats several numbers are one
        "if (j == at[i]) last = a[j]; at[j] = 1;",
        "if (j == *bell) last = a[j];",
        "if (j == bell[i]) last = a[j];",
        "int k = i % m; k += j; if (j == k) last = a[j];",
        "if (j == i % m) last = a[j]; if (j == (i + 1) % m) last = a[j];",
        "char k = i % m; if (j == k) last = a[j]; if (j == i % m) last = a[j];",
    ],
)
def test_what_several_iterations_may_store_is_refused(body: str, tmp_path: Path) -> None:
    assert not is_taken(tmp_path, body)
