"""What a launch finds out before it takes a version of a kernel, and in words when it takes another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from accache.analysis.aliasing import unproved_pairs
from accache.analysis.points_to import is_followed
from accache.caching.cached import CachedKernel
from accache.ir.kernels.launch_plan import (
    AtMost,
    Condition,
    Disjoint,
    HasLines,
    Holds,
    InLowerHalf,
    IsAligned,
    ManyBlocks,
    ManyIterations,
    NoWrap,
)
from accache.ir.types import exceeds_int
from accache.launching.grids import count_of
from accache.launching.versions import KernelVersions
from accache.lowering.lowered import LoweredKernel
from accache.mapping.loops.warps import lengths_for_lanes, longest_of_lanes
from accache.mapping.mapped import MappedKernel

Plain = Literal["single", "plain", "lengthwise", "unaligned", "uncached"]
"""What the plain version of a kernel is, by which its name ends."""
_IN_WORDS: dict[Plain, str] = {
    "lengthwise": "with a block for each iteration",
    "single": "with one iteration a thread",
    "plain": "with one iteration a thread and without caches",
    "unaligned": "without wide accesses",
    "uncached": "without caches",
}


def kind_of_plain(kernel: LoweredKernel) -> Plain:
    """What the version of a kernel is that has neither caches nor several iterations a thread."""
    cached = kernel.cached
    if cached.single is not None and cached.single.is_special:
        return "plain"
    if cached.single is not None:
        return "single" if cached.kernel.coarse.outputs else "unaligned"
    if cached.kernel.variants.lengthwise is not None:
        return "lengthwise"
    return "unaligned" if cached.kernel.alignment and not cached.tiles else "uncached"


def truths(cached: CachedKernel, pairs: Sequence[tuple[str, str]]) -> tuple[Condition, ...]:
    """What no version may be taken without that takes it for true: that arrays are apart, and sums do not wrap."""
    return (*([Disjoint(_rows(pairs))] if pairs else []), *map(NoWrap, cached.sums))


def common_conditions(cached: CachedKernel, pairs: Sequence[tuple[str, str]]) -> tuple[Condition, ...]:
    """What all versions ask for, in the form of one of them, but the plain and the careful one."""
    elements = {tile.array: tile.element for tile in reversed(cached.tiles)}
    return (
        *truths(cached, pairs),
        *(Holds(array, elements[array], first, end) for array, (first, end) in cached.assumptions),
        *(AtMost(limit, length) for limit, length in cached.lengths),
    )


def own_conditions(versions: KernelVersions) -> tuple[Condition, ...]:
    """What the kernel as planned asks for beside them."""
    cached = versions.planned.cached
    return (
        *([HasLines()] if cached.has_lines else []),
        *conditions_of_shape(cached),
    )


def conditions_of_shape(cached: CachedKernel) -> tuple[Condition, ...]:
    """What a kernel asks for of its threads' accesses and iterations."""
    return (
        *met_alignment(cached.kernel),
        *(InLowerHalf(loop.limit, exceeds_int(loop.type)) for loop in cached.limits),
        *large_enough(cached.kernel, cached.fewest_blocks),
    )


def met_alignment(kernel: MappedKernel) -> tuple[Condition, ...]:
    """That what a kernel's wide accesses need to be aligned is."""
    return (IsAligned(kernel.alignment),) if kernel.alignment else ()


def large_enough(kernel: MappedKernel, blocks: int) -> tuple[Condition, ...]:
    """That most threads have all their iterations, and that there are ``blocks`` enough to fill a GPU (0: any number).

    Where the iterations of a thread along x are a block's width apart, those of a block reach far.
    """
    if not blocks:
        return ()
    if kernel.variants.lengthwise is not None:
        longest = longest_of_lanes(kernel)
        return (*(AtMost(length, longest) for length in lengths_for_lanes(kernel)), ManyBlocks(blocks))
    loop, reach = kernel.shape.counted_loops[0], 2 * kernel.shape.grid_threads[0]
    known = count_of(loop).value
    is_strided = dict(kernel.coarse.outputs).get("x", 1) > 1 and not kernel.coarse.is_blocked
    if is_strided and (known is None or known < reach):
        return ManyIterations(loop.variable, known, reach), ManyBlocks(blocks)
    return (ManyBlocks(blocks),)


def _rows(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Pairs as rows, in each of which an array stands against others.

    The array of the most pairs comes first, which is one that the kernel writes.
    """
    rows = []
    rest = list(pairs)
    while rest:
        counts = Counter(name for pair in rest for name in pair)
        array = max(counts, key=lambda name: counts[name])
        others = tuple(second if first == array else first for first, second in rest if array in (first, second))
        rows.append((array, others))
        rest = [pair for pair in rest if array not in pair]
    return tuple(rows)


def why_plain(versions: KernelVersions) -> str:
    """When a launch takes the plain version, as a comment."""
    kernel = versions.planned
    cached = kernel.cached
    doubts = _doubts(versions) if versions.careful is None else {}
    reasons = {
        "arrays overlap": doubts.get("arrays overlap", False),
        "an array is shorter than assumed": cached.assumptions,
        "a subarray is longer than its tile": cached.lengths,
        "accesses would not be aligned": cached.kernel.alignment or (cached.single and cached.single.kernel.alignment),
        "unsigned numbers wrap": doubts.get("unsigned numbers wrap", False) or cached.limits,
        "there are few iterations": cached.fewest_blocks,
        "no line finds room": cached.has_lines,
        "L1 holds what all threads use": _only_where_they_pay(kernel),
    }
    is_wide = cached.single is not None and bool(cached.single.kernel.alignment)
    what = f"{_IN_WORDS['single']} and {_IN_WORDS['unaligned']}" if is_wide else _IN_WORDS[kind_of_plain(kernel)]
    return f"The same {what}, for launches where {_any_of(reasons)}."


def why_careful(versions: KernelVersions) -> str:
    """When a launch takes the careful version, as a comment."""
    by_one = " run by one thread," if versions.planned.cached.kernel.variants.sequential is not None else ""
    return f"The same{by_one} for launches where {_any_of(_doubts(versions))}."


def _doubts(versions: KernelVersions) -> dict[str, object]:
    """What would make other versions than the careful one wrong, and whether that may be."""
    return {"arrays overlap": versions.pairs, "unsigned numbers wrap": versions.planned.cached.sums}


def _any_of(reasons: Mapping[str, object]) -> str:
    return " or ".join(reason for reason, holds in reasons.items() if holds)


def _only_where_they_pay(kernel: LoweredKernel) -> bool:
    """Whether nobody asked for the lines of a kernel's threads."""
    return any(tile.lines is not None and tile.lines.launch_decides for tile in kernel.cached.tiles)


def is_distinct(kernel: LoweredKernel, checked: Sequence[tuple[str, str]]) -> bool:
    """Whether no two arrays that a kernel takes are one memory, so that ``restrict`` is true of all.

    That the ``checked`` pairs do not overlap, the launch has made sure.
    """
    unproved = unproved_pairs(kernel.in_memory, kernel.written | kernel.memory)
    return is_followed(kernel.cached.body) and all((a.name, b.name) in checked for a, b in unproved)
