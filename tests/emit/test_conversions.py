"""Between braces C++ makes no number smaller by itself: which values need a cast."""

from __future__ import annotations

import pytest

from accache.base.text import Location
from accache.emit.conversions import narrows
from accache.ir.tree import Expr, FloatLiteral, IntLiteral, Unary, Variable
from accache.ir.types import Arithmetic, Enum, Named

HERE = Location("a.c", 1)
INT, FLOAT, DOUBLE = Arithmetic("int"), Arithmetic("float"), Arithmetic("double")
UNSIGNED, BYTE = Arithmetic("int", unsigned=True), Arithmetic("char", unsigned=True)


def variable(ctype: Arithmetic) -> Expr:
    return Variable(ctype, HERE, "x")


def number(value: int) -> Expr:
    return IntLiteral(INT, HERE, value, str(value))


REAL = FloatLiteral(DOUBLE, HERE, "0.1")


@pytest.mark.parametrize(
    ("value", "target", "expected"),
    [
        (variable(DOUBLE), FLOAT, True),
        (variable(FLOAT), DOUBLE, False),
        (REAL, FLOAT, False),
        (Unary(DOUBLE, HERE, "-", REAL), FLOAT, False),
        (REAL, INT, True),
        (variable(INT), FLOAT, True),
        (variable(INT), DOUBLE, True),
        (number(3), FLOAT, False),
        (number((1 << 24) + 1), FLOAT, True),
        (variable(INT), BYTE, True),
        (variable(INT), Named("byte", BYTE), True),
        (variable(BYTE), INT, False),
        (number(255), BYTE, False),
        (number(256), BYTE, True),
        (number(-1), UNSIGNED, True),
        (variable(INT), Arithmetic("_Bool"), True),
        (variable(INT), Enum("colour"), False),
    ],
)
def test_what_narrows(value: Expr, target: Arithmetic, expected: bool) -> None:
    assert narrows(value, target) == expected
