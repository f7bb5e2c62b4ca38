"""Launches look at the limits of loops over which threads stride, where they know them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(float *restrict a, const int *restrict row, int first, int n, int m, long l, unsigned u)
{{
{directive}
    for (int i = 0; i < n; ++i) {{
        {body}
    }}
}}
"""
GANG = "#pragma acc parallel loop gang present(a, row)"
VECTOR = "float t = 0;\n#pragma acc loop vector reduction(+: t)\nfor ({}) t += a[j]; a[i] = t;"
AGAIN = "\n#pragma acc loop vector\nfor ({}) a[j] = i;"


def checks(folder: Path, body: str, directive: str = GANG) -> set[tuple[str, int, str]]:
    path = folder / "a.c"
    path.write_text(PROGRAM.format(directive=directive, body=body))
    found = re.findall(r"^ +accache_strides\(\(long long\)(.*), (-?\d+), \"(\w+)\"\);", _device(path), re.MULTILINE)
    return {(limit, int(stride), name) for limit, stride, name in found}


def _device(path: Path) -> str:
    return translate(str(path), Options()).device


@pytest.mark.parametrize(
    ("body", "directive", "expected"),
    [
        (VECTOR.format("int j = 0; j < m; ++j"), GANG + " vector_length(96)", {("m", 96, "j")}),
        (VECTOR.format("int j = first; j < m - 1; ++j"), GANG + " vector_length(64)", {("(m - 1)", 64, "j")}),
        (VECTOR.format("int j = m; j > first; j -= 2"), GANG + " vector_length(64)", {("first", -128, "j")}),
        (
            VECTOR.format("int j = 0; j < m; ++j") + AGAIN.format("int j = 0; j < m; j += 2"),
            GANG + " vector_length(64)",
            {("m", 128, "j")},
        ),
    ],
)
def test_limits_are_looked_at(body: str, directive: str, expected: set[tuple[str, int, str]], tmp_path: Path) -> None:
    assert checks(tmp_path, body, directive) == expected


@pytest.mark.parametrize(
    "body",
    [
        VECTOR.format("int j = 0; j < 1000; ++j"),
        VECTOR.format("int j = row[i]; j < row[i + 1]; ++j"),  # which the host would have to load
        VECTOR.format("int j = 0; j < i; ++j"),
        VECTOR.format("long j = 0; j < l; ++j"),
        VECTOR.format("unsigned j = 0; j < u; ++j"),
        "if (row[i]) {" + AGAIN.format("int j = 0; j < m; ++j") + "}",  # m may be any number where this never is
        "a[i] = i;",
    ],
)
def test_others_are_not(body: str, tmp_path: Path) -> None:
    assert not checks(tmp_path, body)
