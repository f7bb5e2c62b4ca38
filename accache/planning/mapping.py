"""Compute regions and routines to kernels: each nest of a kernels region becomes one, and kernels have numbers.

Before: loops that carry loop directives. After: mapped kernels, whose loops ``spreading`` has given
to blocks and threads.
"""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from accache.analysis.differences import with_exact_differences
from accache.diagnostics import Reporter
from accache.ir.regions import Region
from accache.ir.tree import Stmt
from accache.planning.blocks import MAX_THREADS, MAX_WORKERS_OF_ROUTINES, BlockExtents
from accache.planning.counters import localise_counters
from accache.planning.kernelsregions import kernels_pieces
from accache.planning.lifting import lifted
from accache.planning.mapped import MappedKernel
from accache.planning.outerreductions import with_outer_reductions
from accache.planning.spreading import Mapper
from accache.planning.variablesteps import with_numbered_iterations


def map_region(region: Region, reporter: Reporter) -> tuple[MappedKernel, ...]:
    """Map every kernel of a compute region; counters of sequential loops become local to their loops.

    A kernels region with several loop nests becomes several kernels. Reports loops that must run
    sequentially and sizes that cannot be obeyed.
    """
    region = replace(region, body=lifted(_prepared(region, reporter), reporter))
    pieces = kernels_pieces(region, reporter) if region.kind == "kernels" else [region.body]
    lines = Counter[int]()
    kernels = []
    for piece in pieces:
        kernel = _map(region, piece, MAX_THREADS, reporter)
        lines[kernel.line] += 1
        kernels.append(replace(kernel, number=lines[kernel.line]))
    return tuple(kernels)


def in_smaller_blocks(kernel: MappedKernel, threads: int) -> MappedKernel:
    """A kernel mapped once more with so many threads a block at most, where no size is the user's.

    Nothing is reported: mapping the kernel for the first time has said all there is to say.
    """
    smaller = _map(kernel.region, kernel.source, threads, Reporter())
    return replace(smaller, routine_bytes=kernel.routine_bytes, number=kernel.number)


def map_routine(region: Region, level: str, reporter: Reporter) -> MappedKernel:
    """Map a routine, given as a region: blocks of any shape call it, all threads of each together."""
    region = replace(region, body=lifted(_prepared(region, reporter), reporter))
    block = BlockExtents(region, reporter, extents={"x": MAX_THREADS, "y": MAX_WORKERS_OF_ROUTINES})
    return Mapper(region, reporter, block, level).kernel(region.body)


def _prepared(region: Region, reporter: Reporter) -> Stmt:
    region = replace(region, body=localise_counters(region, reporter))
    region = replace(region, body=with_outer_reductions(region, reporter))
    return with_exact_differences(with_numbered_iterations(region.body, region))


def _map(region: Region, body: Stmt, threads: int, reporter: Reporter) -> MappedKernel:
    return Mapper(region, reporter, BlockExtents(region, reporter, threads)).kernel(body)
