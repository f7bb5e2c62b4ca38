"""Types, polynomials and expressions as ``--dump-after`` shows them: as C, lowered or not, with their unique names."""

from __future__ import annotations

from accache.base.text import Location
from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.emit.spelling import Dialect
from accache.ir import tree
from accache.ir.kernels import simt, tiles
from accache.ir.polynomial import Polynomial
from accache.ir.types import CType

_C = Dialect("_Bool")


def text_of(value: object) -> str | None:
    """The text of a value that a reader wants as one; None for others."""
    if isinstance(value, (Polynomial, Location)):
        return str(value)
    if isinstance(value, tree.Expr):
        return _PRINTER.expression(value)
    return _PRINTER.type(value) if isinstance(value, CType) else None


class _Printer(ExpressionPrinter):
    """Prints what was not lowered, too; nothing has another name than in the tree."""

    def name(self, unique: str) -> str:
        """The variable's own name."""
        return unique

    def symbol(self, name: str) -> str:
        """The symbol itself."""
        return name

    def polynomial(self, polynomial: Polynomial, ctype: str = "") -> str:
        """The polynomial as it is; casts and parentheses of emitted text are left out."""
        return polynomial.to_c()

    def _expression(self, expr: tree.Expr) -> tuple[str, int]:
        if isinstance(expr, (simt.WholeBlock, simt.CountThreads)):
            return f"{type(expr).__name__}({self.expression(expr.condition)})", LEVELS["postfix"]
        return super()._expression(expr)


def _access(printer: ExpressionPrinter, access: tiles.TileAccess, operator: str, value: str | None) -> str:
    place = access.tile.name + "".join(f"[{printer.expression(position)}]" for position in access.positions)
    if value is not None:
        return f"{place} {operator} {value}"
    return f"{place}{operator[1:]}" if operator.startswith("p") else f"{operator}{place}"


def _cell(printer: ExpressionPrinter, cell: tiles.TileCell) -> str:
    place = "".join(f"[{printer.expression(position)}]" for position in cell.positions)
    return f"{cell.tile.name}.{cell.part}{place}"


_PRINTER = _Printer({}, _access, _cell, dialect=_C)
