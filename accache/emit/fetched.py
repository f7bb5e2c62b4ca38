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

    def _variable(self, expr: tree.Variable) -> tuple[str, int]:
        if expr.name in self.mapped & self.dereferenced and not isinstance(resolve(expr.type), Record):
            return f"accache_load({self.name(expr.name)})", LEVELS["postfix"]
        return super()._variable(expr)

    def _subscript(self, expr: tree.Subscript) -> tuple[str, int]:
        return self._fetched(expr, super()._subscript(expr))

    def _unary(self, expr: tree.Unary) -> tuple[str, int]:
        printed = super()._unary(expr)
        return self._fetched(expr, printed) if expr.op == "*" else printed

    def _member(self, expr: tree.Member) -> tuple[str, int]:
        printed = super()._member(expr)
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
