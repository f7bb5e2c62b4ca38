"""The host's version of a construct, which an if or self clause may choose: its copies of variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
int f(int on, int *restrict a)
{
    int x = 5, sum = 0;
#pragma acc DIRECTIVE if(on) copy(a[0:9])
    STATEMENT
    return x + sum;
}
"""
SUMMED = "for (int i = 0; i < 9; ++i) { x = a[i]; sum += x; a[i] = x; }"


@pytest.mark.parametrize(
    ("directive", "statement", "copies"),
    [
        ("parallel num_gangs(1)", "{ x = 99; a[0] = x; }", "int x;"),
        ("parallel num_gangs(1)", "{ a[0] = x; x = 99; }", "int x = x_first;"),
        ("parallel num_gangs(1)", "{ a[0] = x; }", ""),
        ("parallel loop reduction(+: sum)", SUMMED, "int x;"),
        ("serial copy(x)", "{ x = 99; a[0] = x; }", ""),
        ("kernels", "{ x = 99; a[0] = x; }", ""),
    ],
)
def test_the_host_writes_to_copies_of_what_the_program_has(
    directive: str, statement: str, copies: str, tmp_path: Path
) -> None:
    """Kernels have a variable of their own for what they write first: the host's version needs a copy all the same."""
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.replace("DIRECTIVE", directive).replace("STATEMENT", statement))
    _, _, behind = translate(str(source), Options()).host.partition("} else {")
    declared = [line.strip() for line in behind.partition("return")[0].splitlines() if line.strip().startswith("int x")]
    assert declared == ([copies] if copies else [])
