"""Expressions of a construct as Python functions of its variables: C's numbers, and nothing of the machine.

Floating numbers have a double's precision, so that sums of small integers are exact in any order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from msgspec import Struct, field

from accache.base.text import Location
from accache.ir.constants import constant
from accache.ir.tree import (
    Assign,
    Binary,
    Cast,
    Comma,
    Conditional,
    Expr,
    FloatLiteral,
    IntLiteral,
    SizeOf,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, CType, Enum, holds, integer_of, promoted, resolve
from accache.serve.memory import UNSET, FaultError, Memory, Notes, Unset, Value, element

Number = int | float


class Frame(Struct, dict=True):
    """The variables of a construct by their names, which are unique in it, and what is noted on the way.

    So many ``turns`` of loops are ``left``; parallel loops were ``begun`` so many times.
    """

    values: dict[str, Value]
    arrays: dict[str, Memory]
    left: int
    begun: int = 0
    notes: Notes = field(default_factory=Notes)


Get = Callable[[Frame], Number]
Convert = Callable[[Number], Number]
Combine = Callable[[Number, Number], Number]


class UnfollowedError(Exception):
    """Something of C that is not carried out here."""


class Names(Struct, dict=True):
    """In how many parallel loops each variable of the construct was declared, and which have copies of their own."""

    depth: int = 0
    declared: dict[str, int] = field(default_factory=dict)
    own: frozenset[str] = frozenset()


def getter(expr: Expr, names: Names) -> Get:
    """What computes an expression; raises UnfollowedError where that is not known, and FaultError of certain races."""
    make = _GETTERS.get(type(expr))
    if make is None:
        raise UnfollowedError(f"{at(expr.location)}: {type(expr).__name__}")
    return make(expr, names)


def at(location: Location) -> str:
    """The place of something in the program."""
    return f"line {location.line}"


def number_type(ctype: CType, location: Location) -> Arithmetic:
    """The type of a number; raises UnfollowedError of any other."""
    plain = resolve(ctype)
    if isinstance(plain, Arithmetic):
        return plain
    if isinstance(plain, Enum):
        return integer_of(plain)
    raise UnfollowedError(f"{at(location)}: a value that is no number")


def conversion(source: CType, target: Arithmetic) -> Convert | None:
    """What makes a value of one type one of another; None where that is the same."""
    if resolve(source) == target:
        return None
    return partial(_as_integer, target) if target.is_integer else float


def converted(get: Get, source: CType, target: Arithmetic) -> Get:
    """A value as another type has it."""
    convert = conversion(source, target)
    return (lambda frame: convert(get(frame))) if convert is not None else get


def _as_integer(target: Arithmetic, value: Number) -> int:
    if target.name == "_Bool":
        return int(value != 0)
    try:
        found = int(value)
    except (ValueError, OverflowError):
        raise FaultError(f"{value} becomes an integer") from None
    if holds(target, found):
        return found
    bits = 8 * target.size
    found %= 1 << bits
    return found if target.unsigned or found < 1 << (bits - 1) else found - (1 << bits)


def _int(expr: Expr, names: Names) -> Get:
    value = cast(IntLiteral, expr).value
    return lambda frame: value


def _float(expr: Expr, names: Names) -> Get:
    spelling = cast(FloatLiteral, expr).spelling.lower()
    is_hexadecimal = spelling.startswith("0x")
    digits = spelling.rstrip("l" if is_hexadecimal else "fl").removesuffix("f" if "p" in spelling else "")
    value = float.fromhex(digits) if is_hexadecimal else float(digits)
    return lambda frame: value


def _variable(expr: Expr, names: Names) -> Get:
    assert isinstance(expr, Variable)
    number_type(expr.type, expr.location)
    name, where = expr.name, at(expr.location)

    def get(frame: Frame) -> Number:
        value = frame.values.get(name, UNSET)
        if isinstance(value, Unset):
            raise FaultError(f"{where}: {spelled(name)} is read, and has no value yet")
        return value

    return get


def spelled(name: str) -> str:
    """The name of a variable as the user wrote it."""
    return name.partition("#")[0]


Reach = Callable[[Frame], tuple[Memory, tuple[int, ...], int]]


def reach(expr: Subscript, names: Names) -> Reach:
    """What finds an element: its array, its subscripts and its number."""
    subscripts: list[Get] = []
    base: Expr = expr
    while isinstance(base, Subscript):
        subscripts.insert(0, getter(base.index, names))
        base = base.base
    if not isinstance(base, Variable):
        raise UnfollowedError(f"{at(expr.location)}: an element of something that is no array")
    name, where = base.name, at(expr.location)

    def find(frame: Frame) -> tuple[Memory, tuple[int, ...], int]:
        memory = frame.arrays.get(name)
        if memory is None:
            raise FaultError(f"{where}: {spelled(name)} is not on the device: no data clause names it")
        indices = tuple([cast(int, get(frame)) for get in subscripts])
        try:
            return memory, indices, memory.offset(indices)
        except FaultError as fault:
            raise FaultError(f"{where}: {fault}") from None

    return find


def note(frame: Frame, memory: Memory, indices: tuple[int, ...], offset: int, *, by: Expr, is_write: bool) -> None:
    """Note an access; raises FaultError of a race."""
    try:
        frame.notes.access(memory, indices, offset, reference=by.location, is_write=is_write)
    except FaultError as fault:
        raise FaultError(f"{at(by.location)}: {fault}") from None


def _element(expr: Expr, names: Names) -> Get:
    assert isinstance(expr, Subscript)
    number_type(expr.type, expr.location)
    find = reach(expr, names)

    def get(frame: Frame) -> Number:
        memory, indices, offset = find(frame)
        return _read(frame, memory, indices, offset, by=expr)

    return get


def _read(frame: Frame, memory: Memory, indices: tuple[int, ...], offset: int, *, by: Expr) -> Number:
    value = memory.cells[offset]
    if isinstance(value, Unset):
        told = f"{element(spelled(memory.name), indices)} is read, and nothing was written to it"
        raise FaultError(f"{at(by.location)}: {told}")
    note(frame, memory, indices, offset, by=by, is_write=False)
    return value


def _unary(expr: Expr, names: Names) -> Get:
    assert isinstance(expr, Unary)
    if expr.op in ("++", "--", "p++", "p--"):
        one = IntLiteral(Arithmetic("int"), expr.location, 1, "1")
        return _changed(expr.operand, f"{expr.op[-1]}=", one, names, is_old=expr.op[0] == "p")
    if expr.op not in ("+", "-", "!", "~"):
        raise UnfollowedError(f"{at(expr.location)}: an address")
    operand = getter(expr.operand, names)
    if expr.op == "!":
        return lambda frame: int(not operand(frame))
    kind = number_type(expr.type, expr.location)
    inner = converted(operand, expr.operand.type, kind)
    if expr.op == "+":
        return inner
    if expr.op == "~":
        return lambda frame: _as_integer(kind, ~cast(int, inner(frame)))
    minus = operation("-", kind, at(expr.location))
    return lambda frame: minus(0 if kind.is_integer else -0.0, inner(frame))


def _binary(expr: Expr, names: Names) -> Get:
    assert isinstance(expr, Binary)
    left, right = getter(expr.left, names), getter(expr.right, names)
    if expr.op == "&&":
        return lambda frame: int(bool(left(frame)) and bool(right(frame)))
    if expr.op == "||":
        return lambda frame: int(bool(left(frame)) or bool(right(frame)))
    is_shift = expr.op in ("<<", ">>")
    kind = number_type(expr.type if is_shift else promoted(expr.left.type, expr.right.type), expr.location)
    first, second = converted(left, expr.left.type, kind), converted(right, expr.right.type, kind)
    combine = _COMPARISONS[expr.op] if expr.op in _COMPARISONS else operation(expr.op, kind, at(expr.location))
    return lambda frame: combine(first(frame), second(frame))


def operation(op: str, kind: Arithmetic, where: str) -> Combine:
    """An operator on two numbers of one type; the function raises FaultError where C has no result."""
    compute = _OPERATIONS[op]
    most = (1 << 8 * kind.size - 1) - 1

    def checked(left: Number, right: Number) -> Number:
        try:
            value = cast(int, compute(left, right))
        except ZeroDivisionError:
            raise FaultError(f"{where}: a division by zero") from None
        except ValueError:
            raise FaultError(f"{where}: a shift by {right}") from None
        if kind.unsigned:
            return value & (most << 1 | 1)
        if not -most - 1 <= value <= most:
            raise FaultError(f"{where}: {value} does not fit into {kind.name}")
        return value

    def floating(left: Number, right: Number) -> Number:
        if op == "/" and right == 0:
            raise FaultError(f"{where}: a division by zero")
        return left / right if op == "/" else cast(float, compute(left, right))

    return checked if kind.is_integer else floating


def _quotient(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _remainder(left: int, right: int) -> int:
    return left - _quotient(left, right) * right


def _left_shift(left: int, right: int) -> int:
    if not 0 <= right < 64:
        raise ValueError
    return left << right


def _right_shift(left: int, right: int) -> int:
    if not 0 <= right < 64:
        raise ValueError
    return left >> right


def _assign(expr: Expr, names: Names) -> Get:
    assert isinstance(expr, Assign)
    return _changed(expr.target, expr.op, expr.value, names)


def _changed(target: Expr, op: str, value: Expr, names: Names, *, is_old: bool = False) -> Get:
    """An assignment ``target op value``, and what it is worth: the new value, or the old one."""
    kind = number_type(target.type, target.location)
    new = getter(value, names)
    if op == "=":
        new, combine = converted(new, value.type, kind), None
    else:
        combine = _update(op[:-1], kind, value, at(target.location))
    if isinstance(target, Variable):
        return _to_variable(target, new, combine, names, is_old=is_old)
    if isinstance(target, Subscript):
        return _to_element(target, new, combine, names, is_old=is_old)
    raise UnfollowedError(f"{at(target.location)}: an assignment to something that is no variable and no element")


def _update(op: str, kind: Arithmetic, value: Expr, where: str) -> Combine:
    """What makes the new value of something of the old one and another."""
    between = kind if op in ("<<", ">>") else number_type(promoted(kind, value.type), value.location)
    combine = operation(op, between, where)
    first, second = conversion(kind, between), conversion(value.type, between)
    back = conversion(between, kind)

    def update(old: Number, new: Number) -> Number:
        found = combine(first(old) if first else old, second(new) if second else new)
        return back(found) if back else found

    return update


def _to_variable(target: Variable, new: Get, combine: Combine | None, names: Names, *, is_old: bool) -> Get:
    name = target.name
    if names.declared.get(name, names.depth) < names.depth and name not in names.own:
        told = f"the iterations of a parallel loop share {spelled(name)}, and write to it: a race"
        raise FaultError(f"{at(target.location)}: {told}")
    if combine is None:

        def assign(frame: Frame) -> Number:
            value = frame.values[name] = new(frame)
            return value

        return assign
    get, update = _variable(target, names), combine

    def change(frame: Frame) -> Number:
        added = new(frame)
        old = get(frame)
        value = frame.values[name] = update(old, added)
        return old if is_old else value

    return change


def _to_element(target: Subscript, new: Get, combine: Combine | None, names: Names, *, is_old: bool) -> Get:
    find, update = reach(target, names), combine

    def change(frame: Frame) -> Number:
        value = new(frame)
        memory, indices, offset = find(frame)
        old: Number = 0
        if update is not None:
            old = _read(frame, memory, indices, offset, by=target)
            value = update(old, value)
        note(frame, memory, indices, offset, by=target, is_write=True)
        memory.cells[offset] = value
        return old if is_old else value

    return change


def _conditional(expr: Expr, names: Names) -> Get:
    assert isinstance(expr, Conditional)
    kind = number_type(expr.type, expr.location)
    condition = getter(expr.condition, names)
    then = converted(getter(expr.then, names), expr.then.type, kind)
    otherwise = converted(getter(expr.otherwise, names), expr.otherwise.type, kind)
    return lambda frame: then(frame) if condition(frame) else otherwise(frame)


def _cast(expr: Expr, names: Names) -> Get:
    assert isinstance(expr, Cast)
    kind = number_type(expr.type, expr.location)
    return converted(getter(expr.operand, names), expr.operand.type, kind)


def _size_of(expr: Expr, names: Names) -> Get:
    value = constant(expr)
    if value is None:
        raise UnfollowedError(f"{at(expr.location)}: this sizeof")
    return lambda frame: value


def _comma(expr: Expr, names: Names) -> Get:
    assert isinstance(expr, Comma)
    first, second = getter(expr.left, names), getter(expr.right, names)

    def get(frame: Frame) -> Number:
        first(frame)
        return second(frame)

    return get


_GETTERS: Mapping[type[Expr], Callable[[Expr, Names], Get]] = {
    IntLiteral: _int,
    FloatLiteral: _float,
    Variable: _variable,
    Subscript: _element,
    Unary: _unary,
    Binary: _binary,
    Assign: _assign,
    Conditional: _conditional,
    Cast: _cast,
    SizeOf: _size_of,
    Comma: _comma,
}
_COMPARISONS: Mapping[str, Combine] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": _remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": _left_shift,
    ">>": _right_shift,
}
