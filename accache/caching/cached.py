"""A kernel whose cache directives are decided."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import ends_in_lower_half
from accache.analysis.sums import without_assumptions
from accache.base.properties import cached_property
from accache.caching.decisions import Decision, with_tile
from accache.caching.estimates.candidates import Candidate
from accache.caching.shared_fetches import with_tiles
from accache.caching.uncached import without_directives
from accache.ir.kernels.simt import CacheRegion, CanonicalLoop, ParallelFor
from accache.ir.kernels.tiles import Extent, Tile
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Stmt
from accache.ir.walk import nodes_of, rewrite
from accache.mapping.mapped import MappedKernel
from accache.mapping.wrapping import tested_sums, without_assumed_sums


class CachedKernel(Struct, frozen=True, dict=True):
    """A mapped kernel whose cache directives are decided; ``candidates`` are what was estimated for that.

    ``Candidate.refused`` is empty for what is emitted. Where threads have several iterations, ``single`` is the kernel
    in which each has one, for launches of fewer than ``fewest_blocks``, and ``unaligned`` one without wide accesses,
    for launches whose rows are not aligned; the ``single`` one may have such a one, too. Of these launches those take
    the one with ``fewer`` iterations a thread, if there is such a one, that would have its ``fewest_blocks`` in blocks
    of the kernel. Where tiles hold what all
    iterations of a block use, loads are ``counted`` of the same tiles in a block that has a thread for each iteration.
    """

    kernel: MappedKernel
    body: Stmt
    decisions: tuple[Decision, ...]
    candidates: tuple[Candidate, ...] = ()
    single: CachedKernel | None = None
    unaligned: CachedKernel | None = None
    fewest_blocks: int = 0
    fewer: CachedKernel | None = None
    counted: CachedKernel | None = None

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles of the kernel in source order."""
        return tuple(tile for node in nodes_of(self.body, CacheRegion) for tile in node.tiles)

    @property
    def narrow_single(self) -> CachedKernel | None:
        """The kernel whose threads have one iteration, and no group of them at once."""
        return self.single.unaligned or self.single if self.single is not None else None

    @property
    def is_special(self) -> bool:
        """Whether it has tiles or wide accesses, which not all launches can take."""
        return bool(self.tiles or self.kernel.alignment)

    @property
    def has_lines(self) -> bool:
        """Whether threads have lines of their own, for which the launch has to find room."""
        return any(tile.lines is not None for tile in self.tiles)

    @property
    def assumptions(self) -> tuple[tuple[str, Extent], ...]:
        """The arrays, and the elements of each, that have to be on the device for this kernel to be launched."""
        return tuple(
            dict.fromkeys((tile.array, tile.range.assumed) for tile in self.tiles if tile.range.assumed is not None)
        )

    @property
    def lengths(self) -> tuple[tuple[Polynomial, int], ...]:
        """The lengths of subarrays, and what they must not exceed for this kernel to be launched."""
        dimensions = [dimension for tile in self.tiles for dimension in tile.range.dimensions if dimension.fits]
        return tuple(dict.fromkeys((item.limit, item.length) for item in dimensions if item.limit is not None))

    @property
    def limits(self) -> tuple[CanonicalLoop, ...]:
        """The loops of unsigned numbers whose limits must be in the lower half of their type for it to be launched."""
        loops = nodes_of(self.body, ParallelFor)
        return tuple(node.loop for node in loops if node.tests_limit and not ends_in_lower_half(node.loop))

    @cached_property
    def sums(self) -> tuple[Polynomial, ...]:
        """The greatest values of unsigned sums that must fit into 32 bits for this kernel to be launched."""
        return tested_sums(self.kernel, self.tiles)


def without_caches(kernel: MappedKernel) -> CachedKernel:
    """The kernel with its cache directives taken out, which takes no unsigned sum for exact that might wrap."""
    kernel = without_assumed_sums(kernel)
    return CachedKernel(kernel, without_directives(kernel.body), ())


def without_doubts(cached: CachedKernel) -> CachedKernel:
    """A kernel without tiles, which takes no unsigned sum for exact that might wrap."""
    body = without_assumptions(cached.body)
    assert isinstance(body, Stmt)
    return replace(cached, kernel=without_assumed_sums(cached.kernel), body=body)


def without_reuse(cached: CachedKernel) -> CachedKernel:
    """A planned kernel each of whose tiles has a place of its own."""
    tiles = {tile.name: replace(tile, apart=frozenset()) for tile in cached.tiles}
    decisions = tuple(with_tile(item, tiles) for item in cached.decisions)
    return replace(cached, body=rewrite(cached.body, with_tiles(tiles, {})), decisions=decisions)
