"""Expressions of a launch stub about the device's memory, whose values may differ from the host's.

Before: ``i < n`` with ``n`` in a data clause. After: ``accache_load(n_device)``, what the kernel will find there.
"""

from __future__ import annotations

from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.ir import tree
from accache.ir.types import Array, Pointer, Record, resolve
from accache.ir.walk import used_variables


class FetchingPrinter(ExpressionPrinter, dict=True):
    """Prints what the device would compute: values of ``mapped`` variables are fetched.

    Of these ``names`` hold the device addresses; those of them that are ``dereferenced`` are scalars and structures.
    """

    mapped: frozenset[str] = frozenset()

    def symbol(self, name: str) -> str:
        """A polynomial's symbol; scalars in device memory are fetched."""
        is_fetched = name in self.mapped & self.dereferenced
        return f"accache_load({self.name(name)})" if is_fetched else super().symbol(name)

    def _expression(self, expr: tree.Expr) -> tuple[str, int]:
        printed = super()._expression(expr)
        match expr:
            case tree.Variable():
                is_fetched = expr.name in self.mapped & self.dereferenced
                is_fetched &= not isinstance(resolve(expr.type), Record)
                return (f"accache_load({self.name(expr.name)})", LEVELS["postfix"]) if is_fetched else printed
            case tree.Member():
                return self._member_fetched(expr, printed)
            case tree.Subscript() | tree.Unary(op="*"):
                return self._fetched(expr, printed)
            case _:
                return printed

    def _member_fetched(self, expr: tree.Member, printed: tuple[str, int]) -> tuple[str, int]:
        """A member of a structure; of a bit-field the structure is fetched."""
        if expr.bits is None or not self._is_mapped(expr):
            return self._fetched(expr, printed)
        whole = tree.Unary(Pointer(expr.base.type), expr.location, "&", expr.base)
        address = self.expression(expr.base if expr.arrow else whole)
        return f"accache_load({address}).{expr.field}", LEVELS["postfix"]

    def _fetched(self, place: tree.Expr, printed: tuple[str, int]) -> tuple[str, int]:
        """A place of a single value in device memory, fetched; any other place as it is."""
        if isinstance(resolve(place.type), (Array, Record)) or not self._is_mapped(place):
            return printed
        return f"accache_load(&{printed[0]})", LEVELS["postfix"]

    def _is_mapped(self, place: tree.Expr) -> bool:
        """Whether a place lies in device memory."""
        while isinstance(place, (tree.Subscript, tree.Member)):
            place = place.base
        return bool(used_variables(place) & self.mapped)
