"""What calls of routines do with the memory they are handed."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from accache.ir.builtins import HEAP_CALLS, PRINT, is_pure_call
from accache.ir.tree import STEPPING, Assign, Binary, Call, Cast, Expr, Member, Stmt, Subscript, Unary, Variable
from accache.ir.types import Array, CType, Pointer, Record, element_type, resolve
from accache.ir.walk import Node, assigned_place, nodes_of, place_variable, walk


class Passed(Struct, frozen=True):
    """Memory that an argument of a call points to; ``root`` is the variable it is reached from, None if unknown."""

    root: Variable | None
    argument: Expr
    reads: bool
    writes: bool


def is_collective(node: Stmt | Expr) -> bool:
    """Whether a node is the call of a routine that all threads of a block run together."""
    return isinstance(node, Call) and node.callee is not None and node.callee.is_collective


def uses_heap(node: Stmt | Expr) -> bool:
    """Whether a node is a call that may take memory from the heap, or give it back: no two such calls do the same."""
    if not isinstance(node, Call):
        return False
    return node.function in HEAP_CALLS if node.callee is None else node.callee.allocates


def prints(node: Stmt | Expr) -> bool:
    """Whether a node is a call that may do something outside of memory it knows of: print, above all."""
    if not isinstance(node, Call):
        return False
    return node.function == PRINT if node.callee is None else node.callee.acts


def acts(node: Stmt | Expr) -> bool:
    """Whether a node is a call that does more than compute from what it is handed: once is not twice."""
    return uses_heap(node) or prints(node)


def changes_residents(body: Node) -> bool:
    """Whether a routine that is called may change variables of files, which no argument names."""
    calls = nodes_of(body, Call)
    return any(call.callee is not None and call.callee.changes_residents for call in calls)


def collective_calls(node: Stmt | Expr) -> Iterator[Call]:
    """The calls of routines that all threads of a block run together."""
    return (part for part in nodes_of(node, Call) if is_collective(part))


def passed(call: Call) -> Iterator[Passed]:
    """The memory a routine is handed by the arguments of a call."""
    if call.callee is None:
        return
    effects = zip(call.arguments, call.callee.reads, call.callee.writes, strict=False)
    for argument, reads, writes in effects:
        if points(argument.type):
            yield Passed(root_of(argument), argument, reads, writes)


def changed_variables(node: Stmt | Expr) -> frozenset[str]:
    """The variables a tree may give a new value; routines that only read by an address they are handed give none."""
    handed = (item for part in nodes_of(node, Call) for item in passed(part))
    addresses = (item for item in handed if isinstance(item.argument, Unary) and item.argument.op == "&")
    only_read = {id(item.argument) for item in addresses if not item.writes}
    places = (assigned_place(part) for part in walk(node) if id(part) not in only_read)
    return frozenset(name for place in places if place is not None and (name := place_variable(place)) is not None)


def points(ctype: CType) -> bool:
    """Whether a value of the type is an address, or holds one."""
    plain = resolve(ctype)
    if isinstance(plain, Record):
        return plain.fields is None or any(_holds_address(member.type) for member in plain.fields)
    return element_type(plain) is not None


def _holds_address(ctype: CType) -> bool:
    plain = resolve(ctype)
    while isinstance(plain, Array):
        plain = resolve(plain.element)
    return isinstance(plain, Pointer) or (isinstance(plain, Record) and points(plain))


def root_of(expr: Expr) -> Variable | None:
    """The variable an address is computed from; None where several could be, or another routine computes it."""
    while not isinstance(expr, Variable):
        inner = inner_address(expr)
        if inner is None:
            return None
        expr = inner
    return expr


def inner_address(expr: Expr) -> Expr | None:
    """The address or lvalue an address or lvalue is computed from; None if it is no such computation."""
    if isinstance(expr, (Subscript, Member)):
        return expr.base
    if isinstance(expr, Cast) or (isinstance(expr, Unary) and expr.op in ("&", "*", *STEPPING)):
        return expr.operand
    if isinstance(expr, Binary) and expr.op in ("+", "-"):
        sides = [side for side in (expr.left, expr.right) if element_type(side.type) is not None]
        return sides[0] if len(sides) == 1 else None
    return None


def index_parts(expr: Expr) -> Iterator[Expr]:
    """The indices and offsets that the computation of an address uses."""
    inner = inner_address(expr)
    if inner is None:
        if not isinstance(expr, Variable):
            yield expr
        return
    if isinstance(expr, Subscript):
        yield expr.index
    elif isinstance(expr, Binary):
        yield expr.right if inner is expr.left else expr.left
    yield from index_parts(inner)


def has_effect(value: Expr) -> bool:
    """Whether computing a value may do more than that."""
    return any(
        isinstance(node, Assign)
        or (isinstance(node, Call) and not _only_computes(node))
        or (isinstance(node, Unary) and node.op in STEPPING)
        for node in walk(value)
    )


def _only_computes(call: Call) -> bool:
    """Whether a call computes a value: a routine that is handed no address can do nothing else."""
    if call.callee is None:
        return is_pure_call(call.function)
    is_handed_address = any(points(argument.type) for argument in call.arguments)
    return call.callee.level == "seq" and not is_handed_address and not acts(call)
