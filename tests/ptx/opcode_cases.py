"""Instructions that compute in a lane, with what they shall give: functions of Python's own numbers."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

Truth = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """An instruction without operands, the types of its result and operands, and the truth.

    ``ulps`` is how many units of the last place a floating result may be off. ``text`` is the whole instruction where
    it does not simply have the result in front of the operands ``{a}``, ``{b}``, ...
    """

    name: str
    result: str
    operands: tuple[str, ...]
    truth: Truth
    ulps: int = 0
    text: str = ""


def _case(name: str, result: str, operands: str, truth: Truth, ulps: int = 0, text: str = "") -> Case:
    return Case(name, result, tuple(operands.split()), truth, ulps, text)


def _wrap(value: int, bits: int, signed: bool) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _clamp(value: float, bits: int, signed: bool) -> int:
    if math.isnan(value):
        return 0
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return high if value >= high else low if value <= low else int(value)


def _sizes(type_: str) -> tuple[int, bool]:
    return int(type_[1:]), type_[0] == "s"


def _integers(bits: int) -> list[Case]:
    cases = []
    for sign in "us":
        t = f"{sign}{bits}"
        signed = sign == "s"
        cases += [
            _case(f"add.{t}", t, f"{t} {t}", lambda a, b: a + b),
            _case(f"sub.{t}", t, f"{t} {t}", lambda a, b: a - b),
            _case(f"mul.lo.{t}", t, f"{t} {t}", lambda a, b: a * b),
            _case(f"mul.hi.{t}", t, f"{t} {t}", lambda a, b, bits=bits: a * b >> bits),
            _case(f"mad.lo.{t}", t, f"{t} {t} {t}", lambda a, b, c: a * b + c),
            _case(f"mad.hi.{t}", t, f"{t} {t} {t}", lambda a, b, c, bits=bits: (a * b >> bits) + c),
            _case(f"min.{t}", t, f"{t} {t}", min),
            _case(f"max.{t}", t, f"{t} {t}", max),
            _case(f"div.{t}", t, f"{t} {t}", _quotient),
            _case(f"rem.{t}", t, f"{t} {t}", lambda a, b: a - _quotient(a, b) * b if b else a),
            _case(f"sad.{t}", t, f"{t} {t} {t}", lambda a, b, c: abs(a - b) + c),
            _case(f"shr.{t}", t, f"{t} shift", lambda a, n: a >> n),
            _case(f"setp.lt.{t}", "pred", f"{t} {t}", lambda a, b: a < b),
            _case(f"setp.ge.{t}", "pred", f"{t} {t}", lambda a, b: a >= b),
            _case(f"selp.{t}", t, f"{t} {t} pred", lambda a, b, p: a if p else b),
            _case(f"slct.{t}.s32", t, f"{t} {t} s32", lambda a, b, c: a if c >= 0 else b),
        ]
        if signed:
            cases += [_case(f"abs.{t}", t, t, abs), _case(f"neg.{t}", t, t, lambda a: -a)]
        if bits < 64:
            wide = f"{sign}{2 * bits}"
            cases += [
                _case(f"mul.wide.{t}", wide, f"{t} {t}", lambda a, b: a * b),
                _case(f"mad.wide.{t}", wide, f"{t} {t} {wide}", lambda a, b, c: a * b + c),
            ]
    b, u = f"b{bits}", f"u{bits}"
    cases += [
        _case(f"and.{b}", u, f"{u} {u}", lambda a, b: a & b),
        _case(f"or.{b}", u, f"{u} {u}", lambda a, b: a | b),
        _case(f"xor.{b}", u, f"{u} {u}", lambda a, b: a ^ b),
        _case(f"not.{b}", u, u, lambda a: ~a),
        _case(f"cnot.{b}", u, u, lambda a: int(a == 0)),
        _case(f"shl.{b}", u, f"{u} shift", lambda a, n: a << n),
        _case(f"setp.hi.{u}", "pred", f"{u} {u}", lambda a, b: a > b),
        _case(f"set.eq.u32.{b}", "u32", f"{u} {u}", lambda a, b: -int(a == b)),
        _case(f"set.ne.f32.{u}", "f32", f"{u} {u}", lambda a, b: float(a != b)),
    ]
    return cases


def _bits(bits: int) -> list[Case]:
    u, s = f"u{bits}", f"s{bits}"

    def extract(a: int, at: int, count: int) -> int:
        at, count = at & 255, count & 255
        if count == 0:
            return 0
        text = [a >> min(place, bits - 1) & 1 for place in range(at, at + count)]
        kept = text[: max(0, bits - at)] or [a >> (bits - 1) & 1]
        value = sum(bit << place for place, bit in enumerate(kept))
        return value - (1 << len(kept)) * kept[-1]

    def insert(a: int, b: int, at: int, count: int) -> int:
        for place in range(count & 255):
            if (at & 255) + place < bits:
                bit = 1 << ((at & 255) + place)
                b = b | bit if a >> place & 1 else b & ~bit
        return b

    return [
        _case(f"popc.b{bits}", "u32", u, lambda a: bin(a).count("1")),
        _case(f"clz.b{bits}", "u32", u, lambda a: bits - a.bit_length()),
        _case(f"brev.b{bits}", u, u, lambda a: int(bin(a)[2:].zfill(bits)[::-1], 2)),
        _case(f"bfind.u{bits}", "u32", u, lambda a: a.bit_length() - 1),
        _case(
            f"bfind.shiftamt.{s}", "u32", s, lambda a: -1 if a in (0, -1) else bits - (a if a > 0 else ~a).bit_length()
        ),
        _case(f"bfe.{u}", u, f"{u} shift shift", lambda a, at, n: a >> (at & 255) & ((1 << (n & 255)) - 1)),
        _case(f"bfe.{s}", s, f"{s} shift shift", extract),
        _case(f"bfi.b{bits}", u, f"{u} {u} shift shift", insert),
    ]


def _words() -> list[Case]:
    def bytes_of(a: int, b: int) -> list[int]:
        return list((a | b << 32).to_bytes(8, "little"))

    def permuted(a: int, b: int, c: int) -> int:
        found = []
        for place in range(4):
            selector = c >> 4 * place & 15
            byte = bytes_of(a, b)[selector & 7]
            found.append((255 if byte > 127 else 0) if selector & 8 else byte)
        return int.from_bytes(bytes(found), "little")

    def dots(a: int, b: int, c: int) -> int:
        x, y = struct.unpack("<4b", struct.pack("<I", a)), struct.pack("<I", b)
        return c + sum(p * q for p, q in zip(x, y, strict=True))

    both = "u32 u32"
    return [
        _case("prmt.b32", "u32", f"{both} u32", permuted),
        _case("prmt.b32.rc16", "u32", f"{both} u32", lambda a, b, c: (a >> 16 * (c & 1) & 0xFFFF) * 0x10001),
        _case("prmt.b32.f4e", "u32", f"{both} u32", lambda a, b, c: (a | b << 32) >> 8 * (c & 3)),
        _case("shf.l.wrap.b32", "u32", f"{both} u32", lambda a, b, n: (b << 32 | a) << (n & 31) >> 32),
        _case("shf.r.clamp.b32", "u32", f"{both} shift", lambda a, b, n: (b << 32 | a) >> min(n, 32)),
        _case("lop3.b32", "u32", "u32 u32 u32", lambda a, b, c: a ^ b ^ c, text="lop3.b32 {r}, {a}, {b}, {c}, 0x96;"),
        _case("dp4a.s32.u32", "s32", "u32 u32 u32", dots),
        _case(
            "dp2a.hi.u32.u32", "u32", "u32 u32 u32",
            lambda a, b, c: c + (a & 65535) * (b >> 16 & 255) + (a >> 16) * (b >> 24),
        ),
        _case("mad24.lo.u32", "u32", "u32 u32 u32", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c),
        _case("mul24.lo.s32", "s32", "s32 s32", lambda a, b: _wrap(a, 24, True) * _wrap(b, 24, True)),
        _case("mul24.hi.u32", "u32", both, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16),
        _case("bmsk.clamp.b32", "u32", "shift shift", lambda at, n: ((1 << min(n, 32)) - 1) << at if at < 32 else 0),
        _case("szext.wrap.s32", "s32", "s32 shift", lambda a, n: _wrap(a, n & 31, True) if n & 31 else 0),
        _case("add.sat.s32", "s32", "s32 s32", lambda a, b: _clamp(a + b, 32, True)),
        _case("add.u16x2", "u32", both, lambda a, b: (a + b & 0xFFFF) | ((a >> 16) + (b >> 16) & 0xFFFF) << 16),
        _case(
            "add.cc.u32", "u32", "u32 u32 u32", lambda a, b, c: c + (a + b >> 32),
            text="add.cc.u32 {r}, {a}, {b}; addc.u32 {r}, {c}, 0;",
        ),
        _case(
            "subc.u64", "u64", "u64 u64 u64", lambda a, b, c: c - 5 - (a < b),
            text="sub.cc.u64 {r}, {a}, {b}; subc.u64 {r}, {c}, 5;",
        ),
        _case(
            "sub.cc.u32", "u32", "u32 u32 u32", lambda a, b, c: c + (a >= b),
            text="sub.cc.u32 {r}, {a}, {b}; addc.u32 {r}, {c}, 0;",
        ),
        _case(
            "subc.cc.u32", "u32", "u32 u32 u32", lambda a, b, c: b + (a >= 1 + (c + b < 1 << 32)),
            text="add.cc.u32 {r}, {c}, {b}; subc.cc.u32 {r}, {a}, 1; addc.u32 {r}, {b}, 0;",
        ),
        _case(
            "madc.hi.u32", "u32", "u32 u32 u32", lambda a, b, c: a * b + c >> 32,
            text="mad.lo.cc.u32 {r}, {a}, {b}, {c}; madc.hi.u32 {r}, {a}, {b}, 0;",
        ),
        _case("isspacep.shared", "pred", "u64", lambda a: False, text="isspacep.shared {r}, {a};"),
        _case(
            "setp.and", "pred", "s32 s32 pred", lambda a, b, p: not a < b and p,
            text="setp.lt.and.s32 _|{r}, {a}, {b}, {c};",
        ),
        _case("mov vectors", "u32", "u64", lambda a: a >> 32, text="mov.b64 {{_, {r}}}, {a};"),
        _case("mov packs", "u64", "u32 u32", lambda a, b: a | b << 32, text="mov.b64 {r}, {{{a}, {b}}};"),
    ]  # fmt: skip


def _round(value: Fraction, bits: int, mode: str) -> float:
    """A fraction as a float of 32 or 64 bits, by comparing with its neighbours."""
    dtype = np.dtype(f"f{bits // 8}").type
    near = dtype(float(value)) if bits == 64 else dtype(np.float64(float(value)))
    candidates = {float(near), float(np.nextafter(near, dtype(-np.inf))), float(np.nextafter(near, dtype(np.inf)))}
    finite = sorted(x for x in candidates if math.isfinite(x))
    if mode == "rn":
        best = min(abs(Fraction(x) - value) for x in finite)
        nearest = [x for x in finite if abs(Fraction(x) - value) == best]
        even = [x for x in nearest if int(np.array(x, dtype).view(f"u{bits // 8}")) % 2 == 0]
        return (even or nearest)[0]
    down = max(x for x in finite if Fraction(x) <= value)
    up = min(x for x in finite if Fraction(x) >= value)
    return {"rm": down, "rp": up, "rz": down if value > 0 else up}[mode]


def _floats(bits: int) -> list[Case]:
    t = f"f{bits}"
    dtype = np.dtype(f"f{bits // 8}").type

    def plain(function: Callable[..., Any]) -> Truth:
        def truth(*operands: float) -> float:
            with np.errstate(all="ignore"):
                return float(dtype(function(*map(dtype, operands))))

        return truth

    def exactly(function: Callable[..., Fraction], mode: str) -> Truth:
        def truth(*operands: float) -> float | None:
            if not all(map(math.isfinite, operands)):
                return None
            value = function(*map(Fraction, operands))
            limit = 2 ** (120 if bits == 32 else 1000)
            return None if value == 0 or abs(value) > limit else _round(value, bits, mode)

        return truth

    def least(a: float, b: float) -> float:
        return b if math.isnan(a) else a if math.isnan(b) else min(a, b)

    cases = [
        _case(f"add.{t}", t, f"{t} {t}", plain(lambda a, b: a + b)),
        _case(f"sub.rn.{t}", t, f"{t} {t}", plain(lambda a, b: a - b)),
        _case(f"mul.{t}", t, f"{t} {t}", plain(lambda a, b: a * b)),
        _case(f"div.rn.{t}", t, f"{t} {t}", plain(lambda a, b: a / b)),
        _case(f"rcp.rn.{t}", t, t, plain(lambda a: dtype(1) / a)),
        _case(f"sqrt.rn.{t}", t, t, plain(np.sqrt)),
        _case(f"neg.{t}", t, t, lambda a: -a),
        _case(f"abs.{t}", t, t, abs),
        _case(f"min.{t}", t, f"{t} {t}", least),
        _case(f"max.NaN.{t}" if bits == 32 else f"max.{t}", t, f"{t} {t}", _largest_or_nan if bits == 32 else _largest),
        _case(f"copysign.{t}", t, f"{t} {t}", lambda a, b: math.copysign(b, a)),
        _case(f"testp.finite.{t}", "pred", t, math.isfinite),
        _case(f"setp.lt.{t}", "pred", f"{t} {t}", lambda a, b: a < b),
        _case(f"setp.geu.{t}", "pred", f"{t} {t}", lambda a, b: not a < b),
        _case(f"setp.ne.{t}", "pred", f"{t} {t}", lambda a, b: a < b or a > b),
        _case(f"setp.equ.{t}", "pred", f"{t} {t}", lambda a, b: not (a < b or a > b)),
        _case(f"setp.nan.{t}", "pred", f"{t} {t}", lambda a, b: math.isnan(a) or math.isnan(b)),
    ]
    for mode in ("rn", "rz", "rm", "rp"):
        cases.append(_case(f"fma.{mode}.{t}", t, f"{t} {t} {t}", exactly(lambda a, b, c: a * b + c, mode)))
    for mode in ("rz", "rm", "rp"):
        cases += [
            _case(f"add.{mode}.{t}", t, f"{t} {t}", exactly(lambda a, b: a + b, mode)),
            _case(f"mul.{mode}.{t}", t, f"{t} {t}", exactly(lambda a, b: a * b, mode)),
            _case(f"div.{mode}.{t}", t, f"{t} {t}", _divided(bits, mode)),
            _case(f"sqrt.{mode}.{t}", t, t, _root(bits, mode)),
        ]
    return cases


def _largest(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else max(a, b)


def _largest_or_nan(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


def _divided(bits: int, mode: str) -> Truth:
    def truth(a: float, b: float) -> float | None:
        if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0:
            return None
        value = Fraction(a) / Fraction(b)
        return _round(value, bits, mode) if abs(value) < 2**120 else None

    return truth


def _root(bits: int, mode: str) -> Truth:
    def truth(a: float) -> float | None:
        if not 0 < a < math.inf:
            return None
        near = _round(Fraction(math.sqrt(a)), bits, "rn")
        dtype = np.dtype(f"f{bits // 8}").type
        around = [
            float(np.nextafter(dtype(near), dtype(-np.inf))),
            near,
            float(np.nextafter(dtype(near), dtype(np.inf))),
        ]
        value = Fraction(a)
        down = max(x for x in around if Fraction(x) ** 2 <= value)
        up = min(x for x in around if Fraction(x) ** 2 >= value)
        return up if mode == "rp" else down

    return truth


def _single(function: Callable[[float], float]) -> Truth:
    def truth(a: float) -> float | None:
        try:
            with np.errstate(over="ignore"):
                return float(np.float32(function(a)))
        except (ValueError, OverflowError, ZeroDivisionError):
            return None

    return truth


def _tiny(a: float) -> float:
    return math.copysign(0.0, a) if abs(a) < 2.0**-126 else a


def _special() -> list[Case]:
    f = "f32"
    return [
        _case("add.ftz.f32", f, "f32 f32", lambda a, b: _tiny(float(np.float32(_tiny(a)) + np.float32(_tiny(b))))),
        _case("mul.sat.f32", f, "f32 f32", _saturated),
        _case("div.approx.f32", f, "f32 f32", lambda a, b: _over(a, b), 2),
        _case("ex2.approx.f32", f, f, _single(lambda a: 2.0**a), 2),
        _case("lg2.approx.f32", f, f, _single(math.log2), 2),
        _case("sin.approx.f32", f, f, _single(math.sin), 2),
        _case("cos.approx.f32", f, f, _single(math.cos), 2),
        _case("tanh.approx.f32", f, f, _single(math.tanh), 2),
        _case("rsqrt.approx.f32", f, f, _single(lambda a: 1 / math.sqrt(a)), 2),
        _case("rcp.approx.ftz.f64", "f64", "f64", _gross),
        _case("fma.rn.f16", "f16", "f16 f16 f16", _halved(lambda a, b, c: a * b + c)),
        _case("add.f16", "f16", "f16 f16", _halved(lambda a, b: a + b)),
        _case("mul.rn.f16", "f16", "f16 f16", _halved(lambda a, b: a * b)),
        _case("neg.f16", "f16", "f16", lambda a: -a),
        _case("set.gt.u32.f16", "u32", "f16 f16", lambda a, b: -int(a > b), text="set.gt.u32.f16 {r}, {a}, {b};"),
        _case("cvt.f32.f16", f, "f16", float),
        _case("cvt.rn.f16.f32", "f16", f, _halved(lambda a: a)),
        _case("cvt.rn.bf16.f32", "u16", f, _bfloat, text="cvt.rn.bf16.f32 {r}, {a};"),
    ]


def _saturated(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        product = float(np.float32(a) * np.float32(b))
    return product if 0 < product < 1 else 1.0 if product >= 1 else 0.0


def _over(a: float, b: float) -> float | None:
    with np.errstate(all="ignore"):
        return float(np.float32(a) / np.float32(b))


def _gross(a: float) -> float | None:
    if not math.isfinite(a) or abs(a) < 2.0**-1000 or abs(a) > 2.0**1000:
        return None
    (bits,) = struct.unpack("<Q", struct.pack("<d", a))
    (upper,) = struct.unpack("<d", struct.pack("<Q", bits >> 32 << 32))
    (bits,) = struct.unpack("<Q", struct.pack("<d", 1 / upper))
    (found,) = struct.unpack("<d", struct.pack("<Q", bits >> 32 << 32))
    return float(found)


def _halved(function: Callable[..., Any]) -> Truth:
    def truth(*operands: float) -> float | None:
        if not all(map(math.isfinite, operands)):
            return None
        value = function(*map(Fraction, operands))
        if value == 0:
            return None
        with np.errstate(all="ignore"):
            near = np.float16(float(value))
            around = [np.nextafter(near, np.float16(-np.inf)), near, np.nextafter(near, np.float16(np.inf))]
        finite = [x for x in around if np.isfinite(x)]
        if abs(value) >= 65520 or not finite:
            return math.copysign(math.inf, value)
        best = min(abs(Fraction(float(x)) - value) for x in finite)
        nearest = [x for x in finite if abs(Fraction(float(x)) - value) == best]
        return float(next((x for x in nearest if x.view(np.uint16) % 2 == 0), nearest[0]))

    return truth


def _bfloat(a: float) -> int:
    (bits,) = struct.unpack("<I", struct.pack("<f", a))
    if math.isnan(a):
        return 0x7FFF
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _conversions() -> list[Case]:
    cases = []
    integers = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    ways: dict[str, Callable[[float], Any]] = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}
    for target in integers:
        size, signed = _sizes(target)
        for source in ("f32", "f64"):
            for way, function in ways.items():
                if way in ("rzi", "rni") or (target, source) in (("s32", "f32"), ("u64", "f64")):
                    cases.append(
                        _case(f"cvt.{way}.{target}.{source}", target, source, _to_integer(function, size, signed))
                    )
        for source in integers:
            if source != target:
                cases.append(_case(f"cvt.{target}.{source}", target, source, lambda a: a))
        cases.append(_case(f"cvt.sat.{target}.s32", target, "s32", lambda a, b=size, s=signed: _clamp(a, b, s)))
        for float_type in ("f32", "f64"):
            cases.append(_case(f"cvt.rn.{float_type}.{target}", float_type, target, _from_integer(float_type, "rn")))
    for mode in ("rz", "rm", "rp"):
        for source in ("s32", "u64", "s64"):
            cases.append(_case(f"cvt.{mode}.f32.{source}", "f32", source, _from_integer("f32", mode)))
        cases.append(_case(f"cvt.{mode}.f64.u64", "f64", "u64", _from_integer("f64", mode)))
        cases.append(_case(f"cvt.{mode}.f32.f64", "f32", "f64", _narrowed(mode)))
    cases += [
        _case("cvt.rn.f32.f64", "f32", "f64", lambda a: float(np.float64(a).astype(np.float32))),
        _case("cvt.f64.f32", "f64", "f32", float),
        _case("cvt.rni.f32.f32", "f32", "f32", lambda a: float(np.rint(a))),
        _case("cvt.rmi.f64.f64", "f64", "f64", lambda a: float(np.floor(a))),
        _case("cvt.sat.f32.f32", "f32", "f32", lambda a: a if 0 < a < 1 else 1.0 if a >= 1 else 0.0),
    ]
    return cases


def _to_integer(function: Callable[[float], Any], bits: int, signed: bool) -> Truth:
    return lambda a: _clamp(function(a) if math.isfinite(a) else a, bits, signed)


def _from_integer(type_: str, mode: str) -> Truth:
    return lambda a: _round(Fraction(a), int(type_[1:]), mode) if a else 0.0


def _narrowed(mode: str) -> Truth:
    def truth(a: float) -> float | None:
        return _round(Fraction(a), 32, mode) if math.isfinite(a) and a != 0 and abs(a) < 2.0**120 else None

    return truth


INTEGER_CASES = [*_integers(16), *_integers(32), *_integers(64), *_bits(32), *_bits(64), *_words()]
FLOAT_CASES = [*_floats(32), *_floats(64), *_special(), *_conversions()]
