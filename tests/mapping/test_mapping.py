"""Which loops become axes of grid and block, and the shape of the launch."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from plans import Plan, mapped, plans

from accache.emit.expressions import ExpressionPrinter
from accache.ir.kernels.simt import ParallelFor
from accache.ir.tree import For
from accache.ir.walk import walk


def mapping(case: Plan) -> Iterable[str]:
    """The kernels, and the loops in each from the outermost on."""
    printer = ExpressionPrinter({})
    for kernel in mapped(case):
        gangs = f", {' x '.join(map(printer.expression, kernel.shape.gangs))} blocks" if kernel.shape.gangs else ""
        yield f"{kernel.name}: {' x '.join(map(str, kernel.shape.block))} threads a block{gangs}"
        for node in walk(kernel.body):
            if isinstance(node, ParallelFor):
                head = node.loop
                bounds = f"{printer.expression(head.first)} {head.operator} {printer.expression(head.limit)}"
                how = "" if node.covered else ", strides"
                reduced = "".join(f", reduces {item.variable} by {item.operator}" for item in node.reductions)
                axes = f"grid {node.grid or '-'}, block {node.block or '-'}: {node.threads} threads"
                yield f"  {head.variable} from {bounds} by {head.step}: {axes}{how}{reduced}"
            elif isinstance(node, For):
                yield "  a sequential loop"


@pytest.mark.parametrize("case", plans(__file__, "mapping"), ids=str)
def test_mapping(case: Plan, update_golden: bool) -> None:
    case.holds(mapping(case), update_golden)
