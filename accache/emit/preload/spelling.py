"""How symbols, polynomials and places are spelled in a kernel's text."""

from __future__ import annotations

from collections.abc import Callable

from accache.cuda.words import POSITIONS
from accache.density.footprints import Place
from accache.ir.names import user_name
from accache.ir.polynomial import Polynomial
from accache.preload.plan import CHUNK


def position(name: str) -> str:
    """The text of a position such as ``threadIdx_x``; '' if a name is none."""
    word, _, axis = name.rpartition("_")
    return f"{word}.{axis}" if word in POSITIONS and axis in ("x", "y", "z") else ""


def unsigned(value: Polynomial) -> str:
    """A polynomial as C computes it modulo 2**32."""
    text = ""
    for monomial, factor in value.terms:
        names = [position(name) or f"(unsigned){user_name(name).removeprefix('@')}" for name in monomial]
        sign = " - " if factor < 0 else " + "
        parts = ([f"{abs(factor)}u"] if abs(factor) != 1 or not names else []) + names
        text += (sign if text else sign.strip(" +")) + "*".join(parts)
    return text or "0u"


def place_in_tile(place: Place, symbol: Callable[[str], str]) -> str:
    """Where an element lies along one dimension of a tile: what counts in 64 bits first, the constant last."""
    text = ""
    for name, rate in sorted(place.terms, key=lambda term: term[0] != CHUNK):
        is_alone = place.terms == ((CHUNK, 1),) and not place.constant
        term = f"({symbol(name)})" if name == CHUNK and not is_alone else symbol(name)
        sign = " - " if rate < 0 else " + "
        factor = f"{abs(rate)}*" if abs(rate) != 1 else ""
        text += (sign if text else sign.strip(" +")) + factor + term
    if place.constant or not text:
        sign = " - " if place.constant < 0 else " + "
        text += (sign if text else sign.strip(" +")) + str(abs(place.constant))
    return text
