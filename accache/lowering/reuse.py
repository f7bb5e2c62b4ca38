"""Lowers a kernel with tiles that are never alive together in one place, or with a place for each.

One place takes less shared memory, so that more blocks may be resident; but where one tile takes the place of another,
threads wait for each other, and fetches of both cannot stand side by side.
"""

from __future__ import annotations

from accache.base.architectures import architecture
from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import Options
from accache.caching.cached import CachedKernel, without_reuse
from accache.ir.kernels.simt import Barrier
from accache.ir.walk import walk
from accache.lowering.lowered import LoweredKernel
from accache.lowering.lowering import lowered


def lower(
    cached: CachedKernel, taken: frozenset[str], options: Options, room: int, *, reporter: Reporter
) -> LoweredKernel:
    """Lower one kernel, whose arrays may take ``room`` bytes of shared memory.

    Tiles reuse a place where that takes no more barriers, and where memory is short.
    """
    if not any(tile.apart for tile in cached.tiles):
        return lowered(cached, taken, options, room, reporter=reporter)
    separate = lowered(without_reuse(cached), taken, options, room, reporter=reporter)
    if separate.layout.most > architecture(options.arch).shared_per_block:
        return lowered(cached, taken, options, room, reporter=reporter)
    tried = Reporter()
    try:
        reused = lowered(cached, taken, options, room, reporter=tried)
    except CompileError:
        return separate
    return separate if tried.has_errors or _barriers(reused) > _barriers(separate) else reused


def _barriers(kernel: LoweredKernel) -> int:
    """How many barriers stand in a kernel."""
    return sum(isinstance(node, Barrier) for node in walk(kernel.body))
