"""Lower bounds and lengths of a subarray as polynomials, and the common misreadings of ``[lower:length]``."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from accache.analysis.loop_context import Definitions
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.openacc.regions import Dimension, Subarray
from accache.ir.polynomial import ONE, ZERO, Polynomial
from accache.ir.tree import Expr
from accache.ir.types import Array, CType, Pointer, resolve

RUN_TIME_BYTES = 8192
"""Shared memory kept for a subarray whose length is known only at run time."""


class Refusal(Struct, frozen=True):
    """Why a subarray gets no tile: the diagnostic's code and the reason in words, and perhaps what to write instead.

    ``method`` could serve it.
    """

    code: str
    reason: str
    method: str = ""
    hint: str = ""


class Bound(Struct, frozen=True):
    """One dimension of a subarray: first index, elements asked for, and the run-time length that limits them.

    The length of one that ``is_misread`` is not what is written, which looks like an end.
    """

    lower: Polynomial
    length: int
    limit: Polynomial | None = None
    is_misread: bool = False


class Misreading(Struct, frozen=True):
    """A length that was meant as an end; ``inclusive`` if the last element counts. ``meant`` is the intended length."""

    inclusive: bool
    meant: Polynomial


class BoundsReader(Struct, frozen=True):
    """Reads the bounds of subarrays of one region.

    ``changing`` are the variables that do not keep one value, ``stable`` the names all threads agree on,
    ``indices`` the indices at which the region refers to the array's first dimension.
    """

    definitions: Definitions
    changing: frozenset[str]
    stable: frozenset[str]
    indices: tuple[Polynomial, ...]
    element_bytes: int

    def read(self, subarray: Subarray, ctype: CType) -> tuple[Bound, ...] | Refusal:
        """The bounds of every dimension, or why there are none."""
        if not subarray.dimensions:
            return self._whole(ctype)
        found = []
        declared = _declared_lengths(ctype)
        for number, dimension in enumerate(subarray.dimensions):
            whole = declared[number] if number < len(declared) else None
            bound = self._dimension(dimension, len(subarray.dimensions), whole)
            if isinstance(bound, Refusal):
                return bound
            found.append(bound)
        return tuple(found)

    def _dimension(self, dimension: Dimension, count: int, whole: int | None) -> Bound | Refusal:
        """The bound of one of ``count`` dimensions; the array's own has ``whole`` elements if that is a constant."""
        lower = ZERO if dimension.lower is None else index_polynomial(dimension.lower, self.definitions)
        if lower is None:
            hint = "give what is no sum or product of ints in it, such as n % 2, a name in front of the construct"
            return Refusal("ACC402", "its lower bound is not a polynomial", hint=hint)
        changed = sorted(lower.names & self.changing)
        if changed:
            reason = f"its lower bound depends on {changed[0].partition('#')[0]}, which changes"
            return Refusal("ACC402", reason, hint="give its value a name of its own in front of the directive")
        first = lower.constant_value
        if dimension.length is None and whole is not None and first is not None and first < whole:
            return Bound(lower, whole - first)
        if dimension.length is None:
            return Refusal("ACC415", "one of its dimensions has no length")
        length = self._constant(dimension.length)
        if length is not None:
            return Bound(lower, length) if length > 0 else Refusal("ACC402", f"its length is {length}")
        polynomial = index_polynomial(dimension.length, self.definitions)
        misread = self.misreading(dimension)
        if misread is not None and misread.meant.constant_value is not None and misread.meant.constant_value > 0:
            return Bound(lower, misread.meant.constant_value, is_misread=True)
        if polynomial is None or count > 1 or not polynomial.names | lower.names <= self.stable:
            return Refusal("ACC402", "its length is not a constant", hint="write a number, or a macro that is one")
        return Bound(lower, max(1, RUN_TIME_BYTES // max(1, self.element_bytes)), polynomial)

    def _constant(self, length: Expr) -> int | None:
        value = constant(length)
        if value is None:
            polynomial = index_polynomial(length, self.definitions)
            value = polynomial.constant_value if polynomial is not None else None
        return value

    def misreading(self, dimension: Dimension) -> Misreading | None:
        """Whether a length looks like an end: it moves with the lower bound."""
        if dimension.lower is None or dimension.length is None:
            return None
        lower = index_polynomial(dimension.lower, self.definitions)
        length = index_polynomial(dimension.length, self.definitions)
        if lower is None or length is None or not lower.names or length.constant_value is not None:
            return None
        distance = length - lower
        moving = frozenset(name for monomial, _ in lower.terms for name in monomial)
        if not moving <= length.names or distance.names & moving:
            return None
        inclusive = any(index == length for index in self.indices)
        return Misreading(inclusive, distance + ONE if inclusive else distance)

    def _whole(self, ctype: CType) -> tuple[Bound, ...] | Refusal:
        """The bounds of a whole array."""
        lengths = _declared_lengths(ctype)
        known = tuple(length for length in lengths if length is not None)
        if len(known) < len(lengths):
            return Refusal("ACC402", "its length is not a constant")
        return tuple(Bound(ZERO, length) for length in known)


def _declared_lengths(ctype: CType) -> list[int | None]:
    """The lengths of an array's dimensions as it is declared; None where that is no constant."""
    found: list[int | None] = []
    plain = resolve(ctype)
    if isinstance(plain, Pointer):
        found.append(None)
        plain = resolve(plain.target)
    while isinstance(plain, Array):
        found.append(constant(plain.length))
        plain = resolve(plain.element)
    return found


def misreadings(reader: BoundsReader, subarray: Subarray) -> Iterable[tuple[Dimension, Misreading]]:
    """The dimensions whose length was probably meant as an end."""
    for dimension in subarray.dimensions:
        found = reader.misreading(dimension)
        if found is not None:
            yield dimension, found
