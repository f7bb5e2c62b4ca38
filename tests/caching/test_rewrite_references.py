"""Which references a tile serves, and where in it each element lies."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from plans import Plan, cached, plans

from accache.emit.expressions import ExpressionPrinter
from accache.ir.kernels.tiles import TileAccess
from accache.ir.tree import Declare, Subscript
from accache.ir.walk import walk


def references(case: Plan) -> Iterable[str]:
    """The references of a kernel's body, those that a tile serves with their place in it; what threads write back."""
    printer = ExpressionPrinter({})
    for kernel in cached(case):
        for owned in (each.tile.owned for each in kernel.decisions if each.tile is not None):
            if owned is not None:
                places = "".join(f"[{printer.expression(position)}]" for position in owned.positions)
                yield f"each thread writes {owned.tile.name}{places} back to {printer.expression(owned.original)}"
        served = [node for node in walk(kernel.body) if isinstance(node, TileAccess)]
        originals = {id(part) for access in served for part in walk(access.original)}
        for access in served:
            if access.tile.lines is not None:
                yield f"{printer.expression(access.original)} lies in a line"
                continue
            places = "".join(f"[{printer.expression(position)}]" for position in access.positions)
            yield f"{printer.expression(access.original)} is {access.tile.name}{places}"
        if temporaries := [node.name for node in walk(kernel.body) if isinstance(node, Declare)]:
            yield f"declared: {', '.join(temporaries)}"
        for node in walk(kernel.body):
            parts = tuple(walk(node)) if isinstance(node, Subscript) and id(node) not in originals else ()
            if any(isinstance(part, TileAccess) for part in parts):
                yield "an element of what lies in a line"
            elif isinstance(node, Subscript) and parts:
                yield f"{printer.expression(node)} is memory"


@pytest.mark.parametrize("case", plans(__file__, "references"), ids=str)
def test_references(case: Plan, update_golden: bool) -> None:
    case.holds(references(case), update_golden)
