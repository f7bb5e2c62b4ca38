"""Quotients of numbers that do not change in a construct: the host computes them, and hands them over.

Before: ``a[i + n/2]``, whose index is no polynomial of ``i`` and ``n``. After: ``a[i + n_over_2]``, where ``n_over_2``
is a variable of the region, and ``n / 2`` what the host passes for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.sums import with_bounds
from accache.ir.build import INT
from accache.ir.constants import constant
from accache.ir.names import free_name, user_name
from accache.ir.openacc.atomics import same
from accache.ir.openacc.regions import DataClause, Dimension, FreeVariable, Region
from accache.ir.tree import Binary, Cache, Cast, Expr, IntLiteral, Stmt, Subscript, Variable
from accache.ir.types import integer_of, is_integer, is_volatile
from accache.ir.walk import (
    assigned_variables,
    children,
    declared_variables,
    map_children,
    single_definitions,
    used_variables,
    walk,
)
from accache.mapping.data.data_model import memory_variables

_WORDS = {"/": "over", ">>": "shr", "+": "plus", "-": "minus", "*": "times"}
"""The operators of what the host computes, as names spell them."""


def with_quotients(region: Region) -> Region:
    """A region that has variables for the quotients in its indices, and in the bounds of its cache directives."""
    known = known_integers(region)
    taken = {user_name(name) for name in (*declared_variables(region.body), *(item.name for item in region.variables))}
    found: list[FreeVariable] = []
    for quotient in (item for expr in _deciding(region.body) for item in _quotients(expr, known)):
        if not any(item.value is not None and same(quotient, item.value) for item in found):
            name = _spelled(quotient)
            name = f"from_{name}" if name[0].isdigit() else name
            name = free_name(f"{name}_", taken.__contains__) if name in taken else name  # n_over_22 would be n/22
            taken.add(name)
            found.append(FreeVariable(f"{name}#0{len(found) + 1}", quotient.type, value=quotient))
    if not found:
        return region
    replacing = _Replacing(tuple(found))
    body = replacing.changed(region.body)
    assert isinstance(body, Stmt)
    data = tuple(replacing.clause(item) for item in region.data)
    return replace(region, body=body, data=data, variables=(*region.variables, *found))


class _Replacing(Struct, frozen=True):
    """Puts variables in the place of the expressions whose values they have."""

    variables: tuple[FreeVariable, ...]

    def changed(self, node: Expr | Stmt) -> Expr | Stmt:
        """A tree without the expressions."""
        if isinstance(node, Binary):
            for item in self.variables:
                if item.value is not None and same(node, item.value):
                    return Variable(item.type, node.location, item.name)
        if isinstance(node, Expr):
            return map_children(node, self.changed)
        return map_children(with_bounds(node, self.changed) if isinstance(node, Cache) else node, self.changed)

    def clause(self, clause: DataClause) -> DataClause:
        """A data clause whose bounds do not have them."""

        def bound(expr: Expr | None) -> Expr | None:
            new = self.changed(expr) if expr is not None else None
            assert new is None or isinstance(new, Expr)
            return new

        parts = (
            Dimension(bound(part.lower), bound(part.length), part.is_element) for part in clause.subarray.dimensions
        )
        return replace(clause, subarray=replace(clause.subarray, dimensions=tuple(parts)))


def known_integers(region: Region) -> frozenset[str]:
    """The integers that have one value throughout a region, which the host knows."""
    own = {item.name for item in region.private} | {item.variable for item in region.reductions}
    own |= memory_variables(region) | assigned_variables(region.body) | declared_variables(region.body)
    found = (item for item in region.variables if is_integer(item.type) and not is_volatile(item.type))
    return frozenset(item.name for item in found) - own


def _deciding(body: Stmt) -> Iterator[Expr]:
    """The indices of references, and the bounds of cache directives, with what variables in them are defined as."""
    definitions = single_definitions(body)
    pending: list[Expr] = []
    for node in walk(body):
        if isinstance(node, Subscript):
            pending.append(node.index)
        elif isinstance(node, Cache):
            sections = (part for item in node.subarrays for part in item.dimensions)
            pending += (bound for part in sections for bound in (part.lower, part.length) if bound is not None)
    seen: set[str] = set()
    while pending:
        expr = pending.pop()
        yield expr
        names = used_variables(expr) & definitions.keys() - seen
        seen |= names
        pending += (definitions[name] for name in sorted(names))


def _quotients(expr: Expr, known: frozenset[str]) -> Iterator[Binary]:
    """The quotients in an expression that are in no other one."""
    if isinstance(expr, Binary) and _is_quotient(expr, known):
        yield expr
        return
    for part in children(expr):
        if isinstance(part, Expr):
            yield from _quotients(part, known)


def _is_quotient(expr: Binary, known: frozenset[str]) -> bool:
    """Whether the host may compute an expression at any time, and it is none that analyses follow."""
    divisor = constant(expr.right)
    if expr.op not in ("/", ">>") or divisor is None or constant(expr) is not None:
        return False
    bits = 8 * integer_of(expr.type).size if is_integer(expr.type) else 0
    is_defined = divisor > 1 if expr.op == "/" else 0 < divisor < bits
    return bits >= 8 * INT.size and is_defined and _is_computed(expr.left, known)


def _is_computed(expr: Expr, known: frozenset[str]) -> bool:
    """Whether an expression is a sum, product or quotient of known integers."""
    if not is_integer(expr.type):
        return False
    if isinstance(expr, Variable):
        return expr.name in known
    if isinstance(expr, IntLiteral):
        return True
    if isinstance(expr, Cast):
        return _is_computed(expr.operand, known)
    if isinstance(expr, Binary) and expr.op in ("/", ">>"):
        return _is_quotient(expr, known)
    return (
        isinstance(expr, Binary) and expr.op in _WORDS and all(_is_computed(x, known) for x in (expr.left, expr.right))
    )


def _spelled(expr: Expr) -> str:
    """A name for the value of an expression; a constant, however it is computed, is spelled as its value."""
    value = constant(expr)
    if value is not None:
        return str(value) if value >= 0 else f"minus_{-value}"
    if isinstance(expr, Binary):
        return f"{_spelled(expr.left)}_{_WORDS[expr.op]}_{_spelled(expr.right)}"
    if isinstance(expr, Cast):
        return _spelled(expr.operand)
    assert isinstance(expr, Variable)
    return user_name(expr.name)
