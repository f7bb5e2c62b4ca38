"""What numbers and characters written in C are worth."""

from __future__ import annotations

import re
from decimal import Context, Decimal, localcontext
from math import inf, isfinite, nextafter

from accache.ir.types import Arithmetic, CType

_CHARACTER = re.compile(r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]+)|(?P<escape>[^xuU0-7]))|[^\\]")
ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11}
EXACT_DIGITS = 2000
"""More than any double has."""
LONG_DOUBLE_BITS = 64
"""Of the fraction of a long double, at least."""


def integer_literal(spelling: str) -> tuple[int, CType]:
    """Value and type of an integer constant."""
    digits = spelling.rstrip("uUlL")
    suffix = spelling[len(digits) :].lower()
    base = 8 if re.fullmatch(r"0[0-7]+", digits) else 0
    value = int(digits.replace("'", ""), base)
    long = "l" in suffix or value > 0x7FFFFFFF + (
        0x80000000 if "u" in suffix or base or digits[:2].lower() == "0x" else 0
    )
    unsigned = "u" in suffix or (not long and value > 0x7FFFFFFF) or value > 0x7FFFFFFFFFFFFFFF
    return value, Arithmetic("long" if long else "int", unsigned)


def character_value(spelling: str) -> int | None:
    """The value of a character constant; None where compilers may differ."""
    prefix, body = spelling[: spelling.index("'")], spelling[spelling.index("'") + 1 : -1]
    found = _CHARACTER.fullmatch(body)
    if found is None or (not prefix and not body.isascii()):
        return None
    if found["escape"]:
        return ESCAPES.get(found["escape"], ord(found["escape"]))
    value = int(found["octal"], 8) if found["octal"] else int(found["hex"], 16) if found["hex"] else ord(body)
    return value if prefix or value < 0x80 else value - 0x100  # a plain char has a sign


def double_digits(spelling: str) -> str | None:
    """The digits of a decimal long double constant that is converted to double, as ``DBL_MAX`` of gcc is.

    None for other constants, and where the long double between the two may lead to another double than the digits.
    """
    digits = spelling[:-1]
    if spelling[-1] not in "lL" or spelling[:2].lower() == "0x" or not isfinite(float(digits)):
        return None
    nearest = float(digits)
    with localcontext(Context(prec=EXACT_DIGITS)):
        value = abs(Decimal(digits))
        beside = [Decimal(other) for other in (nextafter(nearest, inf), nextafter(nearest, -inf)) if isfinite(other)]
        middles = [abs(Decimal(nearest) + other) / 2 for other in beside]
        is_clear = all(abs(value - middle) * 2 ** (LONG_DOUBLE_BITS - 2) > value for middle in middles)
    return digits if is_clear else None
