"""The grid of a launch as C text: trip counts of loops, and the extents made from them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.emit.host.fetched import FetchingPrinter
from accache.emit.sections import quoted
from accache.ir.kernels.launch_plan import (
    AskedAxis,
    Axis,
    Count,
    CountedAxis,
    DifferenceCount,
    ExpressionCount,
    GridPlan,
    StrideCheck,
)
from accache.ir.names import user_name
from accache.ir.tree import Expr


class GridPrinter(Struct, frozen=True):
    """Prints grids.

    ``printer`` prints the host's values, ``fetching`` what the kernel would compute; ``own`` gives names of the
    launch's own.
    """

    printer: ExpressionPrinter
    fetching: FetchingPrinter
    own: Callable[[str], str]

    def declarations(self, grid: GridPlan) -> list[str]:
        """The statements that count iterations, and those that end the program where such a grid would not do."""
        counts = [(self.count_name(axis.variable), self.count(axis.count)) for axis in grid.counted]
        declared = [f"const long long {name} = {value};" for name, value in counts]
        return [*declared, *map(self.check, grid.checks)]

    def condition(self, grid: GridPlan) -> str:
        """Whether there is a block, as far as the run decides it; '' where it does not."""
        return " && ".join(f"{self.count_name(axis.variable)} > 0" for axis in grid.counted)

    def extents(self, grid: GridPlan) -> list[str]:
        """The extents, x first; the last one is made smaller where there would be too many blocks."""
        extents = [self.extent(axis) for axis in grid.axes]
        if not grid.most:
            return extents
        *others, last = extents
        product = " * ".join(others if len(others) < 2 else [f"({extent})" for extent in others])
        limit = "accache_quarter_first" if grid.quarter_first else "accache_at_most"
        return [*others, f"{limit}({', '.join([str(grid.most), last, *([product] if others else [])])})"]

    def extent(self, axis: Axis) -> str:
        """How many blocks an axis has."""
        if isinstance(axis, CountedAxis):
            name, threads = self.count_name(axis.variable), axis.threads
            return name if threads == 1 else f"({name} + {threads - 1}) / {threads}"
        if isinstance(axis, AskedAxis):
            text = self.printer.expression(axis.size)
            return text if text.isdigit() else f"{text} > 0 ? {text} : 1"
        return str(axis)

    def check(self, check: StrideCheck) -> str:
        """The statement that ends the program if an int that strides would pass the end of its type."""
        return f"accache_strides({self.widened(check.limit)}, {check.stride}, {quoted(user_name(check.variable))});"

    def count_name(self, variable: str) -> str:
        """The name of the count of a loop's iterations."""
        return self.own(f"{user_name(variable)}_count")

    def count(self, count: Count) -> str:
        """How many iterations a loop has, zero or negative if none."""
        if isinstance(count, ExpressionCount):
            return self.fetching.expression(count.expr)
        if isinstance(count, DifferenceCount):
            high = self.widened(count.high)
            text = high if count.low is None else f"{high} - {self.widened(count.low)}"
            text += f" + {count.extra}" if count.extra else ""
            is_simple = count.low is None and not count.extra
        else:
            text = self.fetching.polynomial(count.span, "long long" if count.is_wide else "")
            is_simple = len(count.span.terms) == 1
        if count.distance == 1:
            return text
        return f"{text} / {count.distance}" if is_simple else f"({text}) / {count.distance}"

    def widened(self, expr: Expr) -> str:
        """An operand in 64 bits."""
        return f"(long long){self.fetching.expression(expr, LEVELS['unary'])}"
