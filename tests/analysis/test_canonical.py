"""Loops that end where their variable arrives at a number."""

from __future__ import annotations

import pytest

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.tree import For
from accache.ir.walk import walk


def form(head: str) -> CanonicalLoop | str:
    """The canonical form of a loop."""
    text = f"void f(int *a, int n)\n{{\n#pragma acc parallel copy(a[0:200])\n    for ({head}) a[i] = n;\n}}\n"
    [[kernel]] = map_source(SourceFile("a.c", text), Options(), Reporter()).mapped
    [loop] = [node for node in walk(kernel.source) if isinstance(node, For)]
    return canonical_loop(loop)


@pytest.mark.parametrize(
    ("head", "operator", "trips"),
    [
        ("int i = 0; i != 100; i += 4", "<", 25),
        ("int i = 0; i != 100; ++i", "<", 100),
        ("int i = 99; i != -1; i -= 5", ">", 20),
        ("unsigned char i = 0; i != 200; i += 50", "<", 4),
        ("int i = 7; i != 7; i += 3", "<", 0),
    ],
)
def test_steps_that_arrive(head: str, operator: str, trips: int) -> None:
    found = form(head)
    assert isinstance(found, CanonicalLoop)
    assert (found.operator, constant_trips(found)) == (operator, trips)


@pytest.mark.parametrize(
    "head", ["int i = 0; i != 101; i += 4", "int i = 4; i != 0; i += 4", "int i = 0; i != n; i += 2"]
)
def test_steps_that_may_never_arrive(head: str) -> None:
    assert form(head) == "its condition is != and its steps are not known to arrive at the limit"
