"""Whether to serve arrays from shared memory: what L1 does for them without it, and what its loss costs the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from accache.base.architectures import L1_LINE, fills_l1
from accache.base.diagnostics import Reporter
from accache.l1.gpus import Gpu, with_blocks_of
from accache.l1.own_records import filled, scanned
from accache.l1.tables import Row, grouped, movement
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Trace

MAX_FETCHED = 1 << 50


@dataclass(frozen=True)
class Tile:
    """An array that a cache directive serves: bytes that all blocks fetch, and shared memory that each block needs."""

    array: str
    fetched: int
    shared: int


@dataclass(frozen=True)
class Directive:
    """A part of a cache directive: how it is kept and why, with so much shared memory a block.

    ``by_lines`` threads have lines of their own of the array, whose shared memory counts for all such arrays together.
    ``estimate`` says in clocks why the planner has chosen its tile; it is '' where nobody asked for what pays.
    """

    line: int
    written: str
    array: str
    method: str
    reason: str
    shared: int
    by_lines: bool = False
    estimate: str = ""


@dataclass(frozen=True, eq=False)
class Tiled:
    """A kernel's cache directives, and the trace of a launch that obeys them.

    The lines of threads, of ``line_bytes`` each, take ``lines_shared`` bytes of shared memory a block; ``line_bytes``
    is 0 where not each of their arrays is gone through in records of the threads' own. Tiles that lie in the place of
    others take ``reused`` bytes, which count once.
    """

    kernel: str
    trace: Trace
    directives: tuple[Directive, ...]
    lines_shared: int = 0
    line_bytes: int = 0
    reused: int = 0


@dataclass(frozen=True)
class Judged:
    """A directive, the requests to L1 for its array without it and in its tiles' place, and what it does to traffic.

    ``verdict`` is None for a directive without shared memory, or whose array the launch does not load. The last array
    of which threads have lines has that of all of them.
    """

    directive: Directive
    requests: int
    requests_then: int
    verdict: Verdict | None

    @property
    def pays(self) -> bool:
        """Whether bytes are saved, or clocks by the planner's estimate; False without a verdict."""
        return self.verdict is not None and (self.verdict.pays or bool(self.directive.estimate))


@dataclass(frozen=True)
class Verdict:
    """Bytes that move without tiles and with them, in the fixed order: from L2 to L1, and what lines change of stores.

    ``served`` are those of the tiled arrays without tiles, ``fetched`` what takes their place. ``others`` are those of
    the other arrays with ``l1_bytes`` of cache, ``others_then`` with the ``l1_bytes_then`` that shared memory leaves,
    and ``blocks_then`` active at a time instead of ``blocks``. Where threads have lines, ``stored`` bytes of their
    arrays go to L2 without these, and ``stored_then`` with them; ``filled`` bytes of L1 are the lines that all resident
    threads are in at a time, and their own have ``line_bytes``; both are 0 for tiles.
    """

    arrays: tuple[str, ...]
    served: int
    fetched: int
    others: int
    others_then: int
    l1_bytes: int
    l1_bytes_then: int
    blocks: int
    blocks_then: int
    stored: int = 0
    stored_then: int = 0
    filled: int = 0
    line_bytes: int = 0

    @property
    def saved(self) -> int:
        """Bytes fewer with the tiles; negative if there are more."""
        return self.served + self.others + self.stored - self.fetched - self.others_then - self.stored_then

    @property
    def pays(self) -> bool:
        """Whether bytes are saved; of lines, which cost instructions, also that L1 alone is not enough."""
        is_needed = not self.filled or fills_l1(self.filled, self.l1_bytes, self.line_bytes)
        return self.saved > 0 and is_needed


def verdict(trace: Trace, gpu: Gpu, tiles: Sequence[Tile], name: str, *, tools: Tools = PLAIN) -> Verdict:
    """Compare a launch without tiles, whose trace (called ``name``) this is, with what tiles would make of it.

    Raises:
        CompileError: the trace does not tell arrays, has none of a tile's name, or its steps go back; or the tiles do
            not fit in shared memory, or it is not carved out of L1.
    """
    try:
        then = with_blocks_of(gpu, sum(tile.shared for tile in tiles), trace.block_threads)
    except ValueError as error:
        raise Reporter().fail("ACC815", reason=error) from error
    tiled = frozenset(tile.array for tile in tiles)
    rows = _by_array(trace, gpu, name, tools)
    for array in sorted(tiled - set(rows)):
        raise Reporter().fail("ACC814", name=name, load=array)
    left = _without(trace, tiled)
    after = _by_array(left, then, name, tools) if (left.direction == 0).any() else {}
    return Verdict(
        tuple(sorted(tiled)),
        sum(row.from_l2 for array, row in rows.items() if array in tiled),
        sum(tile.fetched for tile in tiles),
        sum(row.from_l2 for array, row in rows.items() if array not in tiled),
        others_then=sum(row.from_l2 for row in after.values()),
        l1_bytes=gpu.size,
        l1_bytes_then=then.size,
        blocks=min(gpu.blocks, gpu.threads // trace.block_threads),
        blocks_then=min(then.blocks, then.threads // trace.block_threads),
    )


def judged(trace: Trace, gpu: Gpu, tiled: Tiled, name: str, *, tools: Tools = PLAIN) -> tuple[Judged, ...]:
    """Compare a launch without cache directives, whose trace this is, with what each of them alone makes of it.

    A directive fetches what its array moves from L2 in the launch that obeys all. Lines are judged together.

    Raises:
        CompileError: as for ``verdict``.
    """
    try:
        shared = sum(each.shared for each in tiled.directives) + tiled.lines_shared - tiled.reused
        then = with_blocks_of(gpu, shared, tiled.trace.block_threads)
    except ValueError as error:
        raise Reporter().fail("ACC815", reason=error) from error
    now, with_all = _by_array(trace, gpu, name, tools), _by_array(tiled.trace, then, name, tools)
    lines = [each for each in tiled.directives if each.by_lines and tiled.lines_shared]
    found = []
    for directive in tiled.directives:
        array = directive.array
        row, row_then = now.get(array), with_all.get(array)
        tile = Tile(array, row_then.from_l2 if row_then else 0, directive.shared)
        is_served = directive.shared and row and row.requests
        compared = verdict(trace, gpu, (tile,), name, tools=tools) if is_served else None
        if lines and directive is lines[-1]:
            arrays = tuple(dict.fromkeys(each.array for each in lines))
            compared = _of_lines(arrays, (now, with_all), (gpu, then), trace, size=tiled.line_bytes)
        found.append(Judged(directive, row.requests if row else 0, row_then.requests if row_then else 0, compared))
    return tuple(found)


def _of_lines(
    arrays: tuple[str, ...],
    rows: tuple[Mapping[str, Row], Mapping[str, Row]],
    caches: tuple[Gpu, Gpu],
    trace: Trace,
    *,
    size: int,
) -> Verdict:
    """What the lines of threads do to traffic: the launch without them beside the one with them."""
    served, fetched = (sum(row.from_l2 for array, row in found.items() if array in arrays) for found in rows)
    others, others_then = (sum(row.from_l2 for array, row in found.items() if array not in arrays) for found in rows)
    blocks, blocks_then = (min(cache.blocks, cache.threads // trace.block_threads) for cache in caches)
    stored, stored_then = (sum(row.stored for array, row in found.items() if array in arrays) for found in rows)
    now, then = caches
    resident = min(trace.block_threads * blocks, int(trace.thread.max()) + 1)
    taken = filled(scanned(trace, arrays, L1_LINE), resident)
    return Verdict(
        arrays,
        served=served,
        fetched=fetched,
        others=others,
        others_then=others_then,
        l1_bytes=now.size,
        l1_bytes_then=then.size,
        blocks=blocks,
        blocks_then=blocks_then,
        stored=stored,
        stored_then=stored_then,
        filled=taken,
        line_bytes=size,
    )


def _by_array(trace: Trace, gpu: Gpu, name: str, tools: Tools) -> dict[str, Row]:
    return {row.name: row for row in grouped(movement(trace, gpu, tools), trace, "array", name)}


def _without(trace: Trace, arrays: frozenset[str]) -> Trace:
    """The trace without the loads of some arrays; their stores stay, since tiles are written back."""
    assert trace.site is not None
    gone = np.array([site.array in arrays for site in trace.sites])[trace.site] & (trace.direction == 0)
    columns = {field: getattr(trace, field)[~gone] for field in ("thread", "direction", "address", "bytes", "site")}
    return replace(trace, **columns, step=None if trace.step is None else trace.step[~gone])
