"""Floating-point results computed as fractions and rounded once: slow, but evidently right."""

from __future__ import annotations

import math
from fractions import Fraction

SINGLE = (24, -126, 127)
DOUBLE = (53, -1022, 1023)
HALF = (11, -14, 15)
BFLOAT = (8, -126, 127)
Format = tuple[int, int, int]  # bits of the significand; smallest and largest exponent


def rounded(value: Fraction, form: Format, mode: str) -> float:
    """The value of a format next to a fraction; ``mode`` is rn, rz, rm or rp.

    >>> rounded(Fraction(1, 3), SINGLE, "rz") < Fraction(1, 3) < rounded(Fraction(1, 3), SINGLE, "rp")
    True
    """
    precision, least, largest = form
    size = abs(value)
    if size == 0:
        return 0.0
    exponent = max(_logarithm(size), least)
    unit = Fraction(2) ** (exponent - precision + 1)
    steps, rest = divmod(size, unit)
    away = {
        "rn": 2 * rest > unit or (2 * rest == unit and steps % 2 == 1),
        "rz": False,
        "rm": rest > 0 and value < 0,
        "rp": rest > 0 and value > 0,
    }[mode]
    found = (steps + away) * unit
    limit = (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** largest
    if found > limit:
        to_infinity = mode == "rn" or (mode == "rp" and value > 0) or (mode == "rm" and value < 0)
        result = math.inf if to_infinity else float(limit)
    else:
        result = float(found)
    return -result if value < 0 else result


def _logarithm(size: Fraction) -> int:
    """The largest power of two not above a positive fraction."""
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if Fraction(2) ** guess <= size else guess - 1


def fused(a: float, b: float, c: float, form: Format, *, mode: str) -> float:
    """A * b + c, all finite."""
    product = Fraction(a) * Fraction(b)
    total = product + Fraction(c)
    if total == 0:
        signs = (math.copysign(1, a) * math.copysign(1, b), math.copysign(1, c))
        return _zero(signs, mode) if product == 0 or c == 0 or product == -Fraction(c) else 0.0
    result = rounded(total, form, mode)
    return math.copysign(result, -1.0 if total < 0 else 1.0)


def _zero(signs: tuple[float, float], mode: str) -> float:
    """The zero that two numbers of these signs add up to."""
    if signs[0] == signs[1]:
        return math.copysign(0.0, signs[0])
    return -0.0 if mode == "rm" else 0.0


def added(a: float, b: float, form: Format, mode: str) -> float:
    """A + b, both finite."""
    return fused(a, 1.0, b, form, mode=mode)


def multiplied(a: float, b: float, form: Format, mode: str) -> float:
    """A * b, both finite."""
    sign = math.copysign(1, a) * math.copysign(1, b)
    return math.copysign(rounded(Fraction(a) * Fraction(b), form, mode), sign)


def divided(a: float, b: float, form: Format, mode: str) -> float:
    """A / b, both finite, b not zero."""
    sign = math.copysign(1, a) * math.copysign(1, b)
    return math.copysign(rounded(Fraction(a) / Fraction(b), form, mode), sign)


def square_root(a: float, form: Format, mode: str) -> float:
    """The square root of a finite number above zero."""
    value = Fraction(a)
    scale = 2 * (form[0] + 4 - min(0, _logarithm(value)))
    scaled = value * Fraction(2) ** scale
    root = math.isqrt(int(scaled))
    exact = root * root == scaled
    # between two integers lies the root: a half stands for what is behind the last bit
    near = Fraction(root) if exact else root + Fraction(1, 2)
    return rounded(near / Fraction(2) ** (scale // 2), form, mode)
