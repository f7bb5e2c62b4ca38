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
    that are ``unaligned``. Of ``pairs`` of arrays the launch finds out whether they overlap.
    """

    planned: LoweredKernel
    fallback: LoweredKernel | None
    unaligned: LoweredKernel | None
    pairs: tuple[tuple[str, str], ...]

    @property
    def all(self) -> tuple[LoweredKernel, ...]:
        """All versions, in the order in which launches try them."""
        return tuple(item for item in (self.planned, self.unaligned, self.fallback) if item is not None)


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
    chosen = cached if cached.tiles or mapped.sequential else without_doubts(cached)
    planned = lower(chosen, taken, options, room, reporter=reporter)
    is_tested = cached.tiles or cached.single or mapped.region.are_apart or mapped.alignment
    pairs = unproved_pairs(planned.in_memory, planned.written) if is_tested else ()
    aligned = chosen.kernel.alignment and not chosen.unaligned
    needed = any(
        (pairs, chosen.assumptions, chosen.lengths, chosen.sums, chosen.fewest_blocks, chosen.has_lines, aligned)
    )
    plain = without_caches(cached.single or mapped.sequential or mapped.lengthwise or without_alignment(mapped))
    fallback = lower(plain, taken, options, room, reporter=reporter) if needed else None
    unaligned = _unaligned(cached, taken, options, room, reporter=reporter)
    return KernelVersions(planned, fallback, unaligned, tuple((first.name, second.name) for first, second in pairs))


def _unaligned(
    cached: CachedKernel, taken: frozenset[str], options: Options, room: int, *, reporter: Reporter
) -> LoweredKernel | None:
    """The version of a kernel for launches whose rows are not aligned."""
    if cached.unaligned is None:
        return None
    kernel = replace(cached, kernel=cached.unaligned, body=cached.unaligned.body, unaligned=None)
    return lower(without_doubts(kernel), taken, options, room, reporter=reporter)
