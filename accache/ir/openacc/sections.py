"""Which sections of arrays data clauses name: single elements, whole dimensions, pointers alone."""

from __future__ import annotations

from accache.ir.as_polynomial import index_polynomial
from accache.ir.openacc.regions import Dimension, Subarray
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Expr, Variable
from accache.ir.types import Array, CType, Pointer, element_type, resolve

SIZED = ("copy", "copyin", "copyout", "create")
POINTER_ALONE = "pointer"
"""The modifier of a clause made of one that names a pointer alone: what that leads to is no memory of the host."""


def is_one(dimension: Dimension) -> bool:
    """Whether a dimension of a section holds one element."""
    length = index_polynomial(dimension.length) if dimension.length is not None else None
    return dimension.is_element or length == Polynomial.constant(1)


def partial_dimension(ctype: CType, dimensions: tuple[Dimension, ...]) -> int:
    """The last inner dimension of an array, in one place in memory, of which a section does not name all; 0 if none."""
    found, row = 0, element_type(ctype)
    for number, dimension in enumerate(dimensions[1:], 1):
        plain = resolve(row) if row is not None else None
        if not isinstance(plain, Array):
            break
        if not _is_whole(dimension.lower, dimension.length, plain.length):
            found = number
        row = plain.element
    return found


def is_part_of_one_row(ctype: CType, dimensions: tuple[Dimension, ...]) -> bool:
    """Whether a section names one element of each dimension before the last of which it does not name all."""
    return all(map(is_one, dimensions[: partial_dimension(ctype, dimensions)]))


def unproved_lengths(ctype: CType, dimensions: tuple[Dimension, ...]) -> tuple[tuple[int, Expr, Expr], ...] | None:
    """Inner lengths of a section with the array's own, where only a run knows whether they are the same.

    Before them stands the number of the dimension. None where some are certainly not: then the section names parts
    of rows.
    """
    found, row = [], element_type(ctype)
    for number, dimension in enumerate(dimensions[1:], 1):
        plain = resolve(row) if row is not None else None
        if not isinstance(plain, Array):
            break
        if not _is_whole(dimension.lower, dimension.length, plain.length):
            if not _may_be_whole(dimension, plain.length):
                return None
            assert dimension.length is not None
            assert plain.length is not None
            found.append((number, dimension.length, plain.length))
        row = plain.element
    return tuple(found)


def is_pointer_alone(subarray: Subarray) -> bool:
    """Whether a clause names a pointer variable, without a section of what it leads to."""
    is_alone = isinstance(subarray.base, Variable) and not subarray.dimensions
    return is_alone and isinstance(resolve(subarray.base.type), Pointer)


def _may_be_whole(dimension: Dimension, extent: Expr | None) -> bool:
    """Whether a dimension may be named whole though that is not known: only the run knows the length."""
    if dimension.length is None or extent is None or not _is_whole(dimension.lower, None, extent):
        return False
    asked, whole = index_polynomial(dimension.length), index_polynomial(extent)
    return asked is None or whole is None or (asked - whole).constant_value is None


def _is_whole(lower: Expr | None, length: Expr | None, extent: Expr | None) -> bool:
    starts = lower is None or index_polynomial(lower) == Polynomial.constant(0)
    if length is None:
        return starts
    asked = index_polynomial(length)
    return starts and extent is not None and asked is not None and asked == index_polynomial(extent)
