"""What instructions find out by comparing, and what they choose by it."""

from __future__ import annotations

from accache.ptx.rules.modifiers import Modifiers, Unsupported
from accache.ptx.rules.operation import Operation, each_operand, is_floating, one, packed
from accache.ptx.rules.types import TYPES, Type

_PREDICATE = TYPES["pred"]
_INTEGERS = {
    "eq": "a == b",
    "ne": "a != b",
    "lt": "a < b",
    "le": "a <= b",
    "gt": "a > b",
    "ge": "a >= b",
    "lo": "a < b",
    "ls": "a <= b",
    "hi": "a > b",
    "hs": "a >= b",
}
# Those that end in u are true for NaN, the others false.
_FLOATS = {
    "eq": "a == b",
    "ne": "(a < b) | (a > b)",
    "lt": "a < b",
    "le": "a <= b",
    "gt": "a > b",
    "ge": "a >= b",
    "num": "(a == a) & (b == b)",
    "nan": "(a != a) | (b != b)",
    "neu": "a != b",
    "equ": "isfalse((a < b) | (a > b))",
    "ltu": "isfalse(a >= b)",
    "leu": "isfalse(a > b)",
    "gtu": "isfalse(a <= b)",
    "geu": "isfalse(a < b)",
}
_COMBINED = {"and": "&", "or": "|", "xor": "^"}


def _comparison(left: Modifiers, type_: Type) -> str:
    """What the modifiers compare, as an expression of two values of a type; a pair is one of its halves."""
    table = _FLOATS if is_floating(type_) else _INTEGERS
    name = left.one_of(*table)
    if not name:
        raise Unsupported(f"without a comparison of .{type_.name}")
    flush, half = left.flag("ftz"), type_.name.removesuffix("x2")
    text = table[name]
    if half in ("f16", "bf16"):
        text = each_operand(text, f"from_{half}")
    return each_operand(text, f"ftz_{half}") if flush else text


def set_predicate(opcode: str, left: Modifiers) -> Operation:
    """setp: a predicate and its contrary, which may be combined with a third operand."""
    type_ = left.last_type()
    if type_.name.endswith("x2"):
        raise Unsupported(f"not with .{type_.name}")
    text = _comparison(left, type_)
    combined = left.one_of(*_COMBINED)
    left.type()
    texts = (f"istrue({text})", f"isfalse({text})")
    if not combined:
        return Operation((_PREDICATE, _PREDICATE), (type_, type_), texts)
    texts = (f"{texts[0]} {_COMBINED[combined]} c", f"{texts[1]} {_COMBINED[combined]} c")
    return Operation((_PREDICATE, _PREDICATE), (type_, type_, _PREDICATE), texts)


def set_value(opcode: str, left: Modifiers) -> Operation:
    """set: all ones or 1.0 where the comparison holds, else 0."""
    type_ = left.last_type()
    text = f"istrue({_comparison(left, type_)})"
    combined = left.one_of(*_COMBINED)
    result = left.type()
    left.type()
    operands: tuple[Type, ...] = (type_, type_)
    if combined:
        if type_.name.endswith("x2"):
            raise Unsupported(f"not .{combined} with .{type_.name}")
        operands, text = (*operands, _PREDICATE), f"({text} {_COMBINED[combined]} c)"
    half = result.name.removesuffix("x2")
    if half in ("f16", "bf16"):
        text = f"to_{half}(to_f64({text}))"
    elif result.kind == "f":
        text = f"to_{result.name}({text})"
    else:
        text = f"to_u{16 if type_.name.endswith('x2') else result.bits}(0 - to_s32({text}))"
    return one(result, operands, packed(type_, text) if type_.name.endswith("x2") else text)


def select(opcode: str, left: Modifiers) -> Operation:
    """Selp and slct."""
    flush = left.flag("ftz")
    type_ = left.type()
    held = TYPES[f"b{type_.bits}"]
    if opcode == "selp":
        return one(held, (held, held, _PREDICATE), "chosen(c, a, b)")
    chooser = left.type()
    value = f"ftz_{chooser.name}(c)" if flush else "c"
    return one(held, (held, held, chooser), f"chosen({value} >= 0, a, b)")
