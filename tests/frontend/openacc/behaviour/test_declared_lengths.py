"""When a clause that names a parameter alone means the array that it is declared as, and when the pointer."""

from __future__ import annotations

import pytest

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source

PROGRAM = """int length;
int next(int n);
void f(int n, int m, float *p, {parameter})
{{
    {before}
#pragma acc data {clause}(a)
    {{
        p[0] = 1;
    }}
    {behind}
}}
"""


def codes(clause: str, parameter: str, before: str = "", behind: str = "") -> list[str]:
    reporter = Reporter()
    text = PROGRAM.format(clause=clause, parameter=parameter, before=before, behind=behind)
    map_source(SourceFile("a.c", text), Options(), reporter)
    return [item.code for item in reporter.diagnostics]


@pytest.mark.parametrize("clause", ["copy", "copyin", "copyout", "create"])
@pytest.mark.parametrize("parameter", ["float a[10]", "float a[n]", "float a[static n]", "float a[2*n+m][4]"])
def test_a_declared_length_is_mapped(clause: str, parameter: str) -> None:
    assert codes(clause, parameter) == ["ACC254"]


@pytest.mark.parametrize(
    ("parameter", "before", "behind"),
    [
        ("float *a", "", ""),
        ("float a[]", "", ""),
        ("float a[n]", "++n;", ""),
        ("float a[n]", "", "n = 0;"),
        ("float a[n]", "int *q = &n; *q = 3;", ""),
        ("float a[n + m]", "m = 3;", ""),
        ("float a[length]", "", ""),
        ("float a[next(n)]", "", ""),
        ("float a[(int)*p]", "", ""),
        ("float a[n]", "a += 2;", ""),
        ("float a[n]", "", "float **q = &a; *q = p;"),
        ("float a[n]", "{ int n = m;", "}"),
    ],
)
def test_a_length_that_may_differ_is_not(parameter: str, before: str, behind: str) -> None:
    assert codes("copyin", parameter, before, behind) == ["ACC253"]
