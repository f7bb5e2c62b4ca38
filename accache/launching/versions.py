"""The versions in which a region's kernels are lowered: as planned, and for launches that cannot take that."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.aliasing import unproved_pairs
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.caching.cached import CachedKernel, without_caches, without_doubts
from accache.ir.openacc.regions import Region
from accache.lowering.lowered import LoweredKernel
from accache.lowering.placement import room_for_arrays
from accache.lowering.reuse import lower
from accache.mapping.mapped import without_alignment


class KernelVersions(Struct, frozen=True):
    """A kernel as ``planned``, and its versions for launches that cannot take that.

    The ``fallback`` is for any launch; None if none needs it. A kernel with wide accesses may have a version for rows
    that are ``unaligned``, one whose threads have several iterations, and tiles, the ``tiled`` one in which each has
    one. Of ``pairs`` of arrays the launch finds out whether they overlap.
    """

    planned: LoweredKernel
    unaligned: LoweredKernel | None
    tiled: LoweredKernel | None
    fallback: LoweredKernel | None
    pairs: tuple[tuple[str, str], ...]

    @property
    def all(self) -> tuple[LoweredKernel, ...]:
        """All versions, in the order in which launches try them."""
        return tuple(item for item in (self.planned, self.unaligned, self.tiled, self.fallback) if item is not None)


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
    """Lower a kernel, with a fallback if a launch may find that it does not hold."""
    room, mapped = room_for_arrays(cached, options.arch), cached.kernel
    chosen = _undoubted(cached)
    planned = lower(chosen, taken, options, room, reporter=reporter)
    is_tested = cached.tiles or cached.single or mapped.region.are_apart or mapped.alignment
    pairs = unproved_pairs(planned.in_memory, planned.written) if is_tested else ()
    tiled = cached.single if cached.single is not None and cached.single.tiles else None
    is_small, is_aligned = bool(chosen.fewest_blocks), bool((chosen.unaligned or chosen).kernel.alignment)
    is_small |= bool(chosen.limits)
    needed = _is_doubtful(tiled) if tiled is not None else is_small or is_aligned or _is_doubtful(chosen)
    single = cached.single.kernel if cached.single is not None else None
    plain = without_caches(single or mapped.sequential or mapped.lengthwise or without_alignment(mapped))
    unaligned = None
    if cached.unaligned is not None:
        unaligned = replace(cached, kernel=cached.unaligned.kernel, body=cached.unaligned.body, unaligned=None)
    return KernelVersions(
        planned,
        lower(_undoubted(unaligned), taken, options, room, reporter=reporter) if unaligned is not None else None,
        lower(tiled, taken, options, room_for_arrays(tiled, options.arch), reporter=reporter) if tiled else None,
        lower(plain, taken, options, room, reporter=reporter) if pairs or needed else None,
        tuple((first.name, second.name) for first, second in pairs),
    )


def _is_doubtful(cached: CachedKernel) -> bool:
    """Whether a launch may find that what a kernel takes for granted does not hold."""
    return any((cached.assumptions, cached.lengths, cached.sums, cached.has_lines))


def _undoubted(cached: CachedKernel) -> CachedKernel:
    """A kernel that takes no unsigned sum for exact that might wrap, unless launches test that."""
    return cached if cached.tiles or cached.kernel.sequential else without_doubts(cached)
