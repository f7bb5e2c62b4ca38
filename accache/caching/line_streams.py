"""How a thread's references to an array follow each other in the loop of a region, and what a line of its own saves.

``for (i = t*n; i < (t + 1)*n; ++i) s += a[i];`` goes through ``a`` in steps of an element: of a line's elements the
first is fetched and the others are there. Neighbouring threads are ``n`` elements apart: each has records of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from accache.analysis.canonical import canonical_loop
from accache.analysis.loop_context import ArrayUse, Definitions
from accache.base.architectures import L1_LINE
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.polynomial import Polynomial
from accache.ir.tree import For, Stmt, While
from accache.ir.walk import walk

HIT = 3
"""What a hit saves, in units of what a miss costs on top of an access to memory."""


class Stream(Struct, frozen=True):
    """References of a thread that move on by ``stride`` bytes a round, ``uses`` accesses within ``span`` bytes.

    ``apart`` is how far the next thread's are, in bytes; None where that is not constant: records of its own.
    """

    stride: int
    uses: int
    span: int
    apart: int | None

    @property
    def has_own_records(self) -> bool:
        """Whether neighbouring threads are in other lines of L1."""
        return self.apart is None or abs(self.apart) >= L1_LINE

    def gain(self, line: int) -> int | None:
        """What a line of so many bytes saves in a round, in units of a miss divided by ``line``; None if not known.

        References farther apart than a line may push each other out of it.
        """
        if self.span > line:
            return None
        misses = min(abs(self.stride), line)
        return HIT * (self.uses * line - misses) - misses


class Streams(Struct, frozen=True):
    """How many arrays of a directive each thread goes through in records of its own, as far as that is known.

    ``chosen`` says that nobody asked for lines, and that so many can fill L1: the launch finds out whether they do.
    """

    count: int
    chosen: bool


NO_STREAMS = Streams(0, chosen=False)


def stream(
    uses: tuple[ArrayUse, ...], body: Stmt, element_bytes: int, definitions: Definitions, *, along: Mapping[str, int]
) -> Stream | None:
    """The stream that references in the only loop of a region are; None where that is not known.

    ``along`` are the variables that tell neighbouring threads apart, with their steps.
    """
    loops = [node for node in walk(body) if isinstance(node, (For, While))]
    loop = canonical_loop(loops[0]) if len(loops) == 1 and isinstance(loops[0], For) else ""
    if isinstance(loop, str) or any(use.guard != "loop" for use in uses):
        return None
    indices = [tuple(index_polynomial(part, definitions) for part in use.subscripts) for use in uses]
    found = [tuple(part for part in index if part is not None) for index in indices]
    if any(len(known) != len(index) for known, index in zip(found, indices, strict=True)):
        return None
    rates = {tuple(part.coefficient(loop.variable) for part in index) for index in found}
    distances = [_constants(index, found[0]) for index in found]
    stride = _only_last(next(iter(rates))) if len(rates) == 1 else None
    if stride is None or any(distance is None for distance in distances):
        return None
    places = [distance for distance in distances if distance is not None]
    return Stream(
        stride=stride * loop.step * element_bytes,
        uses=sum(use.is_read + use.is_written for use in uses),
        span=(max(places) - min(places) + 1) * element_bytes,
        apart=_apart(found[0], loop, definitions, along, size=element_bytes),
    )


def _constants(index: tuple[Polynomial, ...], other: tuple[Polynomial, ...]) -> int | None:
    """How many elements of the last dimension two references are apart; None where they are not in one row for sure."""
    return _only_last(tuple(part - there for part, there in zip(index, other, strict=True)))


def _only_last(parts: tuple[Polynomial | None, ...]) -> int | None:
    """The constant in the last dimension, if there is none in the others."""
    values = [part.constant_value if part is not None else None for part in parts]
    return values[-1] if all(value == 0 for value in values[:-1]) else None


def _apart(
    index: tuple[Polynomial, ...], loop: CanonicalLoop, definitions: Definitions, along: Mapping[str, int], *, size: int
) -> int | None:
    """How many bytes the next thread's first reference is away; None where that is not constant."""
    first = index_polynomial(loop.first, definitions)
    if first is None:
        return None
    starts = [part.substitute({loop.variable: first}) for part in index]
    total = 0
    for name, step in along.items():
        rates = tuple(part.coefficient(name) for part in starts)
        rate = _only_last(rates)
        if rate is None:
            return None
        total += rate * step
    return total * size
