"""A kernel by other methods, in other blocks, and with several iterations a thread: what a page has sliders for."""

from __future__ import annotations

from math import prod

from msgspec import Struct

from accache.base.choices import CoarsenChoice, MethodChoice
from accache.base.options import Options
from accache.report.records import CandidateReport, KernelReport, SubarrayReport


class Point(Struct, frozen=True):
    """A kernel by a method, asked for blocks of so many threads.

    Its threads have one iteration each, or several. ``tiles`` has the tiles with their extents. ``held`` are the
    elements of a block's tiles, of which ``halo`` belong to neighbours, too. ``before`` and ``after`` are global loads
    of a block as formulas, and ``each`` of them of an iteration, None where they are no numbers; ``after`` is "" where
    only a run knows. ``clocks`` and the ``bound`` are the estimate for a warp, None where there is none. ``reason``
    says why there is no tile, or no such kernel.
    """

    method: MethodChoice
    threads: int
    block: tuple[int, ...] = ()
    tiles: str = ""
    held: int = 0
    halo: int = 0
    shared_bytes: int = 0
    occupancy: int = 0
    limit: str = ""
    before: str = ""
    after: str = ""
    each_before: float | None = None
    each_after: float | None = None
    clocks: float | None = None
    bound: str = ""
    reason: str = ""


class Several(Struct, frozen=True):
    """A kernel without tiles whose threads have several iterations, rows and columns."""

    iterations: str
    count: int
    form: str
    clocks: float
    bound: str
    sectors: float
    registers: int


class Larger(Struct, frozen=True):
    """A kernel whose tiles hold what all of a thread's several iterations use; ``coarsen`` asks for it."""

    iterations: str
    coarsen: CoarsenChoice
    point: Point


class ChangedLine(Struct, frozen=True):
    """The line of a construct that asks for so many threads a block."""

    threads: int
    text: str


class Sweep(Struct, frozen=True):
    """What was tried of a kernel at a ``line``; ``command`` makes the report of a point, with METHOD for its method.

    ``chosen`` is the block's size as it is emitted.
    """

    kernel: str
    line: int
    methods: tuple[MethodChoice, ...]
    sizes: tuple[int, ...]
    points: tuple[Point, ...]
    several: tuple[Several, ...]
    larger: tuple[Larger, ...]
    lines: tuple[ChangedLine, ...]
    chosen: int
    command: str


def point_of(options: Options, threads: int, report: KernelReport) -> Point:
    """What a report says of a kernel that was asked to have such blocks."""
    emitted = next((item for item in report.candidates if item.chosen), None)
    tiled = [item for item in report.subarrays if item.tile]
    lines = [f"lines of {item.line_bytes} bytes for each thread" for item in report.subarrays if item.line_bytes]
    held = sum(prod(item.extents) for item in tiled)
    loads = report.block_loads
    iterations = report.threads * prod(report.iterations)
    left = (item for item in report.subarrays if not item.tile and not item.line_bytes)
    reasons = dict.fromkeys(item.obstacle or item.reason for item in left)
    return Point(
        options.method,
        threads,
        report.block,
        ", ".join((*(f"{item.tile}{''.join(f'[{extent}]' for extent in item.extents)}" for item in tiled), *lines[:1])),
        held=held,
        halo=sum(_halo(item) for item in tiled if item.scope == "block"),
        shared_bytes=report.shared_bytes,
        occupancy=report.occupancy.percent,
        limit=report.occupancy.limit,
        before=str(loads.before),
        after=str(loads.after) if not lines else "",
        each_before=_each(loads.before.value, iterations),
        each_after=_each(loads.after.value, iterations) if not lines else None,
        clocks=emitted.clocks if emitted is not None else None,
        bound=emitted.bound if emitted is not None else "",
        reason="; ".join(reasons) if not options.caches_nothing else "",
    )


def _halo(item: SubarrayReport) -> int:
    """The elements of a shared tile that a neighbour has, too."""
    sides = item.dimensions
    return prod(side.extent for side in sides) - prod(side.extent - side.halo for side in sides)


def _each(value: int | None, iterations: int) -> float | None:
    return round(value / iterations, 3) if value is not None else None


def larger_of(options: Options, report: KernelReport) -> Larger | None:
    """A kernel with tiles for several iterations a thread; None if it has none."""
    if not report.iterations or not any(item.tile for item in report.subarrays):
        return None
    return Larger(times(report.iterations), options.coarsen, point_of(options, report.threads, report))


def times(iterations: tuple[int, ...]) -> str:
    """So many iterations of a thread: planes, rows and columns."""
    return " x ".join(map(str, iterations)) or "1"


def several_of(candidates: tuple[CandidateReport, ...]) -> tuple[Several, ...]:
    """The candidates without tiles, the quickest of each number of iterations, by that number."""
    found: dict[tuple[int, ...], CandidateReport] = {}
    for item in sorted(candidates, key=lambda each: each.clocks):
        if not item.subarrays:
            found.setdefault(item.iterations, item)
    return tuple(
        Several(
            times(iterations),
            prod(iterations),
            item.form,
            item.clocks,
            bound=item.bound,
            sectors=item.sectors,
            registers=item.registers,
        )
        for iterations, item in sorted(found.items(), key=lambda pair: (prod(pair[0]), pair[0]))
    )
