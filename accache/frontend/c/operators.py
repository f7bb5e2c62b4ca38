"""C's operators on typed operands: their types, conversions, and what of them C++ would compute in another way."""

from __future__ import annotations

from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.frontend.c import rows
from accache.frontend.c.conversions import INT_BITS, as_complex, as_integer, in_common, is_small
from accache.frontend.c.types import UNKNOWN
from accache.ir.build import INT
from accache.ir.builtins import PURE_CALLS
from accache.ir.nodes import nodes_below
from accache.ir.tree import STEPPING, Assign, Binary, Call, Cast, Conditional, Expr, IntLiteral, Member, Unary
from accache.ir.types import (
    Arithmetic,
    Complex,
    CType,
    Enum,
    Pointer,
    Record,
    element_type,
    integer_promotion,
    is_bool,
    promoted,
    resolve,
    unqualified,
)

COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!=", "&&", "||"))


def unary(op: str, operand: Expr, where: Location, *, reporter: Reporter) -> Expr:
    """An operator of one operand; steps behind it are ``p++`` and ``p--``. Reports ACC301."""
    operand = as_integer(operand) if op in ("+", "-", "~") else operand
    _check_width(op, (operand,), reporter)
    if (op in STEPPING and isinstance(resolve(operand.type), Enum)) or (op == "p++" and is_bool(operand.type)):
        look_up_twice(operand, where, reporter)
    if op == "*" and rows.is_rows(operand):
        return rows.element(operand, IntLiteral(INT, where, 0, "0"), where)
    if op in STEPPING and rows.is_rows(operand):
        _refuse_rows(op.lstrip("p"), where, reporter)
    return Unary(_unary_type(op, operand.type), where, op, operand)


def binary(op: str, left: Expr, right: Expr, where: Location, *, reporter: Reporter) -> Expr:
    """An operator of two operands that assigns nothing. Reports ACC301."""
    if op in ("+", "-") and (rows.is_rows(left) or rows.is_rows(right)):
        return _moved(op, left, right, where, reporter=reporter)
    if not (op in COMPARISONS and (is_small(left) and is_small(right))) and op not in ("&&", "||"):
        left, right = as_integer(left), right if op in ("<<", ">>") else as_integer(right)
    _check_width(op, (left, right), reporter)
    ctype: CType = INT
    if op in ("<<", ">>"):
        ctype = integer_promotion(resolve(left.type))
    elif op == "-" and element_type(left.type) and element_type(right.type):
        ctype = Arithmetic("long")
    elif op not in COMPARISONS:
        ctype = promoted(left.type, right.type)
    if op not in ("&&", "||"):
        left, right = in_common(left, right)
    return Binary(ctype, where, op, left, right)


def assignment(op: str, target: Expr, value: Expr, where: Location, *, reporter: Reporter) -> Expr:
    """An assignment, ``=`` or with another operator in front. Reports ACC301."""
    if op in ("/=", "%=") and isinstance(resolve(target.type), Enum):
        value = Cast(integer_promotion(resolve(target.type)), value.location, value)
    elif op in ("/=", "%="):
        value = as_integer(value)
    ctype = unqualified(target.type)
    if op in ("+=", "-=") and rows.is_rows(target):
        _refuse_rows(op, where, reporter)
    if op != "=" and isinstance(resolve(ctype), Enum):
        look_up_twice(target, where, reporter)
    if op == "=" or not isinstance(promoted(target.type, value.type), Complex):
        return Assign(ctype, where, op, target, value)
    left, right = in_common(target, value)
    if left is target and isinstance(resolve(ctype), Complex):
        return Assign(ctype, where, op, target, right)
    look_up_twice(target, where, reporter)
    changed = Binary(promoted(left.type, right.type), where, op[:-1], left, right)
    return Assign(ctype, where, "=", target, Cast(ctype, where, changed))


def conditional(condition: Expr, then: Expr, otherwise: Expr, where: Location) -> Expr:
    """The choice between two values."""
    ctype, chosen = then.type, resolve(then.type)
    if not isinstance(chosen, Record) and not (isinstance(chosen, Enum) and chosen == resolve(otherwise.type)):
        then, otherwise = as_integer(then), as_integer(otherwise)
        ctype = promoted(then.type, otherwise.type)
        if isinstance(ctype, Complex):
            then, otherwise = as_complex(then, ctype), as_complex(otherwise, ctype)
    return Conditional(ctype, where, condition, then, otherwise)


def _unary_type(op: str, operand: CType) -> CType:
    if op == "&":
        return Pointer(operand)
    if op == "*":
        return element_type(operand) or UNKNOWN
    if op == "!":
        return INT
    if op in ("+", "-", "~"):
        return promoted(operand, INT)
    return operand


def _moved(op: str, left: Expr, right: Expr, where: Location, *, reporter: Reporter) -> Expr:
    """A sum or difference with a pointer to arrays of variable length."""
    base, offset = (left, right) if rows.is_rows(left) else (right, left)
    if rows.is_rows(offset):
        _refuse_rows(op, where, reporter)
    return rows.moved(base, op, offset, where)


def _refuse_rows(op: str, where: Location, reporter: Reporter) -> None:
    reporter.report("ACC301", where, construct=f"{op} of pointers to arrays of variable length")


def _check_width(op: str, operands: tuple[Expr, ...], reporter: Reporter) -> None:
    """Report what C computes in the width of a bit-field, and C++ in its type."""
    wide = (side for side in operands if isinstance(side, Member) and (side.bits or 0) > INT_BITS)
    if op in ("+", "-", "*", "<<", "~") and (found := next(wide, None)):
        reporter.report("ACC301", found.location, construct="arithmetic in more than 32 bits of a bit-field")


def look_up_twice(place: Expr, where: Location, reporter: Reporter) -> None:
    """Report a place with effects, which what is emitted for an operator would look up twice."""
    if _has_effects(place):
        reporter.report("ACC301", where, construct="this operator of a place with effects")


def _has_effects(place: Expr) -> bool:
    """Whether it matters how often a place is looked up."""
    return any(
        isinstance(node, Assign)
        or (isinstance(node, Call) and node.function not in PURE_CALLS)
        or (isinstance(node, Unary) and node.op in STEPPING)
        for node in nodes_below(place)
    )
