"""Rate, offset and extent of the range that a block's threads share, as ``linearity`` derives them.

What was derived before is read from the user's cache folder (``kept``), under the request with its names replaced by
numbers, and sympy is not imported.
"""

from __future__ import annotations

from functools import cache

import msgspec
from msgspec import Struct

from accache.analysis import linearity
from accache.analysis.kept import kept_answer
from accache.base.store import cache_folder
from accache.ir.polynomial import Monomial, Polynomial


class Shared(Struct, frozen=True):
    """A lower bound ``rate*variable + offset``, and how many elements the block's threads need together."""

    rate: Polynomial
    offset: Polynomial
    extent: int


class _Request(Struct, frozen=True):
    """What is asked, without the program's names: symbol k is ``v{k}``, and the variable is ``v0``."""

    lower: tuple[tuple[Monomial, int], ...]
    step: int
    length: int
    threads: int


class _Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of rate and offset, and the extent; ``terms`` are None where the bound is not linear."""

    rate: tuple[tuple[Monomial, int], ...] | None = None
    offset: tuple[tuple[Monomial, int], ...] | None = None
    extent: int | None = None


def shared_range(lower: Polynomial, variable: str, step: int, length: int, *, threads: int) -> Shared | None:
    """What ``threads`` neighbours in a loop over ``variable`` share; None unless the rate is a constant.

    Each has ``length`` elements from ``lower`` on, and the loop adds ``step`` a round.
    """
    names = [variable, *sorted(lower.names - {variable})]
    numbered = {name: Polynomial.symbol(f"v{place}") for place, name in enumerate(names)}
    back = {f"v{place}": Polynomial.symbol(name) for place, name in enumerate(names)}
    answer = _answer(_Request(lower.substitute(numbered).terms, step, length, threads), str(cache_folder()))
    if answer.rate is None or answer.offset is None or answer.extent is None:
        return None
    rate, offset = (Polynomial.of(terms).substitute(back) for terms in (answer.rate, answer.offset))
    return Shared(rate, offset, answer.extent)


@cache
def _answer(request: _Request, folder: str) -> _Answer:
    """The kept answer, or a new one; ``folder`` is where it is kept."""

    def derived() -> bytes:
        return msgspec.json.encode(_derived(request))

    def fits(data: bytes) -> bool:
        return _read(data, request) is not None

    made_by = (__file__, linearity.__file__)
    data = kept_answer("linearity", msgspec.json.encode(request), made_by, derived, fits=fits)
    return msgspec.json.decode(data, type=_Answer)


def _read(data: bytes, request: _Request) -> _Answer | None:
    """An entry, if it answers the request."""
    try:
        found = msgspec.json.decode(data, type=_Answer)
    except msgspec.MsgspecError:
        return None
    if found == _Answer():
        return found
    if found.rate is None or found.offset is None or found.extent is None or found.extent < request.length:
        return None
    whole = Polynomial.of(found.rate) * Polynomial.symbol("v0") + Polynomial.of(found.offset)
    return found if whole == Polynomial.of(request.lower) else None


def _derived(request: _Request) -> _Answer:
    """What sympy finds."""
    variable = linearity.symbol("v0")
    lower = linearity.to_sympy(Polynomial.of(request.lower))
    params = linearity.get_linear_params(lower, (variable,))
    if params is None or not linearity.is_linear(lower, (variable,), {variable: request.step}):
        return _Answer()
    extent = linearity.shared_extent(params.rate, request.step, request.length, request.threads)
    rate, offset = linearity.from_sympy(params.rate), linearity.from_sympy(params.offset)
    if rate is None or rate.constant_value is None or offset is None or not extent.is_Integer:
        return _Answer()
    return _Answer(rate.terms, offset.terms, int(extent))
