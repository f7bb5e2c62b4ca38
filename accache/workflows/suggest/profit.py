"""What copies in shared memory save: what L1 moves without them, and what it costs others that L1 gets smaller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from accache.base.diagnostics import Reporter
from accache.l1.gpus import KEPLER, Gpu, with_blocks_of
from accache.l1.hierarchy import SECTOR_BYTES
from accache.l1.tables import Row, grouped, movement
from accache.l1.tools import Tools
from accache.l1.trace import Trace


@dataclass
class Profit:
    """The model of one launch, asked again and again; what it was asked once it remembers.

    ``shared`` is what each block has of shared memory already. A GPU without ``unified`` memory moves all that
    loads ask for, and has nothing to lose.
    """

    trace: Trace
    gpu: Gpu
    shared: int
    name: str
    tools: Tools
    _known: dict[tuple[frozenset[str], Gpu], dict[str, int]] = field(default_factory=dict)

    def rows(self) -> dict[str, Row]:
        """What each array moves now."""
        return {row.name: row for row in self._grouped(self.trace, self._cache(0))}

    def saved(self, copied: Mapping[str, int], shared: int) -> int:
        """The bytes from L2 that copies save which take ``shared`` bytes of a block in all; negative if they cost.

        ``copied`` has the sectors that the copy of each array moves.

        Raises:
            CompileError: not even one block fits.
        """
        now = self._moved(frozenset(), 0)
        then = self._moved(frozenset(copied), shared)
        return sum(now.values()) - sum(then.values()) - SECTOR_BYTES * sum(copied.values())

    def _moved(self, without: frozenset[str], shared: int) -> dict[str, int]:
        """Bytes from L2 by array, without the loads of some of them."""
        gpu = self._cache(shared)
        key = (without, gpu)
        if key not in self._known:
            trace = _without(self.trace, without)
            rows = self._grouped(trace, gpu) if (trace.direction == 0).any() else ()
            self._known[key] = {row.name: row.from_l2 for row in rows}
        return self._known[key]

    def _cache(self, shared: int) -> Gpu:
        if self.gpu.unified is None:
            return self.gpu
        try:
            return with_blocks_of(self.gpu, self.shared + shared, self.trace.block_threads)
        except ValueError as error:
            raise Reporter().fail("ACC815", reason=error) from error

    def _grouped(self, trace: Trace, gpu: Gpu) -> tuple[Row, ...]:
        return grouped(movement(trace, gpu, self.tools), trace, "array", self.name)


def passing_l1(trace: Trace, gpu: Gpu) -> Trace:
    """The trace as a GPU takes it: where it has no L1 for global loads, all of them pass it by."""
    if gpu != KEPLER:
        return trace
    return replace(trace, sites=tuple(replace(site, policy="cg") for site in trace.sites))


def _without(trace: Trace, arrays: frozenset[str]) -> Trace:
    """The trace without the loads of some arrays."""
    if not arrays:
        return trace
    assert trace.site is not None
    assert trace.step is not None
    kept = ~(np.array([site.array in arrays for site in trace.sites])[trace.site] & (trace.direction == 0))
    columns = {name: getattr(trace, name)[kept] for name in ("thread", "direction", "address", "bytes", "site", "step")}
    return replace(trace, **columns)
