"""Small C trees for the tests of the analyses."""

from __future__ import annotations

from accache.base.text import Location
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Cast,
    Declare,
    Evaluate,
    Expr,
    For,
    IntLiteral,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, CType, Pointer

HERE = Location("a.c", 1, 1)
INT = Arithmetic("int")
LONG = Arithmetic("long")
UINT = Arithmetic("int", unsigned=True)
SIZE_T = Arithmetic("long", unsigned=True)
SHORT = Arithmetic("short")
DOUBLE = Arithmetic("double")


def symbols(names: str) -> list[Polynomial]:
    """One polynomial a letter."""
    return [Polynomial.symbol(name) for name in names]


def lit(value: int, ctype: CType = INT) -> IntLiteral:
    return IntLiteral(ctype, HERE, value, str(value))


def var(name: str, ctype: CType = INT) -> Variable:
    return Variable(ctype, HERE, name)


def bin_(left: Expr, op: str, right: Expr, ctype: CType = INT) -> Binary:
    return Binary(ctype, HERE, op, left, right)


def neg(operand: Expr) -> Unary:
    return Unary(operand.type, HERE, "-", operand)


def cast(ctype: CType, operand: Expr) -> Cast:
    return Cast(ctype, HERE, operand)


def index(array: str, subscript: Expr) -> Subscript:
    return Subscript(DOUBLE, HERE, var(array, Pointer(DOUBLE)), subscript)


def assign(target: Expr, value: Expr, op: str = "=") -> Evaluate:
    return Evaluate(HERE, Assign(target.type, HERE, op, target, value))


def declare(name: str, init: Expr | None, ctype: CType = INT) -> Declare:
    return Declare(HERE, name, ctype, init)


def block(*items: Stmt) -> Block:
    return Block(HERE, items)


def loop(name: str, limit: Expr, *body: Stmt) -> For:
    """``for (int name = 0; name < limit; name++) { body }``."""
    step = Unary(INT, HERE, "p++", var(name))
    return For(HERE, (declare(name, lit(0)),), bin_(var(name), "<", limit), step, block(*body))
