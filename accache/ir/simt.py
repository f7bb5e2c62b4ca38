"""The kernel as it is lowered: parallel loops with their hardware axes, tiles, barriers and guards.

Positions are written with symbols a target spells out: ``@thread.x`` is the thread's position in
its block, ``@block.x`` the block's position in the grid, ``@grid.x`` the number of blocks, ``@extent.x`` that of
the threads of a block.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from accache.base.text import Location
from accache.ir.constants import constant
from accache.ir.polynomial import Polynomial
from accache.ir.regions import Reduction
from accache.ir.tree import Cast, Expr, Stmt
from accache.ir.types import SIZES, CType, integer_of

AXES = ("x", "y", "z")
Scope: TypeAlias = Literal["block", "thread"]
"""Who has a tile."""
Policy: TypeAlias = Literal["", "back", "through"]
"""What a write to a tile does; nothing is written without one."""
Tracking: TypeAlias = Literal["", "mask", "flag", "owner", "whole"]
"""How a write-back knows what to write."""
Part: TypeAlias = Literal["data", "mask"]
Slice: TypeAlias = Literal["", "monitored", "decided"]
"""Of what a tile's storage consists."""


class CanonicalLoop(Struct, frozen=True):
    """A counted loop; ``operator`` compares the variable with ``limit``, ``step`` is a non-zero constant."""

    variable: str
    type: CType
    first: Expr
    operator: str
    limit: Expr
    step: int
    location: Location

    @property
    def is_increasing(self) -> bool:
        """Whether the variable grows."""
        return self.step > 0

    @property
    def may_not_start(self) -> bool:
        """Whether a number that may be below zero is compared as an unsigned one: it is large, or its limit is."""
        start, variable, limit = constant(self.first), integer_of(self.type), integer_of(self.limit.type)
        is_mixed = not variable.unsigned and limit.unsigned and limit.size >= max(variable.size, SIZES["int"])
        converts = self.step < 0 and variable.unsigned and isinstance(self.limit, Cast) and constant(self.limit) is None
        return (is_mixed and (start is None or start < 0)) or converts


class ParallelFor(Stmt, frozen=True):
    """A loop spread over blocks (``grid`` axis) and threads (``block`` axis); '' means not spread there.

    ``threads`` is the block's extent on the block axis (1 without one), the greatest there can be if the extent is
    known ``at_run_time`` only. A ``covered`` loop has a block for every ``threads`` iterations; otherwise blocks or
    threads stride over the iterations. If ``most`` is not 0, there are so many blocks at most, and if that loop is the
    only one over blocks, strides are as long as if there were so many, unless the launch ``packs`` iterations into
    fewer blocks. A block takes ``per_thread`` times as many iterations as it has threads; the body names those of a
    thread that come after its first. In a loop over ``groups`` the body goes through neighbouring iterations, whose
    accesses a compiler joins.
    """

    loop: CanonicalLoop
    grid: str
    block: str
    threads: int
    covered: bool
    body: Stmt
    reductions: tuple[Reduction, ...] = ()
    independent: bool = True
    at_run_time: bool = False
    per_thread: int = 1
    most: int = 0
    packs: bool = False
    groups: bool = False


class TileDimension(Struct, frozen=True):
    """One dimension of a tile.

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


Extent = tuple[Polynomial, Polynomial]
"""The elements of an array from one up to, and without, another one."""


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


CALLS = 300
"""After how many accesses a thread has seen which arrays pay, where nobody says otherwise (S-L1)."""


class Lines(Struct, frozen=True):
    """Each thread's line of ``bytes`` for an array, the one with this ``number`` of the ``arrays`` of its region.

    After so many ``calls`` a thread has seen which arrays pay; 0 if that is known: then arrays with lower numbers pay
    more. ``gain`` is what is known of this one. Of the arrays, each thread is known to go through so many ``streams``
    in records of its own. ``launch_decides`` whether these fill L1, and goes without lines where they do not; lines
    that are asked for it always takes. ``in_slices`` monitored loops have a second copy for when that is over.
    """

    bytes: int
    number: int
    arrays: int
    calls: int
    gain: int | None = None
    streams: int = 0
    launch_decides: bool = False
    in_slices: bool = False


class Tile(Struct, frozen=True):
    """What one subarray of a cache directive became.

    ``pitches`` are the row lengths of a flat pointer's n-dimensional view (one fewer than the
    dimensions). ``scope`` is block (one tile, fetched together), or thread (one for each thread).
    ``policy`` is back or through, '' if the region only reads; ``tracking`` says how write-back
    knows what to write: mask, flag, owner or whole (planning.writes). ``is_fetched`` if the region may read elements
    before it writes them. ``starts`` name the variables that hold each dimension's first index where it is no constant,
    64-bit ones in a ``wide`` tile. ``owned`` is the element a thread writes back under owner and flag tracking.
    ``clipped`` tiles check the array's extent when fetching.
    ``assumed`` are the elements that must be on the device for a tile that does without: the launch makes sure.
    ``pad`` elements a row keep a tile's columns in different banks. An emulated cache has ``entries`` in sets of
    ``ways``; ``traits`` are those of the ``method``. ``lines`` are what a tile by lines has in its place.
    """

    name: str
    array: str
    array_type: CType
    element: CType
    method: str
    scope: Scope
    dimensions: tuple[TileDimension, ...]
    pitches: tuple[Polynomial, ...]
    location: Location
    text: str
    is_read: bool = True
    is_fetched: bool = True
    policy: Policy = ""
    tracking: Tracking = ""
    clipped: bool = True
    assumed: Extent | None = None
    pad: int = 0
    entries: int = 0
    ways: int = 0
    threads: int = 1
    starts: tuple[str, ...] = ()
    wide: bool = False
    owned: TileAccess | None = None
    reason: str = ""
    traits: Traits = Traits()
    lines: Lines | None = None

    @property
    def is_direct(self) -> bool:
        """Whether every access is one of the tile, at positions that are known."""
        return not self.entries and not self.traits.may_miss and self.policy != "through"

    @property
    def is_prepared(self) -> bool:
        """Whether there is something to do before the region: fetch elements, clear a mask, empty a cache."""
        return self.is_fetched or self.tracking == "mask" or bool(self.entries)

    def first_index(self, depth: int) -> int | None:
        """The first index in a dimension, if that is a constant: no variable holds it."""
        dimension = self.dimensions[depth]
        return (dimension.lower if self.scope == "thread" else dimension.start).constant_value

    @property
    def is_collected(self) -> bool:
        """Whether a loop over the tile writes elements back."""
        return self.tracking in ("mask", "whole")


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


class Passed(Struct, frozen=True):
    """A variable of a routine's own, and the value that the kernel passes for it."""

    name: str
    type: CType
    value: Expr


class CopyLoop(Struct, frozen=True):
    """The loop of a fetch or a write-back, which a routine of its own holds.

    The routine is passed the ``tiles`` whose cells it copies, the masks of those that are ``marked``, the arrays, and
    ``values``.
    """

    tiles: tuple[Tile, ...]
    marked: tuple[Tile, ...]
    arrays: tuple[str, ...]
    values: tuple[Passed, ...]
    body: Stmt


class LoadBy(Expr, frozen=True):
    """A load of device memory by a function that takes the address of the place."""

    function: str
    place: Expr


class Formula(Expr, frozen=True):
    """A polynomial in variables and positions; if ``converted``, it is computed in its type, wider than int."""

    polynomial: Polynomial
    converted: bool = False


class CacheRegion(Stmt, frozen=True):
    """A region whose body reads and writes tiles."""

    tiles: tuple[Tile, ...]
    body: Stmt


class CountThreads(Expr, frozen=True):
    """How many threads of the block meet a condition; all of them wait for the answer."""

    condition: Expr


class Fetch(Stmt, frozen=True):
    """Fill tiles in one loop: all threads together, or each its own. Several tiles are alike in shape.

    ``own`` if each thread uses only what it copied itself. ``lowering.copies`` makes the ``loop`` of tiles with
    dimensions.
    """

    tiles: tuple[Tile, ...]
    own: bool = False
    loop: CopyLoop | None = None


class WriteBack(Stmt, frozen=True):
    """Write what the region changed in tiles back to their arrays, in one loop, made as that of a fetch is."""

    tiles: tuple[Tile, ...]
    loop: CopyLoop | None = None


class Round(Stmt, frozen=True):
    """A round of a loop begins, in which a thread refers to arrays by the lines of a tile.

    Of a loop in two copies, the ``monitored`` one is left where the block has decided, and the ``decided`` one goes on.
    """

    tile: Tile
    slice: Slice = ""


class Barrier(Stmt, frozen=True):
    """Wait for all threads of the block."""


class SharedArray(Stmt, frozen=True):
    """A gang-local array (or scalar): one copy a block. ``pad`` elements keep its columns in different banks."""

    name: str
    type: CType
    pad: int = 0


class Slices(Struct, frozen=True):
    """Device memory for copies of an array, which the launch provides.

    There are ``count`` elements for each of ``owners`` a block; ``name`` is that of the kernel's parameter.
    """

    name: str
    element: CType
    count: Expr
    owners: int = 1


class BlockReduce(Stmt, frozen=True):
    """Combine a private value over the threads along some block axes; afterwards each of them holds the result.

    ``place`` is where it lies, if not in the reduction's variable.
    """

    reduction: Reduction
    axes: tuple[str, ...]
    place: Expr | None = None


class StorePartials(Stmt, frozen=True):
    """One thread of a block writes the block's results of reductions to their places in the buffers of partials."""

    reductions: tuple[Reduction, ...]
