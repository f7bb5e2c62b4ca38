"""Whose memory a pointer leads into: the variables that its address may have been computed from.

Pointers of the host are variables of their own: whether two of them meet is known when a kernel is launched. What a
kernel computes itself is followed here. An address that comes out of memory, or out of a function, leads anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accache.analysis.calls import passed, points, root_of
from accache.ir.builtins import HEAP_CALLS
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    Declare,
    Expr,
    IntLiteral,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, Array, CType, Pointer, Record, element_type, resolve
from accache.ir.walk import assigned_variables, nodes_of, walk

Origins = frozenset[str]
ANYWHERE = "*"
"""The origin of an address that is not followed."""

CHAR = Arithmetic("char")
"""The type of places that may be anything."""

NOWHERE: Origins = frozenset()
_UNKNOWN: Origins = frozenset((ANYWHERE,))


def pointer_origins(kernel: Stmt) -> Mapping[str, Origins]:
    """The pointer variables that a kernel declares or assigns, each with the variables it may lead into.

    A pointer of the host that the kernel moves is one of its own origins. Where the program is in the kernel does not
    matter: all that a pointer ever gets counts.
    """
    given = list(_given(kernel))
    moved = assigned_variables(kernel)
    own = {node.name for node in nodes_of(kernel, Declare)}
    found: dict[str, Origins] = {name: NOWHERE if name in own else frozenset((name,)) for name, _ in given}
    for node in walk(kernel):
        if isinstance(node, Unary) and node.op == "&" and isinstance(node.operand, Variable):
            name = node.operand.name
            if name in moved and _is_pointer(node.operand.type):
                found[name] = _UNKNOWN
    changed = True
    while changed:
        before = dict(found)
        for name, value in given:
            found[name] |= address_origins(value, found)
        changed = before != found
    return found


def _given(kernel: Stmt) -> Iterator[tuple[str, Expr]]:
    """The values that pointer variables get."""
    for node in walk(kernel):
        if isinstance(node, Declare) and node.init is not None and _is_pointer(node.type):
            yield node.name, node.init
        if isinstance(node, Assign) and node.op == "=":
            target = node.target
            if isinstance(target, Variable) and _is_pointer(target.type):
                yield target.name, node.value


def _is_pointer(ctype: CType) -> bool:
    return isinstance(resolve(ctype), Pointer)


def address_origins(expr: Expr, pointers: Mapping[str, Origins]) -> Origins:
    """The variables whose memory an address may lead into."""
    if isinstance(resolve(expr.type), Record):
        return _UNKNOWN
    if isinstance(expr, Variable):
        return pointers.get(expr.name, frozenset((expr.name,)))
    if isinstance(resolve(expr.type), Array):
        return place_origins(expr, pointers)
    if isinstance(expr, Unary) and expr.op == "&":
        return place_origins(expr.operand, pointers)
    if isinstance(expr, Binary) and expr.op in ("+", "-"):
        sides = [side for side in (expr.left, expr.right) if element_type(side.type) is not None]
        return _all_of(sides, pointers) if sides else _UNKNOWN
    if isinstance(expr, Cast) or (isinstance(expr, Unary) and expr.op in STEPPING):
        operand = expr.operand
        is_null = isinstance(operand, IntLiteral) and operand.value == 0
        return address_origins(operand, pointers) if is_null or points(operand.type) else _UNKNOWN
    if isinstance(expr, Conditional):
        return _all_of([expr.then, expr.otherwise], pointers)
    if isinstance(expr, Comma):
        return address_origins(expr.right, pointers)
    if isinstance(expr, Assign):
        return address_origins(expr.value if expr.op == "=" else expr.target, pointers)
    if isinstance(expr, IntLiteral) or (isinstance(expr, Call) and expr.function in HEAP_CALLS):
        return NOWHERE
    return _UNKNOWN


def place_origins(expr: Expr, pointers: Mapping[str, Origins]) -> Origins:
    """The variables whose memory an lvalue may lie in: variables themselves, or what pointers lead to."""
    if isinstance(expr, Variable):
        return frozenset((expr.name,))
    if isinstance(expr, Member) and not expr.arrow:
        return place_origins(expr.base, pointers)
    if isinstance(expr, (Subscript, Member)):
        return address_origins(expr.base, pointers)
    if isinstance(expr, Unary) and expr.op == "*":
        return address_origins(expr.operand, pointers)
    return _UNKNOWN


def places(stmt: Stmt | Expr) -> Iterator[tuple[Expr, bool]]:
    """The places in memory that a statement uses, each with whether it is written, or may be.

    A routine may use what the addresses it is handed lead to, and anything that addresses there lead to. One that uses
    variables of files reaches memory that the statement does not name.
    """
    handed = {id(item.argument): item for node in nodes_of(stmt, Call) for item in passed(node)}
    written = {id(target) for node in walk(stmt) if (target := _changed(node)) is not None}
    for node in walk(stmt):
        if isinstance(node, Expr) and is_place(node):
            yield node, id(node) in written
        if id(node) in handed and isinstance(node, Expr):
            element = element_type(node.type)
            target = Unary(element or CHAR, node.location, "*", node)
            yield target, handed[id(node)].writes
            if element is None or points(element):
                yield Unary(CHAR, node.location, "*", target), handed[id(node)].writes
        if isinstance(node, Call) and node.callee is not None and node.callee.uses_residents:
            yield Unary(CHAR, node.location, "*", node), node.callee.changes_residents


def leading_names(kernel: Stmt) -> frozenset[str]:
    """The variables of the host that hold addresses by which a kernel reaches memory, as structures and rows do."""
    own = {node.name for node in nodes_of(kernel, Declare)}
    roots = map(root_of, _unfollowed(kernel))
    return frozenset(root.name for root in roots if root is not None) - own


def is_followed(kernel: Stmt) -> bool:
    """Whether all memory that a kernel reaches is that of arrays it names, and no pointer of the host is moved."""
    return not moved_pointers(kernel) and next(_unfollowed(kernel), None) is None


def _unfollowed(kernel: Stmt) -> Iterator[Expr]:
    """The places that may lie anywhere: their addresses come out of memory, or out of a function."""
    pointers = pointer_origins(kernel)
    return (place for place, _ in places(kernel) if ANYWHERE in place_origins(place, pointers))


def moved_pointers(kernel: Stmt) -> frozenset[str]:
    """The pointers of the host that a kernel moves, perhaps to where others lead."""
    own = {node.name for node in nodes_of(kernel, Declare)}
    return frozenset(pointer_origins(kernel)) - own


def is_place(node: Expr) -> bool:
    """Whether an expression is a place in memory that a variable is not: an element, a member, what a pointer names."""
    return isinstance(node, (Subscript, Member)) or (isinstance(node, Unary) and node.op == "*")


def _changed(node: Stmt | Expr) -> Expr | None:
    """The place that a node changes, or whose address it gives away."""
    if isinstance(node, Assign):
        return node.target
    return node.operand if isinstance(node, Unary) and node.op in (*STEPPING, "&") else None


def _all_of(addresses: list[Expr], pointers: Mapping[str, Origins]) -> Origins:
    return frozenset().union(*(address_origins(address, pointers) for address in addresses))
