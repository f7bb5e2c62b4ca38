"""The accesses of a variable's memory in the order in which a statement makes them when it runs for the first time."""

from __future__ import annotations

import pytest

from accache.analysis.first_access import accesses
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.reading import read_program

PROGRAM = """
#pragma acc routine seq
static void reads(const float *p) {{ (void)p[0]; }}
#pragma acc routine seq
static void writes(float *p) {{ p[0] = 1; }}
void f(int n, float *a, float *b, const int *k)
{{
#pragma acc serial copy(a[0:n], b[0:n]) copyin(k[0:n])
    {{
        float t = 0, u[4];
        {statements}
    }}
}}
"""


def order(statements: str, name: str = "a", **how: bool) -> str:
    """R and W for certain reads and what may be writes, r for reads that may not happen."""
    source = SourceFile("t.c", PROGRAM.format(statements=statements))
    (region,) = read_program(source, Options(), Reporter()).program.regions
    found = accesses(region.body, name, **how)
    return "".join("W" if not item.is_read else "R" if item.is_certain else "r" for item in found)


@pytest.mark.parametrize(
    ("statements", "wanted"),
    [
        ("b[0] = a[1];", "R"),
        ("a[1] = b[0];", "W"),
        ("a[1] = a[0];", "RW"),
        ("a[1] += 2;", "RW"),
        ("a[1]++;", "RW"),
        ("b[0] = n && a[0];", "r"),
        ("b[0] = n ? a[0] : a[1];", "rr"),
        ("if (n) b[0] = a[0];", "r"),
        ("if (1) b[0] = a[0]; else b[1] = a[1];", "R"),
        ("for (int i = 0; i < n; i++) b[i] = a[i];", "R"),
        ("for (int i = 0; i < 0; i++) b[i] = a[i];", ""),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) b[i] = a[j];", "r"),
        ("for (int i = 0; i < n; i++) for (int j = k[i]; j < 9; j++) b[i] = a[j];", "r"),
        ("for (int i = 0; i < n; i++) { if (k[i]) break; b[i] = a[i]; }", "r"),
        ("while (n > 3) b[0] = a[0];", "r"),
        ("do b[0] = a[0]; while (n > 3);", "R"),
        ("switch (n) { case 1: b[0] = a[0]; }", "r"),
        ("b[0] = sizeof a[0];", ""),
        ("reads(a);", "r"),
        ("writes(a);", "W"),
        ("reads(b); writes(b);", ""),
        ("float *p = a; p[0] = 1;", "W"),
        ("b[(int)a[0]] = 1;", "R"),
    ],
)
def test_order(statements: str, wanted: str) -> None:
    assert order(statements) == wanted


def test_other_pointers_may_lead_there() -> None:
    assert order("b[0] = a[1];", is_apart=False) == "RW"
    assert order("writes(b); t = a[1];", is_apart=False) == "WR"
    assert order("t = b[0] + a[1];", is_apart=False) == "R"


def test_a_variable_of_its_own() -> None:
    assert order("b[0] = t; t = 1;", "t", is_own=True) == "RW"
    assert order("b[0] = u[1]; u[1] = 1;", "u", is_own=True) == "RW"
    assert order("reads(&t); writes(&t);", "t", is_own=True) == "rW"
