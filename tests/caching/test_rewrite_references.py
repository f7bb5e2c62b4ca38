"""Which references a tile serves, and where in it each element lies."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from plans import Plan, cached, plans

from accache.emit.expressions import ExpressionPrinter
from accache.ir.simt import TileAccess
from accache.ir.tree import Subscript
from accache.ir.walk import walk


def references(case: Plan) -> Iterable[str]:
    """The references of a kernel's body, those that a tile serves with their place in it."""
    printer = ExpressionPrinter({})
    for kernel in cached(case):
        served = [node for node in walk(kernel.body) if isinstance(node, TileAccess)]
        originals = {id(part) for access in served for part in walk(access.original)}
        for access in served:
            places = "".join(f"[{printer.expression(position)}]" for position in access.positions)
            yield f"{printer.expression(access.original)} is {access.tile.name}{places}"
        for node in walk(kernel.body):
            if isinstance(node, Subscript) and id(node) not in originals:
                yield f"{printer.expression(node)} is memory"


@pytest.mark.parametrize("case", plans(__file__, "references"), ids=str)
def test_references(case: Plan, update_golden: bool) -> None:
    case.holds(references(case), update_golden)
