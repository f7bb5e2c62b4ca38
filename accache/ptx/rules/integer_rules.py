"""What instructions compute with integers and bits."""

from __future__ import annotations

from accache.ptx.rules import float_rules
from accache.ptx.rules.modifiers import Modifiers, Unsupported
from accache.ptx.rules.operation import Operation, is_floating, one, packed, unsigned
from accache.ptx.rules.types import TYPES, Type

_U32 = TYPES["u32"]
_PAIRS = ("u16x2", "s16x2")


def add(opcode: str, left: Modifiers) -> Operation:
    """Add and sub, of all types."""
    type_ = left.last_type()
    if is_floating(type_):
        return float_rules.rounded(opcode, 2, left)
    saturate, carry = left.flag("sat"), left.flag("cc")
    left.type()
    symbol = "+" if opcode == "add" else "-"
    if type_.name in _PAIRS:
        return one(type_, (type_, type_), packed(type_, f"to_u16(a {symbol} b)"))
    if saturate:
        if type_.name != "s32":
            raise Unsupported(f"not .sat with .{type_.name}")
        return one(type_, (type_, type_), f"clamp_s32_s64(to_s64(a) {symbol} to_s64(b))")
    plain = unsigned(type_)
    out = f"carry_{plain.name}(a, {_added(opcode, plain)}, {int(opcode == 'sub')})" if carry else ""
    return one(plain, (plain, plain), f"to_{plain.name}(a {symbol} b)", out)


def add_with_carry(opcode: str, left: Modifiers) -> Operation:
    """Addc and subc.

    A difference is a + ~b + 1, and its carry the carry of that, which is 1 where nothing is borrowed: so it is on a
    GPU, and nvcc's division of 128 bits goes from sub.cc on with addc.
    """
    carry = left.flag("cc")
    plain = unsigned(left.type())
    added = _added(opcode[:3], plain)
    out = f"carry_{plain.name}(a, {added}, k)" if carry else ""
    return one(plain, (plain, plain), f"to_{plain.name}(a + {added} + to_{plain.name}(k))", out)


def _added(opcode: str, plain: Type) -> str:
    """What add or sub adds to a, beside a carry."""
    return "b" if opcode == "add" else f"to_{plain.name}(~b)"


def multiply(opcode: str, left: Modifiers) -> Operation:
    """mul, of all types."""
    type_ = left.last_type()
    if is_floating(type_):
        return float_rules.rounded("mul", 2, left)
    part = left.one_of("lo", "hi", "wide")
    left.type()
    return _product(type_, part, 2)


def multiply_add(opcode: str, left: Modifiers) -> Operation:
    """Mad and madc, of all types."""
    type_ = left.last_type()
    if is_floating(type_):
        return float_rules.rounded("fma", 3, left)
    part = left.one_of("lo", "hi", "wide")
    saturate, carry_out = left.flag("sat"), left.flag("cc")
    left.type()
    if saturate:
        if (type_.name, part) != ("s32", "hi"):
            raise Unsupported("only .hi.sat.s32")
        return one(type_, (type_,) * 3, "clamp_s32_s64(to_s64(mulhi_s32(a, b)) + to_s64(c))")
    found = _product(type_, part, 3)
    plain, (product,) = found.results[0], found.expressions
    k = "k" if opcode == "madc" else "0"
    extra = f" + to_{plain.name}(k)" if opcode == "madc" else ""
    out = f"carry_{plain.name}({product}, c, {k})" if carry_out else ""
    return Operation(found.results, found.operands, (f"to_{plain.name}({product} + c{extra})",), out)


def _product(type_: Type, part: str, count: int) -> Operation:
    """A times b: the low half, the high half, or both; a third operand has the result's type."""
    if part == "wide":
        if type_.bits not in (16, 32):
            raise Unsupported(f"not .wide with .{type_.name}")
        wide = TYPES[f"{type_.kind}{2 * type_.bits}"]
        plain = unsigned(wide)
        text = f"to_{plain.name}(to_{wide.name}(a) * to_{wide.name}(b))"
        return one(plain, (type_, type_, *((plain,) * (count - 2))), text)
    plain = unsigned(type_)
    if part == "hi":
        text = f"to_{plain.name}(mulhi_{type_.name}(a, b))"
        return one(plain, (type_, type_, *((plain,) * (count - 2))), text)
    return one(plain, (plain,) * count, f"to_{plain.name}(a * b)")


def multiply_24(opcode: str, left: Modifiers) -> Operation:
    """mul24 and mad24: products of the low 24 bits."""
    part = left.one_of("lo", "hi")
    type_ = left.type()
    if type_.bits != 32:
        raise Unsupported(f"not with .{type_.name}")
    wide = f"(cut24_{type_.name}(a) * cut24_{type_.name}(b))"
    product = f"to_u32({wide})" if part == "lo" else f"to_u32({wide} >> 16)"
    if opcode == "mad24":
        return one(_U32, (type_, type_, _U32), f"to_u32({product} + c)")
    return one(_U32, (type_, type_), product)


def divide(opcode: str, left: Modifiers) -> Operation:
    """Div and rem; a division by zero gives all ones, its remainder is the dividend."""
    if left.last_type().kind == "f":
        if opcode == "rem":
            raise Unsupported("not with floating-point numbers")
        return float_rules.divide(left)
    type_ = left.type()
    return one(type_, (type_, type_), f"{opcode}_{type_.name}(a, b)")


def sign(opcode: str, left: Modifiers) -> Operation:
    """Abs and neg, of all types."""
    type_ = left.last_type()
    if is_floating(type_):
        return float_rules.sign(opcode, left)
    left.type()
    plain = unsigned(type_)
    if opcode == "neg":
        return one(plain, (plain,), f"to_{plain.name}(0 - a)")
    return one(plain, (type_,), f"abs_{type_.name}(a)")


def extreme(opcode: str, left: Modifiers) -> Operation:
    """Min and max, of all types."""
    type_ = left.last_type()
    if is_floating(type_):
        return float_rules.extreme(opcode, left)
    relu = left.flag("relu")
    left.type()
    inner = TYPES[type_.name.removesuffix("x2")]
    text = f"{opcode}_{inner.name}(a, b)"
    if type_.name in _PAIRS:
        text = f"{opcode}_{inner.name}(to_{inner.name}(a), to_{inner.name}(b))"
    if relu:
        text = f"max_{inner.name}({text}, to_{inner.name}(0))"
    if type_.name in _PAIRS:
        text = packed(type_, f"to_u16({text})")
    return one(type_, (type_, type_), text)


def logic(opcode: str, left: Modifiers) -> Operation:
    """and, or, xor."""
    type_ = left.type()
    if type_.kind not in "bp":
        raise Unsupported(f"not with .{type_.name}")
    symbol = {"and": "&", "or": "|", "xor": "^"}[opcode]
    return one(type_, (type_, type_), f"a {symbol} b")


def invert(opcode: str, left: Modifiers) -> Operation:
    """Not and cnot."""
    type_ = left.type()
    if opcode == "cnot":
        return one(type_, (type_,), f"to_u{type_.bits}(istrue(a == 0))")
    return one(type_, (type_,), "a ^ 1" if type_.kind == "p" else "~a")


def shift(opcode: str, left: Modifiers) -> Operation:
    """Shl and shr, by at most the width."""
    type_ = left.type()
    held = TYPES[f"{'s' if type_.kind == 's' else 'u'}{type_.bits}"]
    return one(held, (held, _U32), f"{opcode}_{held.name}(a, b)")


def funnel(opcode: str, left: Modifiers) -> Operation:
    """shf: 64 bits of two operands, shifted."""
    side, mode = left.one_of("l", "r"), left.one_of("wrap", "clamp")
    type_ = left.type()
    return one(type_, (type_, type_, _U32), f"shf_{side}(a, b, {mode}_shift(c))")


def field(opcode: str, left: Modifiers) -> Operation:
    """Bfe and bfi."""
    type_ = left.type()
    if opcode == "bfi":
        return one(type_, (type_, type_, _U32, _U32), f"bfi_u{type_.bits}(a, b, c, d)")
    return one(type_, (type_, _U32, _U32), f"bfe_{type_.name}(a, b, c)")


def count_bits(opcode: str, left: Modifiers) -> Operation:
    """Popc and clz."""
    type_ = left.type()
    return one(_U32, (type_,), f"{opcode}_u{type_.bits}(a)")


def find(opcode: str, left: Modifiers) -> Operation:
    """bfind: the highest bit that is not the sign."""
    name = "bfind_shift" if left.flag("shiftamt") else "bfind"
    type_ = left.type()
    return one(_U32, (type_,), f"{name}_{type_.name}(a)")


def reverse(opcode: str, left: Modifiers) -> Operation:
    """Brev."""
    type_ = left.type()
    return one(type_, (type_,), f"brev_u{type_.bits}(a)")


def permute(opcode: str, left: Modifiers) -> Operation:
    """prmt: bytes of two operands."""
    type_ = left.type()
    mode = left.one_of("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
    return one(type_, (type_,) * 3, f"prmt_{mode}(a, b, c)" if mode else "prmt(a, b, c)")


def lookup(opcode: str, left: Modifiers) -> Operation:
    """lop3: any function of three bits."""
    type_ = left.type()
    return one(type_, (type_, type_, type_, _U32), "lop3(a, b, c, d)")


def difference(opcode: str, left: Modifiers) -> Operation:
    """Sad."""
    type_ = left.type()
    plain = unsigned(type_)
    distance = f"to_{plain.name}(max_{type_.name}(a, b)) - to_{plain.name}(min_{type_.name}(a, b))"
    return one(plain, (type_, type_, plain), f"to_{plain.name}({distance} + c)")


def dot(opcode: str, left: Modifiers) -> Operation:
    """dp4a and dp2a."""
    half = left.one_of("lo", "hi") if opcode == "dp2a" else ""
    first, second = left.type(), left.type()
    name = f"{opcode}{'_' + half if half else ''}_{first.kind}{second.kind}"
    return one(_U32, (_U32,) * 3, f"{name}(a, b, c)")


def mask(opcode: str, left: Modifiers) -> Operation:
    """Bmsk and szext."""
    mode = left.one_of("clamp", "wrap")
    type_ = left.type()
    if opcode == "bmsk":
        return one(type_, (_U32, _U32), f"bmsk_{mode}(a, b)")
    return one(type_, (type_, _U32), f"szext_{mode}_{type_.name}(a, b)")


def move(opcode: str, left: Modifiers) -> Operation:
    """Mov of a whole value."""
    type_ = left.type()
    held = type_ if type_.kind == "p" else TYPES[f"b{type_.bits}"]
    return one(held, (held,), "a")
