"""Functions of integers and bits for arrays of lanes; what is not plain arithmetic is done with Python's integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from accache.ptx.rules.types import TYPES

Lanes: TypeAlias = NDArray[Any]
_WIDTHS = (16, 32, 64)


def _each(function: Callable[..., int], type_: str) -> Callable[..., Lanes]:
    """A function of single integers as one of lanes; what it gives wraps around in the type."""
    kind = TYPES[type_]
    mask = (1 << kind.bits) - 1

    def lanes(*operands: Lanes) -> Lanes:
        arrays = np.broadcast_arrays(*operands)
        columns = [array.tolist() for array in arrays]
        values = [function(*numbers) & mask for numbers in zip(*columns, strict=True)]
        return np.array(values, f"u{kind.bytes}").view(kind.numpy)

    return lanes


def _by_width(bits: int) -> dict[str, Callable[..., Lanes]]:
    u, s, ones = f"u{bits}", f"s{bits}", (1 << bits) - 1
    found: dict[str, Callable[..., Lanes]] = {
        f"carry_{u}": _each(lambda a, b, k: int(a + b + k > ones), "u8"),
        f"shl_{u}": _each(lambda a, n: a << min(n, bits), u),
        f"abs_{s}": _each(abs, u),
        f"popc_{u}": _each(lambda a: a.bit_count(), "u32"),
        f"clz_{u}": _each(lambda a: bits - a.bit_length(), "u32"),
        f"brev_{u}": _each(lambda a: int(f"{a:0{bits}b}"[::-1], 2), u),
        f"bfi_{u}": _each(lambda a, b, at, n: _insert(a, b, at & 255, n & 255, ones=ones), u),
        f"bfe_{u}": _each(lambda a, at, n: a >> (at & 255) & ((1 << (n & 255)) - 1), u),
        f"bfe_{s}": _each(lambda a, at, n: _extract(a, at & 255, n & 255, bits), s),
    }
    for type_ in (u, s):
        found |= {
            f"mulhi_{type_}": _each(lambda a, b: a * b >> bits, type_),
            f"div_{type_}": _each(_divide, type_),
            f"rem_{type_}": _each(lambda a, b: a - _divide(a, b) * b if b else a, type_),
            f"min_{type_}": np.minimum,
            f"max_{type_}": np.maximum,
            f"shr_{type_}": _each(lambda a, n: a >> min(n, bits), type_),
            f"bfind_{type_}": _each(lambda a: _highest(a), "u32"),
            f"bfind_shift_{type_}": _each(lambda a: _shift_to_top(a, bits), "u32"),
        }
    return found


def _divide(a: int, b: int) -> int:
    """A quotient rounded towards zero; all ones where nothing can be divided."""
    if b == 0:
        return -1
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _highest(a: int) -> int:
    """The place of the highest bit that differs from the sign; -1 if there is none."""
    return (~a if a < 0 else a).bit_length() - 1


def _shift_to_top(a: int, bits: int) -> int:
    place = _highest(a)
    return -1 if place < 0 else bits - 1 - place


def _insert(a: int, b: int, at: int, count: int, *, ones: int) -> int:
    mask = (((1 << count) - 1) << at) & ones
    return (b & ~mask) | (a << at & mask)


def _extract(a: int, at: int, count: int, bits: int) -> int:
    """A field of a signed integer; its sign is the last of its bits that the integer has."""
    if count == 0:
        return 0
    last = min(at + count - 1, bits - 1)
    negative = a >> last & 1
    kept = max(0, last - at + 1)
    field = a >> at & ((1 << kept) - 1)
    return field - (1 << kept) if negative else field


def _bytes(a: int, b: int, selectors: tuple[int, ...]) -> int:
    """Bytes of two words, chosen one by one; a selector of 8 and more takes the sign of a byte."""
    both = a | b << 32
    found = 0
    for place, selector in enumerate(selectors):
        byte = both >> 8 * (selector & 7) & 255
        if selector & 8:
            byte = 255 if byte & 128 else 0
        found |= byte << 8 * place
    return found


def _permutations() -> dict[str, Callable[..., Lanes]]:
    choices: dict[str, Callable[[int], tuple[int, ...]]] = {
        "prmt": lambda c: tuple(c >> shift & 15 for shift in (0, 4, 8, 12)),
        "prmt_f4e": lambda c: tuple((c & 3) + place for place in range(4)),
        "prmt_b4e": lambda c: tuple(((c & 3) - place) % 8 for place in range(4)),
        "prmt_rc8": lambda c: (c & 3,) * 4,
        "prmt_ecl": lambda c: tuple(max(c & 3, place) for place in range(4)),
        "prmt_ecr": lambda c: tuple(min(c & 3, place) for place in range(4)),
        "prmt_rc16": lambda c: (2 * (c & 1), 2 * (c & 1) + 1) * 2,
    }
    return {
        name: _each(lambda a, b, c, choose=choose: _bytes(a, b, choose(c)), "u32") for name, choose in choices.items()
    }


def _table(a: int, b: int, c: int, table: int) -> int:
    """lop3: the three bits at a place choose a bit of the table."""
    found = 0
    for place in range(32):
        index = (a >> place & 1) * 4 + (b >> place & 1) * 2 + (c >> place & 1)
        found |= (table >> index & 1) << place
    return found


def _part(word: int, place: int, bits: int, kind: str) -> int:
    value = word >> bits * place & ((1 << bits) - 1)
    return value - (1 << bits) if kind == "s" and value >> (bits - 1) else value


def _dots() -> dict[str, Callable[..., Lanes]]:
    found: dict[str, Callable[..., Lanes]] = {}
    for x in "us":
        for y in "us":

            def four(a: int, b: int, c: int, x: str = x, *, y: str = y) -> int:
                return c + sum(_part(a, i, 8, x) * _part(b, i, 8, y) for i in range(4))

            def two(a: int, b: int, c: int, x: str = x, *, y: str = y) -> int:
                return c + sum(_part(a, i, 16, x) * _part(b, i, 8, y) for i in range(2))

            found[f"dp4a_{x}{y}"] = _each(four, "u32")
            found[f"dp2a_lo_{x}{y}"] = _each(two, "u32")
            found[f"dp2a_hi_{x}{y}"] = _each(lambda a, b, c, two=two: two(a, b >> 16, c), "u32")
    return found


def _mask(at: int, count: int) -> int:
    return ((1 << min(count, 32)) - 1) << min(at, 32)


def _sign_extended(a: int, count: int) -> int:
    if count == 0:
        return 0
    return _part(a, 0, min(count, 32), "s")


_OTHERS: dict[str, Callable[..., Lanes]] = {
    "cut24_u32": _each(lambda a: a & 0xFFFFFF, "u64"),
    "cut24_s32": _each(lambda a: _part(a, 0, 24, "s"), "s64"),
    "clamp_shift": _each(lambda n: min(n, 32), "u32"),
    "wrap_shift": _each(lambda n: n & 31, "u32"),
    "shf_l": _each(lambda a, b, n: (b << 32 | a) << n >> 32, "u32"),
    "shf_r": _each(lambda a, b, n: (b << 32 | a) >> n, "u32"),
    "lop3": _each(_table, "u32"),
    "bmsk_clamp": _each(_mask, "u32"),
    "bmsk_wrap": _each(lambda at, count: _mask(at & 31, count & 31), "u32"),
    "szext_clamp_u32": _each(lambda a, n: a & ((1 << min(n, 32)) - 1), "u32"),
    "szext_wrap_u32": _each(lambda a, n: a & ((1 << (n & 31)) - 1), "u32"),
    "szext_clamp_s32": _each(lambda a, n: _sign_extended(a, n), "s32"),
    "szext_wrap_s32": _each(lambda a, n: _sign_extended(a, n & 31), "s32"),
}


def _all() -> dict[str, Callable[..., Lanes]]:
    found = dict(_OTHERS)
    for bits in _WIDTHS:
        found |= _by_width(bits)
    return found | _permutations() | _dots()


BITS: Mapping[str, Callable[..., Lanes]] = MappingProxyType(_all())
