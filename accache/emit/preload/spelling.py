"""How symbols, polynomials and places are spelled in a kernel's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from accache.cuda.words import POSITIONS
from accache.density.footprints import Place
from accache.emit.expressions import ExpressionPrinter
from accache.ir.names import user_name
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Expr
from accache.ir.walk import used_variables
from accache.preload.plan import CHUNK


def position(name: str) -> str:
    """The text of a position such as ``threadIdx_x``; '' if a name is none."""
    word, _, axis = name.rpartition("_")
    return f"{word}.{axis}" if word in POSITIONS and axis in ("x", "y", "z") else ""


def computed_text(value: Expr) -> str:
    """An expression that all threads of a block have alike, in parentheses."""
    names = {name: position(name) or user_name(name) for name in used_variables(value)}
    return f"({ExpressionPrinter(names).expression(value)})"


def unsigned(value: Polynomial, computed: Mapping[str, Expr]) -> str:
    """A polynomial as C computes it modulo 2**32; some of its symbols may stand for ``computed`` values."""
    text = ""
    for monomial, factor in value.terms:
        spelled = {name: computed_text(computed[name]) for name in monomial if name in computed}
        spelled |= {name: user_name(name).removeprefix("@") for name in monomial if name not in computed}
        names = [position(name) or f"(unsigned){spelled[name]}" for name in monomial]
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
