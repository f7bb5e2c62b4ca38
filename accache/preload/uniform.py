"""What all threads of a block have alike, and what any thread may compute: parameters, positions of the block, sums."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from accache.base.text import Location
from accache.cuda.kernel import KernelView
from accache.cuda.words import POSITIONS
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Cast, Expr, InitList, IntLiteral, Member, Stmt, Variable
from accache.ir.types import Arithmetic, integer_of, is_integer, resolve
from accache.ir.walk import Node, assigned_variables, is_computed, rewrite, used_variables, walk

INT_BYTES = 4
MOST_DIVISOR, BITS = (1 << 31) - 1, 31
"""Constants by which, and by how many places which, any int can be divided and moved."""


def with_members(view: KernelView) -> KernelView:
    """A view in which integers of structures that are not changed are variables: ``size.x``.

    Such are structures that are handed over, and those in constant memory.
    """
    kept = ({item.name for item in view.parameters} - assigned_variables(view.body)) | view.constants

    def change(node: Node) -> Node:
        if not isinstance(node, Member) or node.arrow or node.bits is not None or not is_integer(node.type):
            return node
        of = node.base.name if isinstance(node.base, Variable) else ""
        return Variable(node.type, node.location, f"{of}.{node.field}") if of in kept else node

    return replace(view, body=rewrite(view.body, change))


def uniform_names(view: KernelView, definitions: Mapping[str, Expr]) -> frozenset[str]:
    """Parameters that keep their values, constants, positions of the block, and what is computed from these alone."""
    assigned = assigned_variables(view.body)
    found = {item.name for item in view.parameters if item.name not in assigned} | view.constants
    found |= {name for name in used_variables(view.body) if name.partition(".")[0] in found}
    found |= {f"{name}_{axis}" for name in POSITIONS[1:] for axis in "xyz"}
    waiting = {name: init for name, init in definitions.items() if is_harmless(init)}
    while True:
        more = {name for name, init in waiting.items() if name not in found and used_variables(init) <= found}
        if not more:
            return frozenset(found)
        found |= more


def symbol_of(
    expr: Expr, definitions: Mapping[str, Expr], names: frozenset[str], known: dict[str, Expr]
) -> Polynomial | None:
    """The symbol of an integer that is no polynomial and that all threads have alike, such as ``n / 2``.

    ``names`` are those that it may be computed from, ``known`` the expressions that have symbols; None if it has none.
    """
    value = _expanded(expr, definitions)
    types = (resolve(part.type) for part in walk(value) if isinstance(part, Expr))
    if (
        not all(isinstance(ctype, Arithmetic) and is_integer(ctype) for ctype in types)
        or not is_harmless(value)
        or not used_variables(value) <= names
    ):
        return None
    nowhere = rewrite(value, _anywhere)
    name = next((each for each, other in known.items() if other == nowhere), f"@value{len(known) + 1}")
    known[name] = nowhere
    return Polynomial.symbol(name)


def _anywhere(node: Node) -> Node:
    """A node without its place, and with numbers and C's types for names, which may not be seen at another place."""
    if isinstance(node, IntLiteral) and node.spelling.isidentifier():
        node = replace(node, spelling=f"({node.value})" if node.value < 0 else str(node.value), exported="")
    node = replace(node, type=resolve(node.type)) if isinstance(node, Expr) else node
    return replace(node, location=Location("", 0))


def _expanded(expr: Expr, definitions: Mapping[str, Expr]) -> Expr:
    """An expression in which values stand for the variables that they define, converted to their types."""

    def change(node: Node) -> Node:
        if not isinstance(node, Variable) or node.name not in definitions:
            return node
        rest = {name: value for name, value in definitions.items() if name != node.name}
        return Cast(node.type, node.location, _expanded(definitions[node.name], rest))

    return rewrite(expr, change)


def is_harmless(expr: Expr) -> bool:
    """Whether any thread may compute an expression: it uses no memory, and nothing in it can fail."""
    parts = expr.items if isinstance(expr, InitList) else (expr,)
    return all(is_computed(part) and all(map(_cannot_fail, walk(part))) for part in parts)


def _cannot_fail(node: Expr | Stmt) -> bool:
    if not isinstance(node, Binary) or node.op not in ("/", "%", "<<", ">>") or not is_integer(node.type):
        return True
    value = constant(node.right)
    if node.op in ("/", "%") and _is_extent(node.right):
        return True
    return value is not None and (0 < value <= MOST_DIVISOR if node.op in ("/", "%") else 0 <= value < BITS)


def _is_extent(expr: Expr) -> bool:
    """Whether a number is the extent of a block or of the grid, which is never 0."""
    while isinstance(expr, Cast) and is_integer(expr.type) and integer_of(expr.type).size >= INT_BYTES:
        expr = expr.operand
    return isinstance(expr, Variable) and expr.name.startswith(("blockDim_", "gridDim_"))


def is_uniform_loop(loop: CanonicalLoop, uniform: frozenset[str]) -> bool:
    """Whether all threads of a block run a loop alike, by its head."""
    return all(is_computed(part) and used_variables(part) <= uniform for part in (loop.first, loop.limit))
