"""The kernel as it is lowered: parallel loops with their hardware axes, regions with tiles, barriers and guards.

Positions are written with symbols a target spells out: ``@thread.x`` is the thread's position in
its block, ``@block.x`` the block's position in the grid, ``@grid.x`` the number of blocks, ``@extent.x`` that of
the threads of a block.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from accache.base.text import Location
from accache.ir.constants import constant
from accache.ir.kernels.tiles import Tile
from accache.ir.openacc.regions import Reduction
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Cast, Expr, Stmt
from accache.ir.types import SIZES, CType, integer_of

AXES = ("x", "y", "z")
BarrierScope: TypeAlias = Literal["block", "warp"]
"""Who waits at a barrier for each other."""
Slice: TypeAlias = Literal["", "monitored", "decided"]
"""Which of two copies of a loop: the one that monitors, or the one for when the block has decided; '' of one."""


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
    accesses a compiler joins. The launch ``tests_limit`` of a loop of unsigned numbers: it is in their lower half.
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
    tests_limit: bool = False


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


class WholeBlock(Expr, frozen=True):
    """Whether all threads of a block have all their iterations; its ``condition`` says so to each of them alike."""

    condition: Expr


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
    """Wait for all threads of the block, or all lanes of the warp."""

    scope: BarrierScope = "block"


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

    Of an array that is each element. ``place`` is where the value lies, if not in the reduction's variable.
    """

    reduction: Reduction
    axes: tuple[str, ...]
    place: Expr | None = None


class StorePartials(Stmt, frozen=True):
    """One thread of a block writes the block's results of reductions to their places in the buffers of partials."""

    reductions: tuple[Reduction, ...]
