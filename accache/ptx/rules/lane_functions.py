"""What expressions of the instruction table call, for arrays of lanes; runtime/lane_functions.h has the same in C."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from accache.ptx.rules import exact
from accache.ptx.rules.bit_functions import BITS
from accache.ptx.rules.types import TYPES

Lanes: TypeAlias = NDArray[Any]
Function: TypeAlias = Callable[..., Lanes]
_INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
_FORMATS = {"f32": exact.SINGLE, "f64": exact.DOUBLE, "f16": exact.HALF, "bf16": exact.BFLOAT}
_ROUNDINGS = ("rn", "rz", "rm", "rp")
_NAN = np.uint32(0x7FFFFFFF).view(np.float32)


def _each(function: Callable[..., float], type_: str) -> Function:
    """A function of single numbers as one of lanes."""

    def lanes(*operands: Lanes) -> Lanes:
        columns = [np.atleast_1d(operand).tolist() for operand in operands]
        return np.array([function(*values) for values in zip(*columns, strict=True)], TYPES[type_].numpy)

    return lanes


def _where_finite(plain: Function, careful: Callable[..., float], type_: str) -> Function:
    """``careful`` for numbers; ``plain`` where an operand or the result is none, or is the same in every rounding."""

    def lanes(*operands: Lanes) -> Lanes:
        found = np.array(plain(*operands))
        finite = np.logical_and.reduce([np.isfinite(operand) for operand in operands]) & (found == found)
        finite &= ~np.isinf(found) | _overflows(operands)
        for lane in np.flatnonzero(finite):
            found[lane] = careful(*(float(operand[lane]) for operand in operands))
        return _canonical(found)

    def _overflows(operands: tuple[Lanes, ...]) -> NDArray[np.bool_]:
        """Where infinity is no exact result: nothing is divided by zero."""
        divides = careful.__name__ == "divide"
        return operands[-1] != 0 if divides else np.ones(operands[0].shape, np.bool_)

    return lanes


def _canonical(found: Lanes) -> Lanes:
    """In 32 bits there is one result that is not a number."""
    return np.where(found == found, found, _NAN) if found.dtype == np.float32 else found


def _arithmetic(type_: str) -> dict[str, Function]:
    """Sums, products, quotients and roots, in all roundings."""
    one = TYPES[type_].numpy
    plain: dict[str, Function] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "sqrt": np.sqrt,
        "rcp": lambda a: np.array(1, one) / a,
        "fma": _fma_single if type_ == "f32" else _fma_double,
    }
    found: dict[str, Function] = {
        f"{name}_rn_{type_}": _canonical_of(function) for name, function in plain.items() if name != "fma"
    }
    form = _FORMATS[type_]
    for mode in _ROUNDINGS:
        careful = _careful(form, mode)
        for name, function in plain.items():
            if name == "fma" and (mode != "rn" or type_ == "f64"):
                found[f"fma_{mode}_{type_}"] = _where_finite(_fma_plain, careful[name], type_)
            elif mode != "rn":
                found[f"{name}_{mode}_{type_}"] = _where_finite(function, careful[name], type_)
    if type_ == "f32":
        found["fma_rn_f32"] = _canonical_of(_fma_single)
    return found


def _canonical_of(function: Function) -> Function:
    return lambda *operands: _canonical(function(*operands))


def _careful(form: exact.Format, mode: str) -> dict[str, Callable[..., float]]:
    def divide(a: float, b: float) -> float:
        return exact.divided(a, b, form, mode)

    def reciprocal(a: float) -> float:
        return divide(1.0, a)

    reciprocal.__name__ = "divide"

    def root(a: float) -> float:
        return a if a == 0 else exact.square_root(a, form, mode)

    return {
        "add": lambda a, b: exact.added(a, b, form, mode),
        "sub": lambda a, b: exact.added(a, -b, form, mode),
        "mul": lambda a, b: exact.multiplied(a, b, form, mode),
        "fma": lambda a, b, c: exact.fused(a, b, c, form, mode=mode),
        "div": divide,
        "rcp": reciprocal,
        "sqrt": root,
    }


def _fma_plain(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """What is right for infinities and what is no number."""
    product = a * b
    finite = np.isfinite(a) & np.isfinite(b)
    return np.where(finite & ~np.isfinite(product), np.copysign(c.dtype.type(1), product), product) + c


def _fma_single(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """In double the product is exact, and the sum is rounded to odd."""
    wide = a.astype(np.float64) * b.astype(np.float64)
    return add_odd(wide, c.astype(np.float64)).astype(np.float32)


_fma_double = _fma_plain


def add_odd(a: Lanes, b: Lanes) -> Lanes:
    """A sum that gets an odd last bit where it is not exact, so that rounding it once more rounds the exact sum."""
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    step = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(inexact, bits + step, bits).view(np.float64)


def _odd_from_integer(a: Lanes) -> Lanes:
    """An integer in double, rounded to odd."""
    values = []
    for number in a.tolist():
        size = abs(number)
        drop = max(0, size.bit_length() - 53)
        kept = size >> drop
        kept |= int(kept << drop != size)
        values.append(math.copysign(math.ldexp(kept, drop), number))
    return np.array(values, np.float64)


def _from_integers() -> dict[str, Function]:
    found: dict[str, Function] = {}
    for source in _INTEGERS:
        found[f"odd_f64_{source}"] = _odd_from_integer
        for target in ("f32", "f64"):
            for mode in _ROUNDINGS:
                found[f"{target}_{source}_{mode}"] = _integer_to_float(target, mode)
    return found


def _integer_to_float(target: str, mode: str) -> Function:
    form = _FORMATS[target]
    return _each(lambda a: exact.rounded(Fraction(a), form, mode), target)


def _round_to(target: str, mode: str) -> Function:
    """A double rounded to a smaller format, as a value in double."""
    form = _FORMATS[target]

    def rounded(a: float) -> float:
        if not math.isfinite(a):
            return a
        return math.copysign(exact.rounded(Fraction(a), form, mode), a)

    return _each(rounded, "f64")


def _halves() -> dict[str, Function]:
    found: dict[str, Function] = {
        "from_f16": lambda a: a.astype(np.uint16).view(np.float16).astype(np.float64),
        "from_bf16": lambda a: (a.astype(np.uint32) << 16).view(np.float32).astype(np.float64),
        "round_f32": lambda a: _canonical(a.astype(np.float32)),
    }
    for mode in _ROUNDINGS:
        suffix = "" if mode == "rn" else f"_{mode}"
        half, bfloat, single = (_round_to(name, mode) for name in ("f16", "bf16", "f32"))
        found[f"to_f16{suffix}"] = lambda a, half=half: _bits_of_half(half(a))
        found[f"to_bf16{suffix}"] = lambda a, bfloat=bfloat: _bits_of_bfloat(bfloat(a))
        if suffix:
            found[f"round_f32{suffix}"] = lambda a, single=single: _canonical(single(a).astype(np.float32))
    return found


def _bits_of_half(a: Lanes) -> Lanes:
    return np.where(a == a, a.astype(np.float16).view(np.uint16), np.uint16(0x7FFF))


def _bits_of_bfloat(a: Lanes) -> Lanes:
    bits = (a.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.where(a == a, bits, np.uint16(0x7FFF))


def _flush(type_: str) -> Function:
    least = {"f32": 2.0**-126, "f64": 2.0**-1022}[type_]
    return lambda a: np.where(np.abs(a) < least, np.copysign(a.dtype.type(0), a), a)


def _values(type_: str) -> dict[str, Function]:
    """Signs, ranges and extremes."""
    sign = np.array(1 << (TYPES[type_].bits - 1), f"u{TYPES[type_].bytes}")
    unsigned = sign.dtype

    def extreme(lower: bool) -> Function:
        def lanes(a: Lanes, b: Lanes) -> Lanes:
            both = a.view(unsigned) | b.view(unsigned) if lower else a.view(unsigned) & b.view(unsigned)
            chosen = np.where((a < b) == lower, a, b)
            chosen = np.where(a == b, both.view(a.dtype), chosen)
            return _canonical(np.where(a != a, b, np.where(b != b, a, chosen)))

        return lanes

    def poisoned(function: Function) -> Function:
        return lambda a, b: np.where((a != a) | (b != b), _canonical(a + b), function(a, b))

    least, largest = extreme(lower=True), extreme(lower=False)
    return {
        f"ftz_{type_}": _flush(type_),
        f"sat_{type_}": lambda a: np.where(a > 0, np.where(a < 1, a, a.dtype.type(1)), a.dtype.type(0)),
        f"relu_{type_}": lambda a: np.where(a != a, _canonical(a), np.where(a > 0, a, a.dtype.type(0))),
        f"neg_{type_}": lambda a: (a.view(unsigned) ^ sign).view(a.dtype),
        f"abs_{type_}": lambda a: (a.view(unsigned) & ~sign).view(a.dtype),
        f"copysign_{type_}": lambda a, b: ((a.view(unsigned) & sign) | (b.view(unsigned) & ~sign)).view(a.dtype),
        f"min_{type_}": least,
        f"max_{type_}": largest,
        f"min_nan_{type_}": poisoned(least),
        f"max_nan_{type_}": poisoned(largest),
        f"finite_{type_}": np.isfinite,
        f"infinite_{type_}": np.isinf,
        f"number_of_{type_}": lambda a: a == a,
        f"notanumber_{type_}": lambda a: a != a,
        f"normal_{type_}": lambda a: np.isfinite(a) & (np.abs(a) >= np.finfo(a.dtype).tiny),
        f"subnormal_{type_}": lambda a: (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny),
    }


def _clamp(target: str) -> Function:
    """A number brought into the range of an integer; what is none becomes 0."""
    limits = np.iinfo(TYPES[target].numpy)

    def clamped(a: float) -> int:
        if a != a:
            return 0
        return limits.max if a >= limits.max else limits.min if a <= limits.min else int(a)

    return _each(clamped, target)


def _cast(target: str) -> Function:
    dtype = TYPES[target].numpy
    return lambda a: np.asarray(a).astype(dtype)


def _chosen(condition: Lanes, a: Lanes, b: Lanes) -> Lanes:
    return np.where(condition != 0, a, b)


def _functions() -> dict[str, Function]:
    found: dict[str, Function] = {
        "istrue": lambda a: (a != 0).astype(np.uint8),
        "isfalse": lambda a: (a == 0).astype(np.uint8),
        "chosen": _chosen,
        "low16": _cast("u16"),
        "high16": lambda a: (a >> 16).astype(np.uint16),
        "pack16": lambda low, high: low.astype(np.uint32) | (high.astype(np.uint32) << 16),
        "ftz_f16": lambda a: np.where(a & 0x7C00, a, a & 0x8000),
        "ftz_bf16": lambda a: np.where(a & 0x7F80, a, a & 0x8000),
        "add_odd_f64": add_odd,
        "sub_odd_f64": lambda a, b: add_odd(a, -b),
        "mul_odd_f64": lambda a, b: a * b,
        "fma_odd_f64": lambda a, b, c: add_odd(a * b, c),
        "rint_f64": np.rint,
        "trunc_f64": np.trunc,
        "floor_f64": np.floor,
        "ceil_f64": np.ceil,
        "ex2_f64": np.exp2,
        "lg2_f64": np.log2,
        "sin_f64": np.sin,
        "cos_f64": np.cos,
        "tanh_f64": np.tanh,
        "rsqrt_f64": lambda a: 1 / np.sqrt(a),
        "upper_f64": lambda a: (a.view(np.uint64) & np.uint64(0xFFFFFFFF00000000)).view(np.float64),
    }
    for target in _INTEGERS:
        found[f"to_{target}"] = _cast(target)
        for source in (*_INTEGERS, "f64"):
            found[f"clamp_{target}_{source}"] = _clamp(target)
    for type_ in ("f32", "f64"):
        found |= {f"to_{type_}": _cast(type_), **_arithmetic(type_), **_values(type_)}
    return {**found, **_halves(), **_from_integers(), **BITS}


FUNCTIONS: Mapping[str, Function] = MappingProxyType(_functions())
