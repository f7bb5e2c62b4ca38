"""The versions in which a region's kernels are lowered: as planned, and for launches that cannot take that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.aliasing import unproved_pairs
from accache.analysis.effects import effects_of
from accache.analysis.points_to import is_followed
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.caching.cached import CachedKernel, without_caches, without_doubts
from accache.ir.kernels.simt import ParallelFor
from accache.ir.openacc.regions import FreeVariable, Region
from accache.ir.tree import For, Stmt, While
from accache.ir.walk import nodes_of, walk
from accache.lowering.kept_rows import has_several_walks
from accache.lowering.lowered import LoweredKernel
from accache.lowering.placement import room_for_arrays
from accache.lowering.reuse import lower
from accache.mapping.mapped import MappedKernel, without_alignment


class KernelVersions(Struct, frozen=True):
    """A kernel as ``planned``, and its versions for launches that cannot take that.

    A kernel with wide accesses may have a version for rows that are ``unaligned``, one whose threads have several
    iterations one with ``fewer`` of them and the ``single`` one in which each has one, and that has tiles or wide
    accesses. The ``plain`` version asks
    for no more than that no two of the ``pairs`` of arrays overlap and no unsigned sum wraps, and for nothing where
    none is ``careful``: that version any launch may take. None stands for versions that are not needed.
    """

    planned: LoweredKernel
    unaligned: LoweredKernel | None = None
    fewer: LoweredKernel | None = None
    single: LoweredKernel | None = None
    plain: LoweredKernel | None = None
    careful: LoweredKernel | None = None
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def all(self) -> tuple[LoweredKernel, ...]:
        """All versions, in the order in which launches try them."""
        versions = (self.planned, self.unaligned, self.fewer, self.single, self.plain, self.careful)
        return tuple(item for item in versions if item is not None)

    @property
    def otherwise(self) -> Literal["", "sequential", "overlapping"]:
        """What the careful version is, by which its name ends; '' if there is none."""
        if self.careful is None:
            return ""
        return "sequential" if self.planned.cached.kernel.variants.sequential is not None else "overlapping"


class LoweredRegion(Struct, frozen=True):
    """A region's kernels in order; the program has the names ``taken``."""

    region: Region
    kernels: tuple[KernelVersions, ...]
    taken: frozenset[str]


def lower_region(
    kernels: tuple[CachedKernel, ...], taken: frozenset[str], options: Options, reporter: Reporter
) -> LoweredRegion:
    """Lower a region's kernels in all their versions."""
    versions = tuple(_versions(cached, taken, options, reporter) for cached in kernels)
    return LoweredRegion(kernels[0].kernel.region, versions, taken)


def _versions(cached: CachedKernel, taken: frozenset[str], options: Options, reporter: Reporter) -> KernelVersions:
    """Lower a kernel, with others for launches that may find that it does not hold."""
    room, mapped = room_for_arrays(cached, options.arch), cached.kernel

    def lowered(version: CachedKernel, room: int = room, *, is_apart: bool = True) -> LoweredKernel:
        return lower(_apart(version) if is_apart else version, taken, options, room, reporter=reporter)

    chosen = _undoubted(cached)
    without = cached.narrow_single.kernel if cached.narrow_single is not None else mapped.variants.lengthwise or mapped
    usual = without_alignment(without)
    is_tested = bool(cached.tiles or cached.single or mapped.alignment)
    careful = mapped.variants.sequential or mapped.variants.overlapping
    planned = lowered(chosen, is_apart=is_tested or careful is not None)
    pairs = unproved_pairs(planned.in_memory, planned.written)
    may_gain = careful is None and (cached.fewest_blocks or not is_tested) and _may_be_apart(usual, pairs)
    if may_gain and (_loads_follow_stores(usual.body, pairs) or _keeps_rows(usual, taken, options, room)):
        planned, careful = planned if is_tested else lowered(chosen), usual
    pairs = pairs if is_tested or careful is not None else ()
    is_doubted = bool(pairs or chosen.sums)
    single = cached.single if cached.single is not None and cached.single.is_special else None
    is_plain_needed = _asks_for_more(chosen, single) or (is_doubted and careful is None)
    unaligned = fewer = None
    if cached.unaligned is not None:
        unaligned = replace(cached, kernel=cached.unaligned.kernel, body=cached.unaligned.body, unaligned=None)
    if cached.fewer is not None:
        fewer = replace(cached.fewer, single=cached.single)
    return KernelVersions(
        planned=planned,
        unaligned=lowered(_undoubted(unaligned)) if unaligned is not None else None,
        fewer=lowered(_undoubted(fewer)) if fewer is not None else None,
        single=lowered(single, room_for_arrays(single, options.arch)) if single is not None else None,
        plain=lowered(without_caches(usual), is_apart=careful is not None) if is_plain_needed else None,
        careful=lowered(without_caches(careful), is_apart=False) if is_doubted and careful is not None else None,
        pairs=tuple((first.name, second.name) for first, second in pairs),
    )


def _may_be_apart(kernel: MappedKernel, pairs: Sequence[tuple[FreeVariable, FreeVariable]]) -> bool:
    """Whether threads of a kernel may be launched in another form where these ``pairs`` of arrays are apart."""
    return bool(pairs) and kernel.shape.threads > 1 and is_followed(kernel.body)


def _loads_follow_stores(body: Stmt, pairs: Sequence[tuple[FreeVariable, FreeVariable]]) -> bool:
    """Whether a thread goes through a loop that loads from one array of a pair and stores to the other one.

    If these may be the same memory, nvcc starts no round's loads before the stores of the round before.
    """
    variables = tuple(dict.fromkeys(item for pair in pairs for item in pair))
    for loop in walk(body):
        if isinstance(loop, (For, While, ParallelFor)) and _is_of_rounds(loop):
            reads, writes = effects_of(loop, variables)
            loaded = {item.name for item, is_read in zip(variables, reads, strict=True) if is_read}
            stored = {item.name for item, is_written in zip(variables, writes, strict=True) if is_written}
            ways = ((one.name, other.name) for pair in pairs for one, other in (pair, pair[::-1]))
            if any(one in loaded and other in stored for one, other in ways):
                return True
    return False


def _is_of_rounds(loop: For | While | ParallelFor) -> bool:
    """Whether a thread goes through the rounds of a loop alone, without waiting for others in between."""
    is_covered = isinstance(loop, ParallelFor) and loop.covered
    return not is_covered and not any(nodes_of(loop.body, ParallelFor))


def _keeps_rows(kernel: MappedKernel, taken: frozenset[str], options: Options, room: int) -> bool:
    """Whether registers hold elements that lanes walk again only where arrays are apart."""
    if not has_several_walks(kernel.body):
        return False
    ways = (version(without_caches(kernel)) for version in (_apart, lambda cached: cached))
    apart, careful = (lower(way, taken, options, room, reporter=Reporter()).body for way in ways)
    return apart != careful


def _apart(cached: CachedKernel) -> CachedKernel:
    """A kernel that is launched only where no two of its arrays overlap."""
    kernel = cached.kernel
    return replace(cached, kernel=replace(kernel, region=replace(kernel.region, are_apart=True)))


def _asks_for_more(cached: CachedKernel, single: CachedKernel | None) -> bool:
    """Whether a kernel, or else the ``single`` one, asks for more than that arrays and sums are as taken."""
    if single is not None:
        return bool(single.kernel.alignment or single.assumptions or single.lengths or single.has_lines)
    aligned = (cached.unaligned or cached).kernel.alignment
    is_shaped = bool(cached.fewest_blocks or aligned or cached.limits)
    return is_shaped or bool(cached.assumptions or cached.lengths or cached.has_lines)


def _undoubted(cached: CachedKernel) -> CachedKernel:
    """A kernel that takes no unsigned sum for exact that might wrap, unless launches test that."""
    return cached if cached.tiles or cached.kernel.variants.sequential else without_doubts(cached)
