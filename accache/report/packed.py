"""Recorded blocks as they stand in a page's script: runs of numbers for what lanes and places have."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from accache.report.warps import BlockView, Row, Step

Runs = tuple[int | None, ...]
"""A start, a step and a count for each run of numbers that are as far apart; the start is None where there are none."""


def runs(numbers: Sequence[int | None]) -> Runs:
    """Numbers as runs.

    >>> runs((None, None, 4, 6, 8, 8, 8))
    (None, 0, 2, 4, 2, 3, 8, 0, 2)
    """
    found: list[int | None] = []
    begin = 0
    while begin < len(numbers):
        start, following = numbers[begin], numbers[begin + 1 : begin + 2]
        step = following[0] - start if start is not None and following and following[0] is not None else 0
        end = begin + 1
        while end < len(numbers) and numbers[end] == (start + step * (end - begin) if start is not None else None):
            end += 1
        found += [start, step, end - begin]
        begin = end
    return tuple(found)


class PackedStep(Struct, frozen=True, array_like=True):
    """A ``warps.Step``; the page's script names these fields in this order."""

    phase: int
    part: str
    access: str
    memory: str
    array: str
    line: int
    elements: Runs
    sectors: Runs
    used: Runs
    turns: int
    banks: Runs
    other_turns: int
    other_banks: Runs


class PackedWarp(Struct, frozen=True):
    """A warp of a block; it does more than these steps if they are not ``is_whole``."""

    number: int
    is_whole: bool
    steps: tuple[PackedStep, ...]


class PackedContents(Struct, frozen=True):
    """A ``warps.Contents``."""

    tile: str
    array: str
    phase: int
    elements: Runs


class PackedBlock(Struct, frozen=True):
    """What a page's script shows of a ``warps.BlockView``."""

    kernel: str
    warps: tuple[PackedWarp, ...]
    contents: tuple[PackedContents, ...]
    rows: tuple[Row, ...]
    cut_phase: int | None


def packed(block: BlockView) -> PackedBlock:
    """A block for the page's script."""
    is_whole = block.is_whole and block.count == len(block.steps)
    first = PackedWarp(0, is_whole, tuple(map(_packed_step, block.steps)))
    others = (PackedWarp(warp.number, warp.is_whole, tuple(map(_packed_step, warp.steps))) for warp in block.others)
    contents = (PackedContents(held.tile, held.array, held.phase, runs(held.elements)) for held in block.contents)
    return PackedBlock(block.kernel, (first, *others), tuple(contents), block.rows, block.cut_phase)


def _packed_step(step: Step) -> PackedStep:
    return PackedStep(
        step.phase,
        step.part,
        step.access,
        step.memory,
        array=step.array,
        line=step.line,
        elements=runs(step.elements),
        sectors=runs([sector for sector, _ in step.sectors]),
        used=runs([used for _, used in step.sectors]),
        turns=step.turns,
        banks=runs(step.banks),
        other_turns=step.other_turns,
        other_banks=runs(step.other_banks) if step.other_banks != step.banks else (),
    )
