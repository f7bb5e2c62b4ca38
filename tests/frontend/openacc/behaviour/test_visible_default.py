"""The default clause of a data construct holds for compute constructs in it that have none (OpenACC 3.3, 2.5.16)."""

from __future__ import annotations

import pytest

from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source

PROGRAM = """void f(float *a, float *b, int n)
{{
#pragma acc data {outer} copyin(b[0:n])
    {{
#pragma acc data {middle} copyin(b[0:n])
#pragma acc parallel loop {inner}
        for (int i = 0; i < n; ++i)
            a[i] = b[i];
    }}
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}}
"""


def source(outer: str, middle: str, inner: str) -> SourceFile:
    return SourceFile("a.c", PROGRAM.format(outer=outer, middle=middle, inner=inner))


@pytest.mark.parametrize(
    ("outer", "middle", "inner", "wanted"),
    [
        ("default(present)", "", "", "present"),
        ("default(none)", "default(present)", "", "present"),
        ("default(none)", "", "default(present)", "present"),
        ("", "", "", ""),
    ],
)
def test_the_nearest_default_counts(outer: str, middle: str, inner: str, wanted: str) -> None:
    regions = map_source(source(outer, middle, inner), Options(), Reporter()).program.regions
    assert [region.default for region in regions] == [wanted, ""]


@pytest.mark.parametrize(("outer", "middle"), [("default(none)", ""), ("default(present)", "default(none)")])
def test_default_none_around_a_construct_asks_for_clauses(outer: str, middle: str) -> None:
    with pytest.raises(CompileError) as caught:
        map_source(source(outer, middle, ""), Options(), Reporter())
    assert [(found.code, found.location.line) for found in caught.value.diagnostics] == [("ACC248", 6)]
