"""The report as data: what ``accache explain --json`` prints, field for field (docs/explain.md tells their meaning)."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from accache.base.choices import Fate, Fated
from accache.ir.kernels.tiles import Policy, Scope, Tracking

VERSION = 1
ACCESSES = {"wide": "wide accesses", "wide rows": "wide accesses of aligned rows"}
"""How threads of a candidate access memory, in words."""


class Number(Struct, frozen=True):
    """A count as a formula in the program's variables, and its value where it has none.

    ``bound`` is exact, at most, at least or estimate; ``notes`` say why it is not exact.
    """

    formula: str
    value: int | None
    bound: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return self.formula if self.bound == "exact" else f"{self.bound} {self.formula}"


class Change(Struct, frozen=True):
    """Global loads without the cache directives and with them.

    Where formulas differ ``verdict`` says what is proved of all sizes in them, all positive and such that the loops
    run: that there are always fewer loads, never more or never fewer; else it is undecided, and '' for numbers.
    """

    before: Number
    after: Number
    verdict: str


class DimensionReport(Struct, frozen=True):
    """One dimension of a subarray: ``rate*loop + offset`` in elements, ``step`` of the loop, sharing along ``axis``.

    ``length`` is what one iteration asks for, ``extent`` what the tile holds; ``halo`` elements of it the
    neighbouring block fetches too, ``gap`` elements between two iterations' subarrays nobody asks for. ``width`` is
    how the sharing width is found ('' if nothing needs it), ``full_width`` the threads in a full block. Each of them
    has so many ``iterations`` of the loop, each ``apart`` from the one before (1: they are neighbours). ``loop``
    is '' (and rate and step 0) where all threads ask for the same.
    """

    lower: str
    length: int
    loop: str
    axis: str
    rate: int | None
    offset: str
    step: int
    extent: int
    halo: int
    gap: int
    width: str
    full_width: int
    ranges: tuple[str, ...]
    shared_range: str
    strip: tuple[str, ...]
    iterations: int = 1
    apart: int = 1


class BankReport(Struct, frozen=True):
    """One reference to shared memory: turns a warp takes for it; None (``reason``) where only the data decides."""

    line: int
    degree: int | None
    reason: str


class DiagnosticReport(Struct, frozen=True):
    """A message of the translation."""

    code: str
    severity: str
    message: str
    line: int | None
    column: int | None


class SubarrayReport(Fated, Struct, frozen=True):
    """One subarray of one directive: what it became and why.

    ``written`` is the user's text, ``text`` the same with macros expanded. ``method`` is a cache method, or
    scratch, register, local, off or none. ``scope`` is block (one tile for all threads) or thread, '' without a tile;
    ``obstacle`` says why the block does not share. ``padding`` elements of each row of the tile only keep its columns
    in different banks. ``shared_bytes`` counts this tile or gang-local array, which lies ``in_place_of`` other tiles
    that are never in use at the same time. ``density`` is 0 where the user wrote the directive, and the thread
    density for which accache proposed it where nobody did. A thread has lines of ``line_bytes`` for some of
    ``line_arrays`` arrays, which it has seen to pay after ``line_calls`` accesses; that is where a multiprocessor
    holds at least ``line_threads`` threads, which go through ``line_streams`` arrays in records of their own, both 0
    where that is not known; it holds ``line_most`` at most. If its references tell what it gains, ``line_calls`` is 0
    and ``line_turn`` its place among the arrays, the first being 1.
    """

    line: int
    column: int
    written: str
    text: str
    method: Fate
    reason: str
    scope: Literal["", Scope]
    obstacle: str
    tile: str
    extents: tuple[int, ...]
    padding: int
    shared_bytes: int
    dimensions: tuple[DimensionReport, ...]
    policy: Policy
    policy_reason: str
    tracking: Tracking
    loads: Change | None
    banks: tuple[BankReport, ...]
    refused: tuple[DiagnosticReport, ...]
    density: float = 0.0
    line_bytes: int = 0
    line_arrays: int = 0
    line_calls: int = 0
    line_threads: int = 0
    line_streams: int = 0
    line_most: int = 0
    line_turn: int = 0
    in_place_of: tuple[str, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether the directive cannot be obeyed, or does not pay."""
        return self.method == "none"

    @property
    def is_kept(self) -> bool:
        """Whether the data is nearer than memory: in a tile, in lines of each thread's own, in registers."""
        return self.method not in ("none", "off")


class OccupancyReport(Struct, frozen=True):
    """Blocks a multiprocessor of the target holds, as far as threads, shared memory and registers limit them.

    ``registers`` are those of a thread. Where they are None, nobody asked ptxas, and they may lower the numbers.
    """

    arch: str
    blocks: int
    percent: int
    limit: str
    registers: int | None = None


class CandidateReport(Struct, frozen=True):
    """A form that the planner tried of a kernel, and what a warp is estimated to take in it.

    ``name`` tells it from the others of its kernel. These ``subarrays`` have tiles in it, and blocks the extents of
    ``block``. ``clocks`` are the largest of its limits. ``slots`` are instructions, ``sectors`` those of L1,
    ``turns`` of the banks, ``written`` and ``read`` bytes to and from L2. Where threads have several ``iterations``
    (planes, rows, columns), the numbers are those of one. ``accesses`` are '', wide, or wide rows, which need rows of
    a length that some programs do not have. ``shared_bytes`` are those of its tiles in a block, ``registers`` those
    of a thread that hold what its iterations have each for themselves: 0 if it has one iteration, and never all that
    it takes. ``refused`` says why it is not emitted; it is '' for the one that is ``chosen``.
    """

    subarrays: tuple[str, ...]
    clocks: float
    bound: str
    slots: float
    sectors: float
    turns: float
    written: float
    chosen: bool
    iterations: tuple[int, ...] = ()
    name: str = ""
    block: tuple[int, int, int] = (1, 1, 1)
    read: float = 0.0
    accesses: str = ""
    shared_bytes: int = 0
    registers: int = 0
    refused: str = ""

    @property
    def form(self) -> str:
        """Its name, with how threads access memory where that is not in it."""
        return self.name if self.iterations or not self.accesses else f"{self.name}, {ACCESSES[self.accesses]}"


class KernelReport(Struct, frozen=True):
    """One kernel: its loops, its launch shape, and its shared memory.

    A thread has several ``iterations``, planes, rows, columns, in launches of at least ``fewest_blocks``, and in
    launches of fewer, but at least ``fewest_blocks_of_fewer``, the ``fewer`` ones, if there are such; ``obstacle`` says
    why it cannot have several, where that is so; threads with iterations on both sides of a condition at the ``edges``
    of some loops go through them one by one, and where the loops are those of a rectangle around a program's
    ``is_triangle``, so do threads at its edge. ``candidates`` are what was tried, the quickest first.
    If it has a ``warp_an_iteration`` of its outer loop, launches of fewer blocks, or longer inner loops, have a block.
    Neighbouring elements are accessed at once in launches that meet ``wide_where``; '' if they never are. Where a
    launch finds that arrays overlap or sums wrap, it takes the version that is called ``otherwise``: ``"sequential"``
    is run by one thread, ``"overlapping"`` by as many as there are if arrays may overlap; '' if it has none of its own.
    ``kept_rows`` are arrays that lanes walk several times, and how many elements a thread keeps in registers,
    ``columns`` reduced arrays of which each thread has a column in shared memory. If ``most_blocks`` is not 0, the
    ``grid`` is made smaller where it would have more, and blocks stride.
    """

    name: str
    function: str
    line: int
    loops: tuple[str, ...]
    block: tuple[int, int, int]
    threads: int
    grid: tuple[Number, ...]
    shared_bytes: int
    occupancy: OccupancyReport
    block_loads: Change
    launch_loads: Change
    launch_fetches: Number
    overlap_checks: tuple[tuple[str, str], ...]
    extent_checks: tuple[tuple[str, str, str], ...]
    length_checks: tuple[tuple[str, int], ...]
    subarrays: tuple[SubarrayReport, ...]
    candidates: tuple[CandidateReport, ...] = ()
    iterations: tuple[int, ...] = ()
    edges: tuple[str, ...] = ()
    is_triangle: bool = False
    fewest_blocks: int = 0
    fewer: tuple[int, ...] = ()
    fewest_blocks_of_fewer: int = 0
    obstacle: str = ""
    wide_where: str = ""
    warp_an_iteration: bool = False
    otherwise: str = ""
    kept_rows: tuple[tuple[str, int], ...] = ()
    columns: tuple[str, ...] = ()
    most_blocks: int = 0


class ReportData(Struct, frozen=True):
    """The kernels of a translation in source order, and every message of it.

    With ``fast_math`` a GPU approximates divisions, roots and functions of floats, and a run on a CPU does not.
    """

    version: int
    file: str
    arch: str
    kernels: tuple[KernelReport, ...]
    diagnostics: tuple[DiagnosticReport, ...]
    fast_math: bool = False
