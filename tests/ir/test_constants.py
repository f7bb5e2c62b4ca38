"""Integer constant expressions have the values that C gives them, conversions included."""

from __future__ import annotations

import pytest

from accache.base.text import Location
from accache.ir.constants import constant
from accache.ir.tree import Binary, Cast, IntLiteral
from accache.ir.types import Arithmetic

HERE = Location("a.c", 1)


@pytest.mark.parametrize(
    ("target", "value", "expected"),
    [
        (Arithmetic("char", signed_char=True), 258, 2),
        (Arithmetic("char", signed_char=True), 200, -56),
        (Arithmetic("char", unsigned=True), 258, 2),
        (Arithmetic("short"), -32769, 32767),
        (Arithmetic("int", unsigned=True), -1, 0xFFFFFFFF),
        (Arithmetic("int"), 0xFFFFFFFF, -1),
        (Arithmetic("long"), -1, -1),
        (Arithmetic("_Bool"), 2, 1),
        (Arithmetic("_Bool"), 256, 1),
        (Arithmetic("_Bool"), 0, 0),
    ],
)
def test_conversions(target: Arithmetic, value: int, expected: int) -> None:
    assert constant(Cast(target, HERE, IntLiteral(Arithmetic("long"), HERE, value, str(value)))) == expected


@pytest.mark.parametrize(
    ("left", "op", "right", "expected"),
    [
        (Arithmetic("int"), "<", Arithmetic("int", unsigned=True), 0),
        (Arithmetic("int"), ">", Arithmetic("int", unsigned=True), 1),
        (Arithmetic("int"), "<", Arithmetic("long"), 1),
        (Arithmetic("long"), "<", Arithmetic("int", unsigned=True), 1),
        (Arithmetic("int"), "<", Arithmetic("char", unsigned=True), 1),
        (Arithmetic("int"), "/", Arithmetic("int", unsigned=True), 0x7FFFFFFF),
        (Arithmetic("int"), "%", Arithmetic("long", unsigned=True), 1),
        (Arithmetic("int"), "/", Arithmetic("int"), 0),
        (Arithmetic("int"), ">>", Arithmetic("int", unsigned=True), -1),
    ],
)
def test_operands_are_converted_to_one_type(left: Arithmetic, op: str, right: Arithmetic, expected: int) -> None:
    one, two = IntLiteral(left, HERE, -1, "-1"), IntLiteral(right, HERE, 2, "2")
    is_truth = op in ("<", ">")
    kind = Arithmetic("int") if is_truth or op == ">>" else right if right.size > 4 or right.unsigned else left
    assert constant(Binary(kind, HERE, op, one, two)) == expected
