"""Host code that uses a routine with nohost is refused, as gcc refuses to link it; kernels may call the routine."""

from __future__ import annotations

import pytest

from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source

ROUTINE = "#pragma acc routine seq nohost\nint twice(int x) { return 2 * x; }\n"
LOOP = "#pragma acc parallel loop copy(a[0:n])%s\n    for (int i = 0; i < n; ++i)\n        a[i] = twice(a[i]);\n"


def codes(text: str) -> list[str]:
    """The codes that a program with the routine gets."""
    reporter = Reporter()
    try:
        map_source(SourceFile("a.c", ROUTINE + text), Options(), reporter)
    except CompileError:
        assert reporter.has_errors
    return [diagnostic.code for diagnostic in reporter.diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        "int f(void) { return twice(3); }\n",
        "int f(int *a, int n)\n{\n" + LOOP % "" + "    return twice(n);\n}\n",
        "void f(int *a, int n)\n{\n#pragma acc data copy(a[0:n])\n    a[0] = twice(n);\n}\n",
        "int f(void) { extern int twice(int x); return twice(3); }\n",
        "int (*f)(int) = twice;\n",
        "#pragma acc routine seq\nint f(int x) { return twice(x); }\n",
        "int f(int x) { return twice(x); }\n#pragma acc routine(f) seq\n",
        "void f(int n)\n{\n    switch (n) {\n    case 1:\n        twice(n);\n    }\n}\n",
    ],
)
def test_the_host_has_no_version_of_it(text: str) -> None:
    assert codes(text) == ["ACC358"]


@pytest.mark.parametrize(
    "text",
    [
        "void f(int *a, int n)\n{\n" + LOOP % "" + "}\n",
        "void f(int *a, int n)\n{\n    if (n)\n" + LOOP % "" + "}\n",
        "void f(int *a, int n)\n{\n" + LOOP % " if(n > 9)" + "}\n",
        "void f(int *a, int n)\n{\n    switch (n) {\n    case 1:\n" + LOOP % "" + "    }\n}\n",
        "#pragma acc routine seq nohost\nint f(int x) { return twice(x); }\n",
        "int f(int twice) { return twice; }\n",
        "struct s { int twice; };\nint f(void) { struct s v = {.twice = 1}; return v.twice; }\n",
    ],
)
def test_kernels_and_routines_like_it_may_call_it(text: str) -> None:
    assert codes(text) == []
