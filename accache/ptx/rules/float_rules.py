"""What instructions compute with floating-point numbers.

Halves are computed in double, exactly or rounded to odd, and then rounded once, which gives the right result.
"""

from __future__ import annotations

from accache.ptx.rules.modifiers import Modifiers, Unsupported
from accache.ptx.rules.operation import HALVES, NAMES, Operation, each_operand, one, packed
from accache.ptx.rules.types import TYPES, Type

_ROUNDINGS = ("rn", "rz", "rm", "rp")


def floated(type_: Type, expression: str, count: int, left: Modifiers) -> Operation:
    """An expression of ``count`` values of a type, with .ftz, .sat and .relu as the modifiers say."""
    flush, saturate, relu = left.flag("ftz"), left.flag("sat"), left.flag("relu")
    half = type_.name in HALVES
    inner = "f64" if half else type_.name
    if inner not in ("f32", "f64") or (flush and inner == "f64" and not half):
        raise Unsupported(f"not with .{type_.name}")
    text = expression
    name = type_.name.removesuffix("x2")
    if half:
        text = each_operand(text, f"from_{name}")
    if flush:
        text = f"ftz_{name}({each_operand(text, f'ftz_{name}')})" if not half else text
    if saturate:
        text = f"sat_{inner}({text})"
    if relu:
        text = f"relu_{inner}({text})"
    if half:
        text = f"to_{name}({text})"
        if flush:
            text = f"ftz_{name}({each_operand(text, f'ftz_{name}')})"
    if type_.name.endswith("x2"):
        text = packed(type_, text)
    return one(type_, (type_,) * count, text)


def rounded(name: str, count: int, left: Modifiers) -> Operation:
    """An operation that IEEE 754 rounds: add, sub, mul, div, fma."""
    rounding = left.one_of(*_ROUNDINGS) or "rn"
    left.flag("noftz")
    type_ = left.type()
    arguments = ", ".join(NAMES[:count])
    if type_.name not in HALVES:
        return floated(type_, f"{name}_{rounding}_{type_.name}({arguments})", count, left)
    if rounding != "rn":
        raise Unsupported(f"not .{rounding} with .{type_.name}")
    return floated(type_, f"{name}_odd_f64({arguments})", count, left)


def fma(opcode: str, left: Modifiers) -> Operation:
    """Fma."""
    return rounded("fma", 3, left)


def divide(left: Modifiers) -> Operation:
    """div; .approx and .full are correctly rounded too, which is within what they promise."""
    if left.one_of("approx", "full"):
        return floated(left.type(), "div_rn_f32(a, b)", 2, left)
    return rounded("div", 2, left)


def root(opcode: str, left: Modifiers) -> Operation:
    """Rcp and sqrt; .approx is correctly rounded too, which is within what it promises."""
    rounding = left.one_of(*_ROUNDINGS)
    approximate = left.flag("approx")
    type_ = left.type()
    if approximate and type_.name == "f64":
        return _gross(opcode, left)
    if not rounding and not approximate:
        raise Unsupported("without a rounding")
    return floated(type_, f"{opcode}_{rounding or 'rn'}_{type_.name}(a)", 1, left)


def approximate(opcode: str, left: Modifiers) -> Operation:
    """ex2, lg2, sin, cos, tanh, rsqrt: computed in double and rounded."""
    left.flag("approx")
    type_ = left.type()
    if type_.name == "f64":
        if opcode != "rsqrt":
            raise Unsupported("not with .f64")
        return _gross(opcode, left)
    if type_.name == "f32":
        return floated(type_, f"round_f32({opcode}_f64(to_f64(a)))", 1, left)
    return floated(type_, f"{opcode}_f64(a)", 1, left)


def _gross(opcode: str, left: Modifiers) -> Operation:
    """Rcp and rsqrt .approx.f64; with .ftz they use and give the upper half of a double."""
    f64 = TYPES["f64"]
    inner = "rcp_rn_f64" if opcode == "rcp" else "rsqrt_f64"
    if left.flag("ftz"):
        return one(f64, (f64,), f"upper_f64(ftz_f64({inner}(upper_f64(ftz_f64(a)))))")
    if opcode == "rcp":
        raise Unsupported("only .approx.ftz.f64")
    return one(f64, (f64,), f"{inner}(a)")


def sign(opcode: str, left: Modifiers) -> Operation:
    """Abs and neg: only the sign bit changes."""
    type_ = left.type()
    flush = left.flag("ftz")
    if type_.name in HALVES:
        text = "a ^ 0x8000" if opcode == "neg" else "a & 0x7fff"
        if flush:
            text = f"ftz_{type_.name.removesuffix('x2')}({text})"
        return one(type_, (type_,), packed(type_, text) if type_.name.endswith("x2") else text)
    text = f"{opcode}_{type_.name}(a)"
    return one(type_, (type_,), f"ftz_{type_.name}({text})" if flush else text)


def extreme(opcode: str, left: Modifiers) -> Operation:
    """Min and max: a number wins over NaN, but for .NaN."""
    type_ = left.type()
    name = f"{opcode}_nan" if left.flag("NaN") else opcode
    suffix = type_.name if type_.name in ("f32", "f64") else "f64"
    return floated(type_, f"{name}_{suffix}(a, b)", 2, left)


def copysign(opcode: str, left: Modifiers) -> Operation:
    """The second operand with the sign of the first."""
    type_ = left.type()
    if type_.name not in ("f32", "f64"):
        raise Unsupported(f"not with .{type_.name}")
    return one(type_, (type_, type_), f"copysign_{type_.name}(a, b)")


def test_property(opcode: str, left: Modifiers) -> Operation:
    """Testp."""
    test = left.one_of("finite", "infinite", "number", "notanumber", "normal", "subnormal")
    type_ = left.type()
    if not test or type_.name not in ("f32", "f64"):
        raise Unsupported(f"not with .{type_.name}")
    name = "number_of" if test == "number" else test
    return one(TYPES["pred"], (type_,), f"istrue({name}_{type_.name}(a))")
