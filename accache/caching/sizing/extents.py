"""Which elements of an array the device holds, and whether a fetch is proved to stay among them.

A fetch that is proved to needs no clipping. The launch stub maps what the region's own data clauses name, so
that much is sure. Of a pointer that an enclosing data construct maps, only the launch knows where it points by
then: such a proof holds if the launch finds the elements that the clause names.
"""

from __future__ import annotations

from msgspec import Struct

from accache.analysis.loop_context import Definitions, LoopContext
from accache.caching.sizing.bounds import Bound
from accache.caching.survey import Survey
from accache.ir.as_polynomial import index_polynomial
from accache.ir.openacc.regions import DataClause, Dimension, FreeVariable, Region
from accache.ir.openacc.sections import is_part_of_one_row, partial_dimension
from accache.ir.polynomial import ONE, ZERO, Polynomial
from accache.ir.tree import Expr
from accache.ir.types import Array, resolve
from accache.mapping.data.data_model import memory_variables

MAPPING = ("copy", "copyin", "copyout", "create", "present")
"""The clauses after which all they name is on the device, or the program has ended with a message."""


class Room(Struct, frozen=True):
    """What the device holds of an array: rows ``first`` to ``end - 1``, each of ``inner`` elements.

    ``is_sure`` says that the launch stub itself sees to that; else the launch has to find out.
    """

    first: Polynomial
    end: Polynomial
    inner: tuple[Polynomial, ...]
    is_sure: bool

    @property
    def elements(self) -> tuple[Polynomial, Polynomial]:
        """The first element and the one behind the last."""
        row = ONE
        for length in self.inner:
            row = row * length
        return self.first * row, self.end * row

    def holds(self, bounds: tuple[Bound, ...], pitches: tuple[Polynomial, ...], context: LoopContext) -> bool:
        """Whether every iteration's subarray lies in it, so that the tiles of blocks do too.

        The parallel loops that move a shared tile have bounds that do not depend on each other, so all corners of a
        block's tile are corners of the subarrays of some iterations.
        """
        lengths = [bound.limit if bound.limit is not None else Polynomial.constant(bound.length) for bound in bounds]
        if pitches:
            strides = (*pitches, ONE)
            low = sum((bound.lower * stride for bound, stride in zip(bounds, strides, strict=True)), ZERO)
            high = low + sum(((length - 1) * stride for length, stride in zip(lengths, strides, strict=True)), ZERO)
            needed = [*pitches, low - self.first, self.end - 1 - high]
            return not self.inner and all(map(context.proves_nonnegative, needed))
        sizes = [(self.first, self.end), *((ZERO, length) for length in self.inner)]
        return len(sizes) == len(bounds) and all(
            context.proves_nonnegative(bound.lower - first) and context.proves_nonnegative(end - bound.lower - length)
            for bound, length, (first, end) in zip(bounds, lengths, sizes, strict=True)
        )


def room_of(array: str, lengths: tuple[Expr | None, ...], survey: Survey) -> Room | None:
    """What is known to be on the device of an array whose inner dimensions have ``lengths``; None if nothing is."""
    region = survey.kernel.region
    variable = next((item for item in region.variables if item.name == array), None)
    inner = [_value(length, survey.definitions) for length in lengths]
    known = tuple(length for length in inner if length is not None)
    if variable is None or len(known) != len(inner):
        return None
    found = _outermost(variable, region, survey.definitions)
    if found is None:
        return None
    room = Room(found[0], found[1], known, found[2])
    names = frozenset[str]().union(*(part.names for part in (room.first, room.end, *known)))
    return room if names <= survey.stable(()) - memory_variables(region) else None


def _outermost(
    variable: FreeVariable, region: Region, definitions: Definitions
) -> tuple[Polynomial, Polynomial, bool] | None:
    """First row, the one behind the last, and whether that is sure."""
    ctype = resolve(variable.type)
    whole = _value(ctype.length, definitions) if isinstance(ctype, Array) else None
    pointers = tuple(clause for clause in region.enclosing_data if clause.action == "deviceptr")
    own = _clauses((*pointers, *region.data), variable.name)
    if own:
        section = _section(own[-1], whole, definitions)
        return (*section, True) if section is not None else None
    if isinstance(ctype, Array) and region.default != "present" and not region.has_section_around(variable.name):
        return (ZERO, whole, True) if whole is not None else None
    around = _clauses(region.enclosing_data, variable.name)
    section = _section(around[-1], whole, definitions) if around else None
    return (*section, False) if section is not None else None


def _clauses(clauses: tuple[DataClause, ...], array: str) -> list[DataClause]:
    """The clauses that name an array itself."""
    return [item for item in clauses if item.subarray.variable == array]


def _section(
    clause: DataClause, whole: Polynomial | None, definitions: Definitions
) -> tuple[Polynomial, Polynomial] | None:
    """The rows a clause maps, None if it maps a part of one; ``whole`` is the number of rows of a declared array."""
    shape = clause.subarray.base.type, clause.subarray.dimensions
    is_in_row = partial_dimension(*shape) and is_part_of_one_row(*shape)
    if clause.action not in MAPPING or is_in_row:
        return None
    outer = clause.subarray.dimensions[0] if clause.subarray.dimensions else Dimension(None, None)
    first = _value(outer.lower, definitions) if outer.lower is not None else ZERO
    if first is None:
        return None
    if outer.length is None:
        return (first, whole) if whole is not None else None
    length = _value(outer.length, definitions)
    return (first, first + length) if length is not None else None


def _value(expr: Expr | None, definitions: Definitions) -> Polynomial | None:
    return index_polynomial(expr, definitions) if expr is not None else None
