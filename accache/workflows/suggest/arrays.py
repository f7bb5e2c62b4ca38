"""The loads of a launch by array, and what regions of each could be copied."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.density.accesses import Loads, is_regular, loads_of
from accache.density.measure import Density, density
from accache.l1.trace import Trace
from accache.ptx.machine.launch import Array, Captured
from accache.ptx.text.names import variable_name

_CHUNKS = (8, 16, 32)


@dataclass(frozen=True, eq=False)
class Used:
    """An array that a launch loads: the densities of its regions, one for each chunk length, the whole first.

    ``steps`` are the first and last of its loads among those of the warp with most of them, ``uniform`` says whether
    all threads of a block that load it do so equally often.
    """

    array: str
    lines: tuple[int, ...]
    densities: tuple[Density, ...]
    steps: tuple[int, int]
    is_uniform: bool
    is_regular: bool
    is_written: bool


def named_arrays(captured: Captured) -> tuple[Array, ...]:
    """The arrays that arguments lead to, each name once, and all other memory of the launch that loads may find."""
    arrays: list[Array] = []
    for array in captured.arrays:
        names = {found.name for found in arrays}
        if not any(found.address == array.address for found in arrays):
            name = array.name if array.name not in names else f"{array.name} at {array.address:#x}"
            arrays.append(Array(array.address, array.size, name, array.element_bytes))
    for part in captured.launch.memory:
        if not any(part.address <= array.address < part.address + len(part.data) for array in arrays):
            arrays.append(
                Array(part.address, len(part.data), variable_name(part.symbol) or f"memory at {part.address:#x}", 1)
            )
    return tuple(arrays)


def arrays_used(trace: Trace, room: int) -> tuple[Used, ...]:
    """Each array that a trace loads, with regions in chunks of the lengths that copies have in practice."""
    assert trace.site is not None
    names = [site.array for site in trace.sites]
    load = trace.direction == 0
    longest = _longest_warp(trace)
    found = []
    for name in dict.fromkeys(names):
        own = np.array([other == name for other in names])[trace.site]
        if not (own & load).any():
            continue
        is_written = bool((own & ~load).any())
        found.append(_used(name, trace, own & load, is_written, warp=longest, room=room))
    return tuple(found)


def _used(name: str, trace: Trace, own: NDArray[np.bool_], is_written: bool, *, warp: int, room: int) -> Used:
    assert trace.step is not None
    assert trace.site is not None
    thread, step, address = trace.thread[own], trace.step[own], trace.address[own]
    loads = loads_of(trace.block_threads, thread, address, trace.bytes[own])
    there = step[thread // 32 == warp]
    steps = (int(there.min()), int(there.max())) if len(there) else (0, int(step.max()))
    sites = np.unique(trace.site[own])
    lines = tuple(sorted({trace.sites[site].line for site in sites.tolist()} - {0}))
    return Used(
        name or "unknown",
        lines,
        _densities(loads, trace.block, room),
        steps,
        is_uniform=_is_uniform(loads),
        is_regular=name != "" and is_regular(thread, step, address),
        is_written=is_written,
    )


def _densities(loads: Loads, block: Sequence[int], room: int) -> tuple[Density, ...]:
    """The densities with all loads of a thread in one region, and in chunks: block extents, 8 to 32, what just fits."""
    whole = density(loads)
    lengths = {extent for extent in (*block, *_CHUNKS) if 1 < extent < loads.longest}
    each = whole.padded_bytes / whole.chunk
    if whole.padded_bytes > room > 0 and each <= room and (largest := int(room / each)) > 1:
        lengths.add(largest)
    found = [whole]
    for length in sorted(lengths, reverse=True):
        with suppress(ValueError):  # so many regions of so large an array that words cannot tell them
            found.append(density(loads, length))
    return tuple(found)


def _is_uniform(loads: Loads) -> bool:
    """Whether the threads of each block that load at all do so equally often."""
    block = loads.threads // loads.block_threads
    same_block = block[1:] == block[:-1]
    return not (same_block & (loads.counts[1:] != loads.counts[:-1])).any()


def _longest_warp(trace: Trace) -> int:
    """The warp with most accesses."""
    return int(np.bincount(trace.thread // 32).argmax())
