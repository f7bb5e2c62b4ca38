"""Launch plans: everything about a region's kernels and their launches that is decided before text is made of it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from accache.ir.kernels.alignment import Alignment
from accache.ir.kernels.shared_layout import SharedLayout
from accache.ir.kernels.simt import SharedArray, Slices
from accache.ir.kernels.tiles import Lines, Tile
from accache.ir.openacc.regions import DataClause, FreeVariable, Reduction, Region
from accache.ir.openacc.routines import Routine
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Block, Expr, Stmt
from accache.ir.types import CType

Role: TypeAlias = Literal["array", "value", "memory", "result", "elements", "host"]
"""How a variable travels to the device.

An array as a device pointer, a value by value, a scalar or structure in device memory by its address there; a result
and the elements of an array as buffers for what blocks reduce. Only the host reads the arrays in the bounds and sizes
of clauses.
"""


class Parameter(Struct, frozen=True):
    """One variable that a region uses; ``clause`` is the data clause that names it, if any."""

    variable: FreeVariable
    role: Role
    clause: DataClause | None
    written: bool

    @property
    def name(self) -> str:
        """The variable's unique name."""
        return self.variable.name


class Reach(Struct, frozen=True):
    """The first and the last of the single elements that references use if all of ``counts`` are positive."""

    first: Polynomial
    last: Polynomial
    counts: tuple[Polynomial, ...]

    @property
    def names(self) -> frozenset[str]:
        """The variables from which the launch computes it."""
        return frozenset(name for part in (self.first, self.last, *self.counts) for name in part.names)


class ArrayExtent(Struct, frozen=True):
    """An array whose ends a kernel takes, since it clips fetches to them.

    The launch looks them up; for the program's own device pointers they are the ends of the elements used (``hull``).
    """

    array: str
    element: CType
    hull: tuple[Polynomial, Polynomial] | None = None


class ReachedArray(Struct, frozen=True):
    """An array of which a kernel uses elements that may not be on the device; the launch ends the program then.

    Of one that ``is_fetched`` a tile leaves out what is not there, so that a checker would see no access of it.
    """

    array: str
    element: CType
    reached: tuple[Reach, ...]
    is_fetched: bool


class ReachedStructure(Struct, frozen=True):
    """A structure behind a pointer, which a kernel uses up to its ``last`` member used, or as a whole ('')."""

    pointer: str
    last: str


class PlannedArrays(Struct, frozen=True):
    """What is known of the arrays of a kernel, and what its launch looks up of them.

    ``is_distinct`` says that no two of them overlap; those that are ``exchanged`` are no ``restrict`` pointers all the
    same (``analysis.exchanged``). The kernel takes their ``extents``, the launch looks for what is ``reached``, and
    makes sure of the ``alignment``.
    """

    is_distinct: bool
    exchanged: frozenset[str]
    extents: tuple[ArrayExtent, ...]
    reached: tuple[ReachedArray | ReachedStructure, ...]
    alignment: Alignment


class KernelPlan(Struct, frozen=True):
    """One version of a kernel, as it is printed.

    Its threads run in blocks of the extents ``block``, over ``loops``, in a grid of so many axes (``grid_rank``).
    Of the last of these, ``sliced`` is the name if there may be more blocks along it than a launch can have.
    ``remark`` ends the comment above it. All else is as in ``lowering.lowered.LoweredKernel``.
    """

    name: str
    function: str
    line: int
    body: Block
    block: tuple[int, int, int]
    grid_rank: int
    loops: tuple[str, ...]
    tiles: tuple[Tile, ...]
    layout: SharedLayout
    shared: tuple[SharedArray, ...]
    names: dict[str, str]
    generated: frozenset[str]
    partials: tuple[Reduction, ...]
    slices: tuple[Slices, ...]
    references: frozenset[str]
    arrays: PlannedArrays
    sliced: str = ""
    remark: str = ""

    @property
    def lines(self) -> Lines | None:
        """The lines that threads have, None without any."""
        return next((tile.lines for tile in self.tiles if tile.lines is not None), None)


class PolynomialCount(Struct, frozen=True):
    """A number of iterations: a polynomial ``span``, computed in 64 bits if ``is_wide``, over ``distance``."""

    span: Polynomial
    distance: int
    is_wide: bool

    @property
    def value(self) -> int | None:
        """The number where it is written as one."""
        return self.span.constant_value if self.distance == 1 else None


class DifferenceCount(Struct, frozen=True):
    """A number of iterations: from ``low`` (None: 0) to ``high``, and ``extra``, in 64 bits, over ``distance``."""

    high: Expr
    low: Expr | None
    extra: int
    distance: int

    @property
    def value(self) -> None:
        """The number, which only the run knows."""
        return None


class ExpressionCount(Struct, frozen=True):
    """A number of iterations that an expression computes."""

    expr: Expr

    @property
    def value(self) -> None:
        """The number, which only the run knows."""
        return None


Count: TypeAlias = PolynomialCount | DifferenceCount | ExpressionCount
"""How many iterations a loop has; zero or negative if none."""


class CountedAxis(Struct, frozen=True):
    """An axis of a grid with a block for every so many ``threads`` iterations of the loop of a ``variable``."""

    variable: str
    count: Count
    threads: int


class AskedAxis(Struct, frozen=True):
    """An axis of a grid as long as the program says, one block if that is not positive."""

    size: Expr


Axis: TypeAlias = int | CountedAxis | AskedAxis
"""How many blocks an axis of a grid has."""


class StrideCheck(Struct, frozen=True):
    """The launch ends the program where a loop's int would pass the end of its type by a ``stride`` past its limit."""

    variable: str
    limit: Expr
    stride: int


class GridPlan(Struct, frozen=True):
    """A grid's axes, x first.

    Where it would have more blocks than ``most`` (0: no limit), the last axis is made shorter, and its loop strides.
    If the ``quarter_first``, it has a quarter of them until each thread has four iterations.
    """

    axes: tuple[Axis, ...] = (1,)
    most: int = 0
    checks: tuple[StrideCheck, ...] = ()
    quarter_first: bool = False

    @property
    def counted(self) -> tuple[CountedAxis, ...]:
        """The axes whose loops' iterations the launch counts."""
        return tuple(axis for axis in self.axes if isinstance(axis, CountedAxis))

    def beside(self, other: GridPlan) -> GridPlan:
        """What is counted and checked of the grid, but not of another one."""
        checks = tuple(item for item in self.checks if item not in other.checks)
        known = {(axis.variable, axis.count) for axis in other.counted}
        return GridPlan(tuple(axis for axis in self.counted if (axis.variable, axis.count) not in known), checks=checks)


class Disjoint(Struct, frozen=True):
    """None of the arrays overlaps those in its row."""

    rows: tuple[tuple[str, tuple[str, ...]], ...]


class Holds(Struct, frozen=True):
    """The elements of an array from ``first`` up to, and without, ``end`` are on the device."""

    array: str
    element: CType
    first: Polynomial
    end: Polynomial


class NoWrap(Struct, frozen=True):
    """An unsigned sum of 32 bits fits, ``most`` at its greatest."""

    most: Polynomial


class InLowerHalf(Struct, frozen=True):
    """The ``limit`` of a loop of unsigned numbers, which may be ``wide``, is in the lower half of them."""

    limit: Expr
    is_wide: bool


class HasLines(Struct, frozen=True):
    """There is room for a line for each thread, and lines pay if nobody asked for them."""


class IsAligned(Struct, frozen=True):
    """Arrays and lengths of rows are aligned as wide accesses need them."""

    alignment: Alignment


class ManyIterations(Struct, frozen=True):
    """A counted loop has so many iterations at ``least``; the count is that of an axis of the launch if not known."""

    variable: str
    known: int | None
    least: int


class ManyBlocks(Struct, frozen=True):
    """The launch has so many blocks at ``least``."""

    least: int


class AtMost(Struct, frozen=True):
    """A number is no greater than another one."""

    value: Polynomial
    most: int


Condition: TypeAlias = (
    Disjoint | Holds | NoWrap | InLowerHalf | HasLines | IsAligned | ManyIterations | ManyBlocks | AtMost
)
"""What the launch finds out before it takes a version of a kernel."""


class Version(Struct, frozen=True):
    """A version of a kernel, for launches that meet all ``conditions``.

    Without a ``block`` and a ``grid`` it runs in those of the launch; others are declared if they have a ``label``.
    One thread runs a version that is not ``is_parallel``: what it reduces is not combined.
    """

    kernel: KernelPlan
    conditions: tuple[Condition, ...] = ()
    block: tuple[int, int, int] | None = None
    grid: GridPlan | None = None
    label: str = ""
    is_parallel: bool = True


class LaunchPlan(Struct, frozen=True):
    """The launch of one kernel: the first of its ``versions`` whose conditions hold; the last one has none.

    All take ``parameters`` in one order. The launch provides memory for the parts of reductions (``partials``) of each
    block and for ``slices``. ``block`` and ``grid`` are those of the first version.
    """

    versions: tuple[Version, ...]
    parameters: tuple[Parameter, ...]
    block: tuple[int, int, int]
    grid: GridPlan
    grid_rank: int

    @property
    def kernel(self) -> KernelPlan:
        """The first version."""
        return self.versions[0].kernel

    @property
    def partials(self) -> tuple[Reduction, ...]:
        """The reductions whose parts the launch combines."""
        return self.kernel.partials

    @property
    def slices(self) -> tuple[Slices, ...]:
        """The memory that it provides at most for arrays that threads share, or have a copy each of."""
        return max((version.kernel.slices for version in self.versions), key=len)


class RegionPlan(Struct, frozen=True):
    """A compute construct, the stub that stands for it, and its launches in order.

    ``parameters`` are what kernels and their launches need of variables, ``memory`` the scalars and structures that
    gangs share, and ``taken`` the names that the program has.
    """

    region: Region
    name: str
    parameters: tuple[Parameter, ...]
    launches: tuple[LaunchPlan, ...]
    memory: frozenset[str]
    taken: frozenset[str]

    @property
    def passed(self) -> frozenset[str]:
        """The variables whose values kernels start with."""
        return frozenset(item.name for launch in self.launches for item in launch.parameters)


class RoutinePlan(Struct, frozen=True):
    """A routine as it is printed; ``body`` is None where another file defines it.

    It writes through those of its parameters that are ``written``; ``exchanged`` ones are as in a kernel, as all else
    is. ``falls_off`` if its end may be reached though it has a result.
    """

    routine: Routine
    body: Stmt | None
    written: tuple[bool, ...]
    falls_off: bool
    exchanged: frozenset[str] = frozenset()
    shared: tuple[SharedArray, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    generated: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()
