"""Whether a fetch is proved to stay inside its array, so that it need not be clipped."""

from __future__ import annotations

from accache.analysis.affine import index_polynomial
from accache.analysis.places import Definitions, Place
from accache.ir.polynomial import Polynomial
from accache.ir.regions import Region
from accache.ir.tree import Expr, Variable
from accache.ir.types import Array, resolve
from accache.planning.bounds import Bound


def inside_array(
    array: str,
    bounds: tuple[Bound, ...],
    pitches: tuple[Polynomial, ...],
    lengths: tuple[Expr | None, ...],
    place: Place,
    region: Region,
    definitions: Definitions,
) -> bool:
    """Whether every thread's subarray lies inside the array wherever its iteration exists.

    The array's size is known from its
    type or from a data clause of the region itself (a pointer may point elsewhere by then in any
    other place).
    """
    sizes = _sizes(array, lengths, region, definitions)
    if sizes is None or pitches or len(sizes) != len(bounds):
        return False
    return all(
        place.proves_nonnegative(bound.lower)
        and place.proves_nonnegative(size - bound.lower - (bound.limit or bound.length))
        for bound, size in zip(bounds, sizes, strict=True)
    )


def _sizes(
    array: str, lengths: tuple[Expr | None, ...], region: Region, definitions: Definitions
) -> tuple[Polynomial, ...] | None:
    """The array's length in each dimension, None if it is not known."""
    variable = next((item for item in region.variables if item.name == array), None)
    if variable is None:
        return None
    inner = [index_polynomial(length, definitions) if length is not None else None for length in lengths]
    outer: Polynomial | None = None
    ctype = resolve(variable.type)
    if isinstance(ctype, Array) and ctype.length is not None:
        outer = index_polynomial(ctype.length, definitions)
    for clause in region.data:
        base, dimensions = clause.subarray.base, clause.subarray.dimensions
        named = isinstance(base, Variable) and base.name == array
        if named and dimensions and clause.action in ("copy", "copyin", "copyout", "create"):
            lower = dimensions[0].lower
            starts_at_zero = lower is None or index_polynomial(lower, definitions) == Polynomial.constant(0)
            if starts_at_zero and dimensions[0].length is not None:
                outer = index_polynomial(dimensions[0].length, definitions)
    sizes = (outer, *inner)
    return None if any(size is None for size in sizes) else tuple(size for size in sizes if size is not None)
