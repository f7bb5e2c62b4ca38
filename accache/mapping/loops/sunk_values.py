"""Values of a row that stand in front of its loop over vectors: each element computes them for itself.

Before::

    for (int i ...) {        // gang
        float own = x[i];
        for (int j ...)      // vector
            d[i*m + j] = own - y[j];
    }

After, the declaration is the first statement of the inner loop's body, so that one nest is left, of which blocks have
rows and columns. Only what costs little is computed again, and only from memory that nothing in the construct writes:
blocks of one row each load such values once for several of its elements.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.aliasing import may_overlap_in
from accache.analysis.calls import changes_residents
from accache.analysis.canonical import loop_variable
from accache.analysis.uniformity import written_arrays
from accache.ir.constants import constant
from accache.ir.openacc.regions import Region
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Block,
    Call,
    Declare,
    Expr,
    For,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Pointer, Record, element_type, is_integer, is_scalar, is_volatile, resolve
from accache.ir.walk import Node, assigned_variables, children, items_of, used_variables, walk
from accache.mapping.data.data_model import memory_variables

SHARE = 4
"""A row's values are loaded for each of its elements where these refer to memory so many times as often."""
ROUNDS = 8
"""How often sequential loops in an element are taken to run."""


def with_sunk_values(region: Region) -> Stmt:
    """The body of a region with the values of its loops' iterations where the innermost of these use them."""
    return _Sinking(region, assigned_variables(region.body), written_arrays(region.body)).into(region.body, frozenset())


class _Sinking(Struct, frozen=True):
    """Moves declarations into the loops behind them in a region that changes ``assigned`` and ``written`` variables."""

    region: Region
    assigned: frozenset[str]
    written: frozenset[str]

    def into(self, stmt: Stmt, around: frozenset[str]) -> Stmt:
        """A statement whose loops, inside of those over ``around``, hold nothing but the next one if they can."""
        if isinstance(stmt, Block) and len(stmt.items) == 1:
            found = self.into(stmt.items[0], around)
            return replace(stmt, items=(found,)) if found is not stmt.items[0] else stmt
        if not isinstance(stmt, For):
            return stmt
        around |= {loop_variable(stmt) or ""}
        *values, inner = items_of(stmt.body) or (stmt.body,)
        if not isinstance(inner, For) or inner.loop is None or inner.loop.seq:
            body = self.into(stmt.body, around) if not values else stmt.body
            return replace(stmt, body=body) if body is not stmt.body else stmt
        if not self.are_values(values, around) or SHARE * sum(map(_references, values)) > _references(inner.body):
            return stmt
        nest = self.into(_with_values(inner, values, inner.loop.collapse) if values else inner, around)
        return replace(stmt, body=Block(stmt.location, (nest,))) if nest is not inner else stmt

    def are_values(self, items: list[Stmt], around: frozenset[str]) -> bool:
        """Whether statements declare values that cost little, and are the same whenever they are computed."""
        known = around
        for item in items:
            if not isinstance(item, Declare) or item.init is None or item.static or item.name in self.assigned:
                return False
            if not self.is_value(item, item.init, known):
                return False
            known |= {item.name}
        return True

    def is_value(self, item: Declare, init: Expr, known: frozenset[str]) -> bool:
        """Whether a declared variable has the same value whenever it is computed, and at little cost."""
        if not (is_scalar(resolve(item.type)) or isinstance(resolve(item.type), Record)) or is_volatile(item.type):
            return False
        if any(_is_costly(node) or is_volatile(node.type) for node in walk(init) if isinstance(node, Expr)):
            return False
        return not (used_variables(init) - known) & self.assigned and self.is_kept(init)

    def is_kept(self, init: Expr) -> bool:
        """Whether nothing in the region changes the memory that an expression loads from."""
        variables = {variable.name: variable for variable in self.region.variables}
        roots = {_array(node) for node in walk(init) if _is_load(node)}
        roots |= used_variables(init) & memory_variables(self.region)
        if not roots:
            return True
        if changes_residents(self.region.body):
            return False
        read = [variables[name] for name in roots if name in variables]
        changed = [variables[name] for name in self.written & variables.keys()]
        own = any(name not in variables for name in roots | self.written)  # a pointer, which leads anywhere
        return not own and not any(may_overlap_in(self.region, a, b) for a in read for b in changed)


def _with_values(loop: For, values: list[Stmt], count: int) -> For:
    """A nest of so many loops with values in front of what its innermost loop does; the nest itself if it uses them."""
    names = {item.name for item in values if isinstance(item, Declare)}
    if used_variables(replace(loop, body=Block(loop.location, ()))) & names:
        return loop
    if count <= 1:
        return replace(loop, body=Block(loop.location, (*values, *items_of(loop.body))))
    items = items_of(loop.body)
    if len(items) != 1 or not isinstance(items[0], For):
        return loop
    inner = _with_values(items[0], values, count - 1)
    return replace(loop, body=Block(loop.location, (inner,))) if inner is not items[0] else loop


def _is_load(node: Node) -> bool:
    """Whether a part of an expression reads memory that an address leads to."""
    is_followed = (isinstance(node, Unary) and node.op == "*") or (isinstance(node, Member) and node.arrow)
    return isinstance(node, Subscript) or is_followed


def _array(place: Node) -> str:
    """The array or pointer whose elements a load reads; '' where another address leads there."""
    while True:
        if isinstance(place, (Subscript, Member)):
            is_followed = isinstance(place, Member) and place.arrow
            leads = is_followed or (isinstance(place, Subscript) and isinstance(resolve(place.base.type), Pointer))
            place = place.base
        elif isinstance(place, Unary) and place.op == "*":
            leads, place = isinstance(resolve(place.operand.type), Pointer), place.operand
        else:
            return place.name if isinstance(place, Variable) and element_type(place.type) is not None else ""
        if leads and not isinstance(place, Variable):
            return ""


def _references(node: Node) -> int:
    """How many references to memory there are in an iteration."""
    rounds = ROUNDS if isinstance(node, For) else 1
    return isinstance(node, Subscript) + rounds * sum(map(_references, children(node)))


def _is_costly(node: Expr) -> bool:
    """Whether an expression calls something, changes something, or divides."""
    if isinstance(node, Binary) and node.op in ("/", "%"):
        return not is_integer(node.type) or constant(node.right) is None
    return isinstance(node, (Call, Assign)) or (isinstance(node, Unary) and node.op in STEPPING)
