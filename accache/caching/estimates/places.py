"""Where accesses of memory lie: polynomials that count the elements from the beginning of an array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accache.ir.arrays import inner_lengths, is_variable_length
from accache.ir.as_polynomial import index_polynomial
from accache.ir.polynomial import ZERO, Polynomial
from accache.ir.sizes import alignment, sizeof
from accache.ir.tree import Expr, Member, Subscript, Variable
from accache.ir.types import CType, Record, resolve

FAR = 1 << 20
"""Elements from a thread to the next where that is no constant."""


def flat(indices: list[Polynomial], ctype: CType) -> Polynomial:
    """An element's place in memory, counted in elements."""
    lengths = [index_polynomial(length) for length in inner_lengths(ctype)]
    place = indices[0]
    for index, length in zip(indices[1:], lengths, strict=False):
        place = place * (length if length is not None else FAR) + index
    return place


def in_view(indices: list[Polynomial], pitches: Sequence[Polynomial]) -> Polynomial:
    """An element's place in a flat array that is seen as rows."""
    return sum((index * pitch for index, pitch in zip(indices, pitches, strict=False)), indices[-1])


def place_inside(expr: Expr, definitions: Mapping[str, Expr]) -> tuple[str, Polynomial] | None:
    """The array of structures that an expression is a part of, and its place there, counted in things of its size.

    None where it is no such part, or its place is not known.
    """
    size, offset = sizeof(expr.type), ZERO
    while not isinstance(expr, Variable):
        step = _step(expr, definitions)
        if step is None:
            return None
        offset += step
        assert isinstance(expr, (Subscript, Member))
        expr = expr.base
    place = offset.divided_by(size) if size else None
    return (expr.name, place) if place is not None and not is_variable_length(expr.type) else None


def _step(expr: Expr, definitions: Mapping[str, Expr]) -> Polynomial | None:
    """The bytes from what an element or a member is a part of to it; None where they are not known."""
    if isinstance(expr, Subscript):
        index, size = index_polynomial(expr.index, definitions), sizeof(expr.type)
        return index * size if index is not None and size else None
    if isinstance(expr, Member) and not expr.arrow and expr.bits is None:
        return _offset(expr)
    return None


def _offset(member: Member) -> Polynomial | None:
    """The bytes from the beginning of a structure to a member; None where an attribute decides."""
    record = resolve(member.base.type)
    if not isinstance(record, Record) or record.altered or record.keyword == "union":
        return None
    end = 0
    for item in record.fields or ():
        align = alignment(item.type)
        start = -(-end // align) * align
        if item.name == member.field:
            return Polynomial.constant(start)
        if item.bits is not None:
            return None
        end = start + sizeof(item.type)
    return None
