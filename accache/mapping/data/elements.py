"""Arrays taken element by element: how many there are, loops over all of them, where a reduction starts."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from accache.base.text import Location
from accache.ir.arrays import extents, has_const_member, innermost
from accache.ir.build import INT
from accache.ir.constants import constant
from accache.ir.openacc.regions import Reduction
from accache.ir.tree import (
    Assign,
    Binary,
    Cast,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    InitList,
    IntLiteral,
    Raw,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, Array, CType, Record, resolve, unqualified
from accache.ir.walk import nodes_of

NEEDS_IDENTITY = {"+": 0, "*": 1, "^": 0}
"""Where a value may be combined only once: all threads but one start from the identity."""
LIMITS = {"char": "CHAR", "short": "SHRT", "int": "INT", "long": "LONG", "long long": "LLONG"}


def _counter_name(depth: int) -> str:
    """What the counter of a dimension is called: k, l, m, and then n3, n4, ..."""
    return "klm"[depth] if depth < 3 else f"n{depth}"


def each_element(array: Expr, action: Callable[[Expr], Stmt]) -> Stmt:
    """Loops that do something with every element of an array of constant lengths."""
    where = array.location
    lengths = extents(array.type) or ()
    base = next((node.name for node in nodes_of(array, Variable)), "")
    counters = [Variable(INT, where, f"{_counter_name(depth)}#{base}") for depth, _ in enumerate(lengths)]
    element = array
    for counter in counters:
        plain = resolve(element.type)
        assert isinstance(plain, Array)
        element = Subscript(plain.element, where, element, counter)
    result = action(element)
    for counter, length in reversed(list(zip(counters, lengths, strict=True))):
        start = Declare(where, counter.name, INT, _number(0, where))
        condition = Binary(INT, where, "<", counter, _number(length, where))
        result = For(where, (start,), condition, Unary(INT, where, "++", counter), result)
    return result


def initialised(array: Expr, init: InitList) -> tuple[Stmt, ...] | None:
    """What gives an array its initial values; None where its elements cannot be assigned."""
    leaf = innermost(array.type)
    if not extents(array.type) or has_const_member(leaf):
        return None
    values: list[Stmt] = []
    if not _values(array, init, values):
        return None
    if len(values) < prod(extents(array.type) or ()):
        zero = InitList(leaf, init.location, ()) if isinstance(resolve(leaf), Record) else _number(0, init.location)
        others = () if all(constant(item) == 0 for item in init.items) else values  # {0} is how zeros are written
        return (each_element(array, lambda element: assigned(element, initial_value(element, zero))), *others)
    return tuple(values)


def _values(place: Expr, init: Expr, found: list[Stmt]) -> bool:
    """Give a place its values, each array inside by braces of its own; whether that can be done."""
    plain = resolve(place.type)
    if not isinstance(plain, Array):
        found.append(assigned(place, initial_value(place, init)))
        return True
    if not isinstance(init, InitList):
        return False
    elements = (
        Subscript(plain.element, place.location, place, _number(index, place.location))
        for index in range(len(init.items))
    )
    return all(_values(element, item, found) for element, item in zip(elements, init.items, strict=True))


def initial_value(place: Expr, init: Expr) -> Expr:
    """What is assigned to a number or structure: of parts in braces, a compound literal."""
    return Cast(unqualified(place.type), init.location, init) if isinstance(init, InitList) else init


def declared_copy(reduction: Reduction, where: Location) -> tuple[Stmt, ...]:
    """The declaration of a reduction's array, every element the operator's identity."""
    start = identity(reduction.operator, innermost(reduction.type), where)
    if isinstance(start, IntLiteral) and start.value == 0:
        return (Declare(where, reduction.variable, reduction.type, InitList(reduction.type, where, ())),)
    array = Variable(reduction.type, where, reduction.variable)
    return (Declare(where, reduction.variable, reduction.type, None), each_element(array, lambda e: assigned(e, start)))


def combined(operator: str, target: Expr, value: Expr) -> Stmt:
    """``target = target operator value;``."""
    where = target.location
    if operator in ("min", "max"):
        test = Binary(INT, where, "<" if operator == "min" else ">", value, target)
        return If(where, test, assigned(target, value))
    if operator in ("&&", "||"):
        return assigned(target, Binary(INT, where, operator, target, value))
    return Evaluate(where, Assign(target.type, where, f"{operator}=", target, value))


def assigned(target: Expr, value: Expr) -> Stmt:
    """``target = value;``."""
    return Evaluate(target.location, Assign(target.type, target.location, "=", target, value))


def identity(operator: str, ctype: CType, where: Location) -> Expr:
    """The value that changes nothing when it is combined (OpenACC 3.3, section 2.9.11)."""
    if operator in ("min", "max"):
        plain = resolve(ctype)
        assert isinstance(plain, Arithmetic)
        return _limit(plain, operator == "min", where)
    if operator == "&":
        return Unary(INT, where, "~", _number(0, where))
    return _number(1 if operator in ("*", "&&") else 0, where)


def _limit(plain: Arithmetic, is_greatest: bool, where: Location) -> Expr:
    """The greatest or least value of a type."""
    if not plain.is_integer:
        infinity = Raw(plain, where, "INFINITY")
        return infinity if is_greatest else Unary(plain, where, "-", infinity)
    if plain.name == "_Bool" or (plain.unsigned and not is_greatest):
        return _number(int(is_greatest), where)
    word = LIMITS[plain.name]
    if plain.name == "char" and plain.signed_char:
        word = "SCHAR"
    return Raw(plain, where, f"{'U' if plain.unsigned else ''}{word}_{'MAX' if is_greatest else 'MIN'}")


def _number(value: int, where: Location) -> IntLiteral:
    return IntLiteral(INT, where, value, str(value))
