"""Everything below a value: records in source order, and types once."""

from __future__ import annotations

from accache.base.text import Location
from accache.ir.build import INT, number
from accache.ir.nodes import nodes_below
from accache.ir.tree import Binary, Evaluate, Subscript, Variable
from accache.ir.types import Array

HERE = Location("a.c", 1)
ROW = Array(INT, Variable(INT, HERE, "n"))


def element(index: int) -> Subscript:
    """An element of an array whose length is a variable."""
    return Subscript(INT, HERE, Variable(ROW, HERE, "a"), number(index, HERE))


def test_a_type_of_several_expressions_is_entered_once() -> None:
    found = nodes_below(Evaluate(HERE, Binary(INT, HERE, "+", element(1), element(2))))
    assert [node.name for node in found if isinstance(node, Variable)] == ["a", "n", "a"]
    assert sum(node is ROW for node in found) == 1
