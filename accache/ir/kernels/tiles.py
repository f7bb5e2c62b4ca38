"""Tiles: what the subarrays of cache directives become, where their elements lie, and references to them.

A method keeps a range of an array (``TileRange``), single elements with tags (``EmulatedCache``), or lines of each
thread's own (``Lines``).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from accache.base.choices import MethodName
from accache.base.text import Location
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Expr
from accache.ir.types import CType

Scope: TypeAlias = Literal["block", "thread"]
"""Who has a tile."""
Policy: TypeAlias = Literal["", "back", "through"]
"""What a write to a tile does; nothing is written without one."""
Tracking: TypeAlias = Literal["", "mask", "flag", "owner", "whole"]
"""How a write-back knows what to write."""
Part: TypeAlias = Literal["data", "mask"]
"""Of what a tile's storage consists."""


class TileDimension(Struct, frozen=True):
    """One dimension of a range.

    ``lower`` is where the first active thread's subarray starts, ``rate`` the elements from one
    thread's subarray to the next thread's along ``axis`` ('' if all share one), ``length`` what
    one thread asks for, ``extent`` what the block holds at most. ``start`` is the first element
    held. ``limit`` is a length known only at run time, of which ``length`` elements at most are held; where it
    ``fits``, the launch makes sure that it is no greater.
    """

    lower: Polynomial
    length: int
    axis: str
    variable: str
    rate: int
    step: int
    extent: int
    start: Polynomial
    limit: Polynomial | None = None
    fits: bool = False


Extent: TypeAlias = tuple[Polynomial, Polynomial]
"""The elements of an array from one up to, and without, another one."""


class TileRange(Struct, frozen=True):
    """The elements of an array that a tile holds: as many in each dimension, in a row from its start.

    ``pitches`` are the row lengths of a flat pointer's n-dimensional view (one fewer than the dimensions). ``starts``
    name the variables that hold each dimension's first index where it is no constant, 64-bit ones if ``wide``.
    ``clipped`` fetches check the array's extent; ``assumed`` are the elements that must be on the device for a tile
    that does without: the launch makes sure. ``pad`` elements a row keep columns in different banks. Threads copy so
    many neighbours at once as are ``joined``: the launch makes sure that addresses are aligned to that.
    """

    dimensions: tuple[TileDimension, ...]
    pitches: tuple[Polynomial, ...] = ()
    starts: tuple[str, ...] = ()
    wide: bool = False
    clipped: bool = True
    assumed: Extent | None = None
    pad: int = 0
    joined: int = 1

    @property
    def extents(self) -> tuple[int, ...]:
        """The elements held at most, dimension by dimension."""
        return tuple(dimension.extent for dimension in self.dimensions)


NO_RANGE = TileRange((), clipped=False)
"""What is known beforehand of the elements that an emulated cache or lines will hold."""


class EmulatedCache(Struct, frozen=True):
    """So many ``entries`` for each thread, each with the number of the element that it holds, in sets of ``ways``."""

    entries: int
    ways: int


class Lines(Struct, frozen=True):
    """Each thread's line of ``bytes`` for an array, the one with this ``number`` of the ``arrays`` of its region.

    After so many ``calls`` a thread has seen which arrays pay; 0 if that is known: then arrays with lower numbers pay
    more. ``gain`` is what is known of this one. Of the arrays, each thread is known to go through so many ``streams``
    in records of its own. ``launch_decides`` whether these fill L1, and goes without lines where they do not; lines
    that are asked for it always takes. ``in_slices`` monitored loops have a second copy for when that is over.

    The shortest lines of the region have ``unit`` bytes, 0 if all have as many as this one; those of ``wide`` arrays, a
    bit for each number, have twice that.
    """

    bytes: int
    number: int
    arrays: int
    calls: int
    gain: int | None = None
    streams: int = 0
    launch_decides: bool = False
    in_slices: bool = False
    unit: int = 0
    wide: int = 0

    @property
    def shortest(self) -> int:
        """The bytes of the region's shortest lines."""
        return self.unit or self.bytes

    @property
    def slots(self) -> int:
        """How many of the shortest lines take as much shared memory as a line of each array."""
        return self.arrays + self.wide.bit_count()


CALLS = 300
"""After how many accesses a thread has seen which arrays pay, where nobody says otherwise (S-L1)."""


class Traits(Struct, frozen=True):
    """What passes ask of a cache method.

    Where an access ``may_miss``, it is compared with what the tile holds, and reaches the array if it lies elsewhere.
    ``in_registers`` each thread has an array of its own in the place of shared memory. An access takes so many issue
    ``slots`` beside the load or store. ``by_lines`` each thread has lines that hold any parts of the arrays of a
    region, so that a directive need not tell the parts; the arrays are bound to them before the region, each round of
    its loops is told to them, and behind it they are flushed.
    """

    may_miss: bool = False
    in_registers: bool = False
    slots: float = 0.0
    by_lines: bool = False


class Tile(Struct, frozen=True):
    """What one subarray of a cache directive became.

    ``scope`` is block (one tile, fetched together), or thread (one for each of so many ``threads``). ``storage`` holds
    what the ``method``, whose ``traits`` are given, keeps of the array. ``policy`` is back or through, '' if the
    region only reads; ``tracking`` says how write-back knows what to write: mask, flag, owner or whole
    (``caching.writes``). ``is_fetched`` if the region may read elements before it writes them. ``owned`` is the element
    a thread writes back under owner and flag tracking. Tiles by the names of ``apart`` are never alive with it.
    """

    name: str
    array: str
    array_type: CType
    element: CType
    method: MethodName
    scope: Scope
    storage: TileRange | EmulatedCache | Lines
    location: Location
    text: str
    is_read: bool = True
    is_fetched: bool = True
    policy: Policy = ""
    tracking: Tracking = ""
    threads: int = 1
    owned: TileAccess | None = None
    apart: frozenset[str] = frozenset()
    reason: str = ""
    traits: Traits = Traits()

    @property
    def range(self) -> TileRange:
        """The elements held, as far as they are known beforehand: of a range, all."""
        return self.storage if isinstance(self.storage, TileRange) else NO_RANGE

    @property
    def has_range(self) -> bool:
        """Whether it holds a range."""
        return isinstance(self.storage, TileRange)

    @property
    def lines(self) -> Lines | None:
        """Each thread's line, None if it holds no lines."""
        return self.storage if isinstance(self.storage, Lines) else None

    @property
    def is_bounded(self) -> bool:
        """Whether copies ask where the array begins and ends."""
        return self.range.clipped or self.lines is not None

    @property
    def is_direct(self) -> bool:
        """Whether every access is one of the tile, at positions that are known."""
        return self.has_range and not self.traits.may_miss and self.policy != "through"

    @property
    def is_prepared(self) -> bool:
        """Whether there is something to do before the region: fetch elements, clear a mask, empty a cache."""
        return self.is_fetched or self.tracking == "mask" or not self.has_range

    @property
    def is_collected(self) -> bool:
        """Whether a loop over the tile writes elements back."""
        return self.tracking in ("mask", "whole")

    def first_index(self, depth: int) -> int | None:
        """The first index in a dimension, if that is a constant: no variable holds it."""
        dimension = self.range.dimensions[depth]
        return (dimension.lower if self.scope == "thread" else dimension.start).constant_value


class TileAccess(Expr, frozen=True):
    """A reference served by a tile: its position in each dimension of the tile, and the original reference.

    With an emulated hardware cache the positions are the array's subscripts themselves.
    """

    tile: Tile
    positions: tuple[Expr, ...]
    original: Expr


class TileCell(Expr, frozen=True):
    """A cell of a tile's storage: of its ``data``, or of the ``mask`` that tells which elements were written."""

    tile: Tile
    part: Part
    positions: tuple[Expr, ...]
