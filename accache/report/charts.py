"""Pictures of a report as numbers: which thread needs what of a dimension, and loads without and with a directive."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from accache.report.records import Change, DimensionReport, SubarrayReport
from accache.report.warps import BlockView, Flow, Way

SHOWN_THREADS = 32


class ThreadRow(Struct, frozen=True):
    """What a thread needs: so many elements from each of its ``starts`` on, counted from the tile's first."""

    thread: int
    starts: tuple[int, ...]


class ThreadMap(Struct, frozen=True):
    """A dimension of a tile: each of ``threads`` needs ``length`` elements, ``stride`` further than the one before.

    The first thread's begin at ``origin``, the tile has ``extent`` elements. ``halo`` of them the neighbouring block
    fetches, too, ``shared`` are needed by several threads. ``lower`` is the lower bound as it is written.
    ``rows`` are the first threads, which need ``span`` elements from ``low`` on. Where the ``iterations`` of a thread
    do not touch each other's elements, it needs ``length`` elements in each of several ``parts``, which begin ``apart``
    elements from each other.
    """

    axis: str
    loop: str
    lower: str
    threads: int
    length: int
    stride: int
    origin: int
    extent: int
    halo: int
    shared: int
    low: int
    span: int
    rows: tuple[ThreadRow, ...]
    iterations: int
    parts: int
    apart: int


class SameElements(Struct, frozen=True):
    """A dimension of which all threads need the same ``length`` elements; it is 0 where the tile has no other."""

    dimension: int
    length: int
    lower: str


class Bars(Struct, frozen=True):
    """Loads without a directive and with it, as formulas and, where they are numbers, parts of the larger one."""

    title: str
    before: str
    after: str
    before_percent: float | None
    after_percent: float | None


class Arrow(Struct, frozen=True):
    """A way between two memories, and what moves along it; ``width`` is a part of the busiest way's."""

    way: Way
    text: str
    width: float


class MemorySide(Struct, frozen=True):
    """What the first warp moves in one version of a kernel, and all of it in words."""

    title: str
    arrows: tuple[Arrow, ...]
    text: str
    has_tiles: bool


class MemoryChart(Struct, frozen=True):
    """What the first warp moves between the memories, without the directives and with them.

    There is one side where nothing is to be compared, or nothing differs; the ``note`` says so, and what is missing.
    """

    sides: tuple[MemorySide, ...]
    note: str


def memory_chart(without: BlockView | None, block: BlockView, *, has_directives: bool) -> MemoryChart | None:
    """The chart of a recorded block, and of one ``without`` directives if there is one; None if nothing is moved."""
    if not block.flows:
        return None
    if without is None or not without.flows:
        why = "It could not be run without its directives." if has_directives else "The kernel has no cache directive."
        note = f"{why} {_missing((block,))}".rstrip()
        return MemoryChart((_side("this kernel", block.flows, _most(block.flows)),), note)
    missing = _missing((without, block))
    if without.flows == block.flows:
        side = _side("without the directives and with them", block.flows, _most(block.flows))
        return MemoryChart((side,), f"The first warp moves the same with the directives as without. {missing}".rstrip())
    most = _most((*without.flows, *block.flows))
    sides = _side("without the directives", without.flows, most), _side("with them", block.flows, most)
    return MemoryChart(sides, missing)


def _most(flows: tuple[Flow, ...]) -> int:
    return max(map(_amount, flows))


def _missing(blocks: tuple[BlockView, ...]) -> str:
    """What of the first warps was not recorded, and so what not to compare."""
    if all(block.is_whole for block in blocks):
        return ""
    counts = [f"{'all' if block.is_whole else 'the first'} {block.count:,}" for block in blocks]
    text = f"Of the memory instructions of the warp {' and '.join(dict.fromkeys(counts))} are in the chart."
    more = " They are not the same part of its work: compare what the ways take, not the sums."
    return text + more * (len(blocks) > 1)


def _side(title: str, flows: tuple[Flow, ...], most: int) -> MemorySide:
    arrows = tuple(Arrow(flow.way, _moved(flow), round(_amount(flow) / max(most, 1), 3)) for flow in flows)
    sectors, turns = sum(flow.sectors for flow in flows), sum(flow.turns for flow in flows if not flow.sectors)
    text = f"{sectors:,} sectors of global memory, {turns:,} turns of shared memory"
    return MemorySide(title, arrows, text, any(flow.way not in ("load", "store") for flow in flows))


def _amount(flow: Flow) -> int:
    return flow.sectors or flow.turns


def _moved(flow: Flow) -> str:
    return f"{flow.sectors:,} sectors" if flow.sectors else f"{flow.turns:,} turns"


def bars_of(title: str, change: Change, unit: int) -> Bars:
    """A change as two bars, with bytes where an element has ``unit`` of them."""
    before, after = change.before, change.after
    largest = max(before.value or 0, after.value or 0)
    if after.bound == "at least" and not after.value and after.notes:
        return Bars(title, str(before), f"not known: {'; '.join(after.notes)}", None, None)
    if before.value is None or after.value is None or not largest:
        return Bars(title, str(before), str(after), None, None)

    def text(value: int) -> str:
        return f"{value:,} elements" + (f", {value * unit:,} bytes" if unit else "")

    parts = (round(100 * value / largest, 1) for value in (before.value, after.value))
    return Bars(title, text(before.value), text(after.value), *parts)


def thread_maps(item: SubarrayReport) -> Iterator[ThreadMap]:
    """A picture for each dimension in which threads need other elements than their neighbours do."""
    for dimension in item.dimensions:
        if dimension.rate is not None and dimension.loop and dimension.axis:
            yield _map(dimension)


def same_elements(item: SubarrayReport) -> Iterator[SameElements]:
    """The dimensions in which the threads that share a tile need the same elements, which are no picture."""
    for number, dimension in enumerate(item.dimensions, 1):
        if item.scope == "block" and dimension.rate == 0 and not dimension.axis:
            yield SameElements(number if len(item.dimensions) > 1 else 0, dimension.length, dimension.lower)


def _map(item: DimensionReport) -> ThreadMap:
    assert item.rate is not None
    step = item.rate * item.step  # elements from the subarray of an iteration to that of the next one
    several = item.iterations if step else 1
    threads = max(1, item.full_width if step else 1)
    if item.full_width <= 1 and step:
        threads = max(1, (item.extent - item.length) // abs(step) + 1)
    stride = step * (several if item.apart == 1 else 1)
    apart = abs(step) * item.apart
    parts = several if apart > item.length else 1
    length = item.length if parts > 1 else item.length + apart * (several - 1)
    # where a loop goes down, the last iteration has the tile's first elements
    origin = -stride * (threads - 1) if stride < 0 else 0
    starts = [[origin + stride * t + apart * part for part in range(parts)] for t in range(min(threads, SHOWN_THREADS))]
    rows = tuple(ThreadRow(thread, tuple(found)) for thread, found in enumerate(starts))
    shared = max(0, length - abs(stride)) * parts if threads > 1 else 0
    extent = max(item.extent, abs(step) * (threads * several - 1) + item.length)
    low = min(map(min, starts))
    span = max(map(max, starts)) + length - low
    return ThreadMap(
        item.axis,
        item.loop,
        item.lower,
        threads,
        length=length,
        stride=stride,
        origin=origin,
        extent=extent,
        halo=item.halo,
        shared=shared,
        low=low,
        span=span,
        rows=rows,
        iterations=several,
        parts=parts,
        apart=apart,
    )
