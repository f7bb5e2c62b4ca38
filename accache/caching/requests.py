"""What a cache method is asked: one subarray, the references it must serve, and what stands in the way of sharing."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from accache.analysis.loop_context import ArrayUse
from accache.analysis.must_write import Effect
from accache.analysis.value_ranges import value_range
from accache.base.options import Options
from accache.caching.line_streams import NO_STREAMS, Stream, Streams
from accache.ir.as_polynomial import NO_DEFINITIONS
from accache.ir.kernels.tiles import Extent, TileDimension
from accache.ir.openacc.regions import Subarray
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Expr
from accache.ir.types import CType


class References(Struct, frozen=True):
    """The references that a tile has to serve.

    ``indices`` holds for every use its index in each dimension, None where it is no polynomial; ``steps`` how far the
    next thread's element is in each dimension.
    ``unproved`` is the first use not proved to lie in the subarray; ``named_again`` that it may be meant to lie in
    another subarray of the array, ``misread`` that a length was taken for an end; ``columns_stay`` that no element
    of a flat array has two places in its view as rows and columns. ``is_partial``
    says that others, or memory, serve what ``uses`` leaves out: where some references are proved to lie in this
    subarray, it serves these; ``left_out`` is the first one that goes to memory. ``repeated`` says that a thread may
    refer to the array several times in the region.
    ``instead`` is what would hold all references, by dimension, if the one written does not, or its length is misread;
    '' for a dimension that does. ``outside`` is the line of the first reference that the one written is not proved to
    hold, 0 if it holds all.
    """

    uses: tuple[ArrayUse, ...]
    indices: tuple[tuple[Polynomial | None, ...], ...]
    steps: tuple[tuple[int, ...], ...] = ()
    unproved: ArrayUse | None = None
    named_again: bool = False
    misread: bool = False
    columns_stay: bool = True
    is_partial: bool = False
    left_out: ArrayUse | None = None
    repeated: bool = True
    instead: tuple[str, ...] = ()
    outside: int = 0

    @property
    def pairs(self) -> tuple[tuple[ArrayUse, tuple[Polynomial | None, ...]], ...]:
        """Each use with its indices."""
        return tuple(zip(self.uses, self.indices, strict=True))


class Sharing(Struct, frozen=True):
    """The threads that may share a tile.

    ``axes`` are the block axes they are spread over here, ``stable_names`` the symbols that keep one value, the same
    for the whole block, all through the region. ``obstacle`` says why the block cannot share one tile ('' if it can);
    ``written_by_others`` that inner parallel loops or single-thread code write the array inside the region, so that no
    thread may keep a copy of its own.
    """

    threads: int
    axes: frozenset[str]
    stable_names: frozenset[str]
    written_by_others: bool
    obstacle: str = ""


class OwnLines(Struct, frozen=True):
    """What decides about lines of each thread's own.

    ``obstacle`` says why no thread may keep lines of the array here; its directive names so many ``neighbours``.
    ``stream`` is how a thread's references follow each other, None if that is not known; ``streams`` are those of all
    arrays of the directive.
    """

    obstacle: str = ""
    neighbours: int = 1
    stream: Stream | None = None
    streams: Streams = NO_STREAMS


class Request(Struct, frozen=True):
    """One subarray of a cache directive in its kernel.

    ``left_at`` is the line of a jump that leaves the region before its end, 0 if there is none. ``effect`` is what the
    region is certain to do to the array. ``clipped`` and ``assumed`` are those of a tile that serves it.
    The loops of ``unrolled`` variables in the region can be unrolled whole; a thread keeps so many ``kept_bytes`` of
    other subarrays in registers.
    """

    array: str
    array_type: CType
    element: CType
    element_bytes: int
    subarray: Subarray
    options: Options
    references: References
    sharing: Sharing
    effect: Effect
    left_at: int
    lines: OwnLines = OwnLines()
    dimensions: tuple[TileDimension, ...] = ()
    pitches: tuple[Polynomial, ...] = ()
    clipped: bool = True
    assumed: Extent | None = None
    unrolled: frozenset[str] = frozenset()
    kept_bytes: int = 0

    @property
    def is_read(self) -> bool:
        """Whether the region reads the array."""
        return any(use.is_read for use in self.references.uses)

    @property
    def unshared(self) -> str:
        """Reason no element is needed by two threads, as far as is known; '' if one may be, or all have one element."""
        if all(dimension.length == 1 for dimension in self.dimensions):
            return ""
        return self.sharing.obstacle or "subarrays do not overlap" * self.are_apart

    @property
    def are_apart(self) -> bool:
        """Whether the subarrays of two threads of a block have no element in common."""
        following = [dimension for dimension in self.dimensions if dimension.axis]
        is_followed = bool(following) and {item.axis for item in following} == self.sharing.axes
        return is_followed and all(abs(item.rate * item.step) >= item.length for item in following)

    @property
    def is_written(self) -> bool:
        """Whether the region writes the array."""
        return any(use.is_written for use in self.references.uses)


def first_unproved(
    uses: tuple[ArrayUse, ...],
    indices: tuple[tuple[Polynomial | None, ...], ...],
    dimensions: tuple[TileDimension, ...],
    initial: Mapping[str, Expr] = NO_DEFINITIONS,
) -> ArrayUse | None:
    """The first use not proved to lie in its thread's subarray."""
    pairs = zip(uses, indices, strict=True)
    return next((use for use, index in pairs if not is_proved(use, index, dimensions, initial)), None)


def is_proved(
    use: ArrayUse,
    index: tuple[Polynomial | None, ...],
    dimensions: tuple[TileDimension, ...],
    initial: Mapping[str, Expr] = NO_DEFINITIONS,
) -> bool:
    """Whether a use is proved to lie in its thread's subarray."""
    if any(dimension.limit is not None for dimension in dimensions):
        return False
    subscripts = use.subscripts if len(use.subscripts) == len(dimensions) else (None,) * len(dimensions)
    parts = zip(index, subscripts, dimensions, strict=True)
    return all(_lies_in(use, position, subscript, part, initial=initial) for position, subscript, part in parts)


def _lies_in(
    use: ArrayUse,
    position: Polynomial | None,
    subscript: Expr | None,
    dimension: TileDimension,
    *,
    initial: Mapping[str, Expr],
) -> bool:
    """Whether a position in one dimension is proved to lie in a subarray, by the loops around or by its type."""
    last = dimension.lower + (dimension.length - 1)
    if position is not None and all(map(use.context.proves_nonnegative, (position - dimension.lower, last - position))):
        return True
    first, end = dimension.lower.constant_value, last.constant_value
    values = value_range(subscript, initial) if subscript is not None else None
    if values is None or first is None or end is None:
        return False
    return first <= values.low and values.high <= end
