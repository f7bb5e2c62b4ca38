"""What was decided of each array of each kernel, in both currencies: as text, as one record, and as notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.text import Span
from accache.l1.gpus import Gpu
from accache.preload.plan import Decision, Plan, Tile, bytes_saved, wavefronts_saved
from accache.workflows.preload.program import Preloaded, limits_of

VERSION = 1


class SectorsMoved(Struct, frozen=True):
    """Sectors that one region moves: if loads pass L1 by, if L1 holds all that is loaded again, and with the copy."""

    without_l1: int
    with_l1: int
    with_copy: int


class Wavefronts(Struct, frozen=True):
    """Wavefronts of one region: of L1 as it is, and of shared memory and of making the copy with one."""

    without_copy: int
    with_copy: int


class CopyRecord(Struct, frozen=True):
    """The copy of an array, or the densest there could be.

    ``loop`` is the line of the loop that it is for and ``chunk`` its iterations; both are null where it is made at the
    kernel's entry. ``shared`` and ``saved_bytes`` (from L2) are bytes.
    """

    loop: int | None
    chunk: int | None
    density: float
    reuse: float
    fill: float
    box: tuple[int, ...]
    element_bytes: int
    sectors: SectorsMoved
    wavefronts: Wavefronts
    shared: int
    saved_bytes: int
    saved_wavefronts: int


class ArrayRecord(Struct, frozen=True):
    """What was decided of an array that is loaded in ``lines``; ``reason`` is null where it is copied."""

    name: str
    lines: tuple[int, ...]
    decision: Literal["copy", "leave"]
    reason: str | None
    copy: CopyRecord | None


class KernelRecord(Struct, frozen=True):
    """A kernel for blocks of so many threads; ``shared`` are the bytes that all copies take of a block.

    ``launches`` are those of the file, of kernels of that name, that use the copies where these may be used.
    """

    name: str
    block: tuple[int, int, int]
    shared: int
    launches: int
    arrays: tuple[ArrayRecord, ...]


class PreloadRecord(Struct, frozen=True):
    """What ``accache preload --json`` prints."""

    version: int
    program: str
    gpu: str
    threshold: float
    kernels: tuple[KernelRecord, ...]


def as_record(found: Preloaded, gpu: Gpu, threshold: float) -> PreloadRecord:
    """The decisions of a program."""
    kernels = tuple(
        KernelRecord(
            plan.view.name,
            plan.block,
            plan.layout.bytes,
            found.launches.get(plan.view.item.name, 0),
            tuple(_array(item, plan, found, gpu) for item in plan.decisions),
        )
        for plan in found.plans
    )
    return PreloadRecord(VERSION, found.cuda.source.name, gpu.name, threshold, kernels)


def _array(item: Decision, plan: Plan, found: Preloaded, gpu: Gpu) -> ArrayRecord:
    lines = tuple(sorted({_line_of(found, offset) for offset in item.offsets}))
    tile = item.tile or item.best
    record = None if tile is None else _copy(tile, plan, found, gpu)
    return ArrayRecord(item.array, lines, "copy" if item.tile else "leave", item.reason or None, record)


def _copy(tile: Tile, plan: Plan, found: Preloaded, gpu: Gpu) -> CopyRecord:
    measures = tile.measures
    return CopyRecord(
        loop=None if tile.loop is None else _line_of(found, tile.loop.offset),
        chunk=None if tile.loop is None else tile.chunk,
        density=measures.density,
        reuse=measures.reuse,
        fill=measures.fill,
        box=tile.box.lengths,
        element_bytes=tile.element_bytes,
        sectors=SectorsMoved(measures.sectors, measures.touched, measures.copied),
        wavefronts=Wavefronts(measures.loads, measures.tile_loads + measures.copy),
        shared=tile.shared_bytes,
        saved_bytes=bytes_saved(tile, limits_of(gpu, plan.block, 0)),
        saved_wavefronts=wavefronts_saved(tile),
    )


def _line_of(found: Preloaded, offset: int) -> int:
    return found.cuda.source.location(offset).line


def notes(found: Preloaded, gpu: Gpu) -> tuple[Diagnostic, ...]:
    """A note at each load of an array, or at the kernel where it is not loaded, that says what was decided."""
    reporter = Reporter()
    source = found.cuda.source
    for plan in found.plans:
        head = found.cuda.tokens[plan.view.item.first].start
        for item in plan.decisions:
            for offset in item.offsets or (head,):
                place = source.locate(Span(offset, offset + (len(item.array) if item.offsets else 1)))
                decision = _decided(item, plan, gpu)
                reporter.report("ACC989", place, array=item.array, kernel=plan.view.name, decision=decision)
    return tuple(reporter.diagnostics)


def told(found: Preloaded, gpu: Gpu) -> str:
    """A line for each array of each kernel."""
    return "".join(f"{line}\n" for plan in found.plans for line in _lines(plan, found, gpu))


def _lines(plan: Plan, found: Preloaded, gpu: Gpu) -> Iterator[str]:
    shape = " x ".join(map(str, plan.block))
    unused = plan.tiles and not found.launches.get(plan.view.item.name)
    used = "; no launch in the file uses them" if unused else ""
    yield f"{plan.view.name}, blocks of {shape} threads: {plan.layout.bytes} bytes of shared memory a block{used}"
    for item in plan.decisions:
        yield f"  {item.array}: {_decided(item, plan, gpu)}"


def _decided(item: Decision, plan: Plan, gpu: Gpu) -> str:
    tile = item.tile or item.best
    if tile is None:
        return item.reason
    limits = limits_of(gpu, plan.block, 0)
    measures = tile.measures
    where = "at the entry" if tile.loop is None else f"in chunks of {tile.chunk} iterations"
    what = f"copied {where}" if item.tile is not None else item.reason
    return (
        f"{what}; density {measures.density:.2f} = reuse {measures.reuse:.2f} x fill "
        f"{measures.fill:.2f}, {tile.shared_bytes} bytes; a region saves {bytes_saved(tile, limits)} bytes from L2 and "
        f"{wavefronts_saved(tile)} wavefronts of {measures.loads}"
    )
