"""The statements an atomic construct may hold (OpenACC 3.3, section 2.12), taken apart."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.ir.openacc.orders import order_class
from accache.ir.tree import (
    Assign,
    Atomic,
    AtomicKind,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Evaluate,
    Expr,
    IntLiteral,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, Enum, Pointer, Record, element_type, is_complex, resolve, unqualified

OPERATORS = frozenset(["+", "-", "*", "/", "&", "^", "|", "<<", ">>"])
COMMUTATIVE = frozenset(["+", "*", "&", "^", "|"])
STEPS = {"++": "+", "p++": "+", "--": "-", "p--": "-"}
CHOICES = {"fmin": "min", "fminf": "min", "fmax": "max", "fmaxf": "max"}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
EXPECTED = {
    "read": "write v = x",
    "write": "write x = value",
    "update": "write x++, x op= value, x = x op value or x = value op x",
    "capture": "write v = x++, v = x op= value, or a block of v = x and an update of x",
}
"""What the user should write, by kind."""


class AtomicAccess(Struct, frozen=True):
    """What an atomic construct does to the place ``x``.

    ``operator`` is '' where ``x`` is only read, ``=`` where it gets ``value``, else it combines ``x`` with ``value``:
    one of OPERATORS, min or max. ``value_first`` marks ``value op x`` where the order counts. ``test`` is what decides
    a minimum or maximum: the comparison of ``x`` with ``value`` in ``?:``, or fmin, fmax, fminf or fmaxf.
    ``captured`` gets the value ``x`` had, or has then if ``captures_new``.
    """

    place: Expr
    operator: str = ""
    value: Expr | None = None
    value_first: bool = False
    test: str = ""
    captured: Expr | None = None
    captures_new: bool = False

    @property
    def order_class(self) -> str:
        """Accesses of one class may be done in any order; '' for those that may not."""
        if self.captured is not None or self.value is None or self.value_first or self.operator == "=":
            return ""
        return order_class(self.operator, self.place.type, self.value, self.test)


def atomic_access(stmt: Atomic) -> AtomicAccess:
    """The access of an atomic construct that the front end has accepted."""
    found = read_access(stmt.kind, stmt.body)
    assert isinstance(found, AtomicAccess)
    return found


def with_captured(stmt: Atomic, target: Expr) -> Atomic:
    """The construct with another variable that captures the value."""
    captured = atomic_access(stmt).captured
    assert captured is not None

    def change(part: Stmt) -> Stmt:
        if isinstance(part, Block):
            return replace(part, items=tuple(change(item) for item in part.items))
        if isinstance(part, Evaluate) and isinstance(part.expr, Assign) and same(part.expr.target, captured):
            return replace(part, expr=replace(part.expr, target=target))
        return part

    return replace(stmt, body=change(stmt.body))


def read_access(kind: AtomicKind, body: Stmt) -> AtomicAccess | str:
    """What a statement does, or why an atomic construct of this kind cannot hold it."""
    if isinstance(body, Block) and kind == "capture":
        found = _captured_in_block([item.expr for item in body.items if isinstance(item, Evaluate)], len(body.items))
    elif isinstance(body, Evaluate):
        found = _READERS[kind](body.expr)
    else:
        found = None
    if found is None:
        return EXPECTED[kind]
    return _problem(found) or found


def same(first: Expr, second: Expr) -> bool:
    """Whether two expressions are spelled alike, wherever they stand."""
    if type(first) is not type(second):
        return False
    for name in first.__struct_fields__:
        if name == "location" or (name == "type" and not isinstance(first, Cast)):
            continue
        mine, other = getattr(first, name), getattr(second, name)
        if isinstance(mine, Expr) and isinstance(other, Expr):
            if not same(mine, other):
                return False
        elif isinstance(mine, tuple) and mine and isinstance(mine[0], Expr):
            if len(mine) != len(other) or not all(map(same, mine, other)):
                return False
        elif mine != other:
            return False
    return True


def parts(expr: Expr) -> Iterator[Expr]:
    """An expression and all expressions in it."""
    yield expr
    for name in expr.__struct_fields__:
        value = getattr(expr, name)
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, Expr):
                yield from parts(inner)


# x++ | ++x | x-- | --x | x op= value | x = x op value | x = value op x | x = a minimum or maximum of x and value
def _update(expr: Expr) -> AtomicAccess | None:
    if isinstance(expr, Unary) and expr.op in STEPS:
        one = IntLiteral(Arithmetic("int"), expr.location, 1, "1")
        return AtomicAccess(expr.operand, STEPS[expr.op], one)
    if not isinstance(expr, Assign):
        return None
    if expr.op != "=":
        return AtomicAccess(expr.target, expr.op[:-1], expr.value) if expr.op[:-1] in OPERATORS else None
    value = expr.value
    while isinstance(value, Cast) and unqualified(resolve(value.type)) == unqualified(resolve(expr.target.type)):
        value = value.operand
    if isinstance(value, Binary) and value.op in OPERATORS:
        if same(value.left, expr.target):
            return AtomicAccess(expr.target, value.op, value.right)
        if same(value.right, expr.target):
            return AtomicAccess(expr.target, value.op, value.left, value_first=value.op not in COMMUTATIVE)
    return _choice(expr.target, value)


def _choice(place: Expr, value: Expr) -> AtomicAccess | None:
    """``x = x < value ? value : x`` and its kin, ``x = fmax(x, value)``."""
    if isinstance(value, Call) and value.function in CHOICES and len(value.arguments) == 2:
        first, second = value.arguments
        other = second if same(first, place) else first if same(second, place) else None
        word = value.function
        return AtomicAccess(place, CHOICES[word], other, test=word) if other is not None else None
    if not isinstance(value, Conditional) or not isinstance(value.condition, Binary):
        return None
    condition = value.condition
    if condition.op not in MIRRORED:
        return None
    test, left, right = condition.op, condition.left, condition.right
    if same(right, place):
        test, left, right = MIRRORED[test], right, left
    keeps = same(value.otherwise, place) and same(value.then, right)
    takes = same(value.then, place) and same(value.otherwise, right)
    if not same(left, place) or not (keeps or takes):
        return None
    return AtomicAccess(place, "max" if (test[0] == "<") == keeps else "min", right, test=test)


# x = value
def _write(expr: Expr) -> AtomicAccess | None:
    if isinstance(expr, Assign) and expr.op == "=":
        return AtomicAccess(expr.target, "=", expr.value)
    return None


# v = x
def _read(expr: Expr) -> AtomicAccess | None:
    if isinstance(expr, Assign) and expr.op == "=" and _is_place(expr.value):
        return AtomicAccess(expr.value, captured=expr.target)
    return None


# v = x++ | v = ++x | v = x op= value | v = x = x op value | ...
def _captured(expr: Expr) -> AtomicAccess | None:
    if not isinstance(expr, Assign) or expr.op != "=":
        return None
    found = _update(expr.value)
    if found is None:
        return None
    is_old = isinstance(expr.value, Unary) and expr.value.op in ("p++", "p--")
    return replace(found, captured=expr.target, captures_new=not is_old)


# { v = x; update } | { v = x; x = value; } | { update v = x; }
def _captured_in_block(found: list[Expr], count: int) -> AtomicAccess | None:
    if len(found) != 2 or count != 2:
        return None
    for reading, changing, is_new in ((0, 1, False), (1, 0, True)):
        read = _read(found[reading])
        change = _update(found[changing]) or (_write(found[changing]) if not is_new else None)
        if read is not None and change is not None and same(read.place, change.place):
            return replace(change, captured=read.captured, captures_new=is_new)
    return None


_READERS = {"read": _read, "write": _write, "update": _update, "capture": _captured}


def _is_place(expr: Expr) -> bool:
    return isinstance(expr, (Variable, Subscript, Member)) or (isinstance(expr, Unary) and expr.op == "*")


def _problem(found: AtomicAccess) -> str:
    """Why an access of the right form cannot be atomic; '' if it can."""
    if is_complex(found.place.type):
        return "the two parts of a complex number are not accessed in one step"
    if not isinstance(resolve(found.place.type), (Arithmetic, Enum, Pointer)):
        return "only a scalar can be accessed in one step"
    if _is_bit_field(found.place):
        return "a bit-field shares its word with others"
    if found.value is not None and _mentions(found.value, found.place):
        return "the value must not depend on the place itself"
    if found.captured is None:
        return ""
    if _mentions(found.place, found.captured) or (found.value is not None and _mentions(found.value, found.captured)):
        return "what is captured must not take part in the update"
    return ""


def _mentions(expr: Expr, place: Expr) -> bool:
    return any(same(part, place) for part in parts(expr))


def _is_bit_field(place: Expr) -> bool:
    if not isinstance(place, Member):
        return False
    base = element_type(place.base.type) if place.arrow else place.base.type
    record = resolve(base) if base is not None else None
    members = record.fields or () if isinstance(record, Record) else ()
    return any(member.name == place.field and member.bits is not None for member in members)
