"""Clocks of a configuration, as bench/cost estimates them of its PTX, and the limits that its roofline leaves out."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path

import msgspec
from cost.chips import Chip, resident_blocks
from cost.clocks import limits
from cost.measure import Counts, count_launch, key_of
from cost.ptxas import Resources, resources
from cost.weights import weights

from accache.base.store import Store, cache_folder
from accache.base.text import SourceFile
from accache.ptx.text.parser import parse
from costmodel.hub import Timed
from costmodel.kernels import Kernel, Place, at_place, from_memory, launch, places, source

ARCH = "sm_80"
"""What is compiled for: a100's; the same PTX serves a4000 and a6000."""
WARP = 32
_TO_INTEGER = re.compile(r"cvt\.\w+\.[su]\d+\.f32$")
_TO_FLOAT = re.compile(r"cvt\.\w+\.f32\.[su]\d+$")


@dataclass(frozen=True)
class Units:
    """What the roofline of bench/cost takes for enough: lanes a clock of a multiprocessor's units, and memory.

    ``to_float`` tells that conversions of integers to floating-point numbers take the units for ``conversions``; since
    8.6 they are I2FP, which these do not execute. L2 holds ``l2`` bytes, and gets ``memory`` bytes in a clock.

    Sources: CUDA C++ Programming Guide, arithmetic throughput (32-bit fused operations: 64 for 8.0, 128 for 8.6;
    conversions between integers and floating-point numbers: 16); NVIDIA's whitepapers of GA100 (32 load/store units a
    multiprocessor) and GA102 (16); data sheets of the boards (gigabytes of memory a second, boost clock in GHz).
    """

    fused: int
    load_store: int
    l2: int
    memory: float
    to_float: bool = False
    conversions: int = 16


UNITS = {
    "a100": Units(64, 32, 40 << 20, 1555 / 1.41, to_float=True),
    "a4000": Units(128, 16, 4 << 20, 448 / 1.56),
    "a6000": Units(128, 16, 6 << 20, 768 / 1.80),
}
# GA102's whitepaper: 48 and 84 multiprocessors, 1536 threads and 16 blocks of each, 100 KB of shared memory; L2's
# bytes a clock are not published, and are taken to be a100's for each multiprocessor.
CHIPS = {
    "a100": Chip("a100", 108, 5120 / 108, shared=164 << 10),
    "a4000": Chip("a4000", 48, 5120 / 108, threads=1536, blocks=16, shared=100 << 10),
    "a6000": Chip("a6000", 84, 5120 / 108, threads=1536, blocks=16, shared=100 << 10),
}


@dataclass(frozen=True)
class Blocks:
    """How many blocks of a launch take so much."""

    count: int
    each: Counts


def counts(kernel: Kernel, hub: Path, configuration: Timed) -> tuple[Blocks, ...]:
    """What the blocks of a configuration take, those within the problem and those that pass its edges; kept.

    :raises subprocess.CalledProcessError: nvcc does not take it.
    """
    text, values = source(kernel, hub, configuration.values), configuration.values
    with tempfile.TemporaryDirectory(prefix="accache-costmodel-") as name:
        build = _Build(kernel, text, Path(name))
        return tuple(Blocks(place.count, build.counts(values, place)) for place in places(kernel, values))


class _Build:
    """One configuration's text; it is compiled if counts of a block are not kept."""

    def __init__(self, kernel: Kernel, text: str, folder: Path) -> None:
        self._kernel, self._text, self._folder = kernel, text, folder
        self._store = Store(cache_folder() / "cost")

    def counts(self, values: Mapping[str, int], place: Place) -> Counts:
        """What the block at a place takes."""
        key = key_of(self._text, f"{place.column} {place.row}")
        if (kept := self._store.get(key)) is not None:
            return msgspec.msgpack.decode(kept, type=Counts)
        ptx = at_place(self._ptx, place)
        module = parse(SourceFile("kernel.ptx", ptx))
        entry = next(each for each in module.functions if f"{self._kernel.name}_kernel" in each)
        block = launch(self._kernel, entry, values, place)
        found = count_launch(module, block, self._resources[entry], interpreter=self._kernel.unrolled)
        self._store.put(key, msgspec.msgpack.encode(found))
        return found

    @cached_property
    def _ptx(self) -> str:
        (self._folder / "kernel.cu").write_text(self._text)
        command = ["nvcc", "-ptx", f"-arch={ARCH}", "-w", "kernel.cu", "-o", "kernel.ptx"]
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True)
        return (self._folder / "kernel.ptx").read_text()

    @cached_property
    def _resources(self) -> dict[str, Resources]:
        return resources(self._ptx, ARCH, self._folder)


def clocks(kernel: Kernel, found: Sequence[Blocks], gpu: str, values: Mapping[str, int], *, units: bool) -> float:
    """The clocks that a GPU takes for a whole launch, of what its blocks take.

    What bounds all blocks together bounds the launch. With ``units``, lanes for fused operations and conversions bound
    it, too, and so do accesses. These take the load/store units, lines that L1 gets from L2, and what L2 gets from
    memory, one after the other: that transfers overlap with computing, but neither with loads nor with each other, is
    how the execution-cache-memory model differs from the roofline (Stengel et al., "Quantifying Performance
    Bottlenecks of Stencil Computations Using the Execution-Cache-Memory Model", 2015). ``values`` are those of the
    configuration.
    """
    chip = CHIPS[gpu]
    bounds: Counter[str] = Counter()
    for blocks in found:
        known = limits(blocks.each, chip, weights())
        if units:
            known |= _of_units(blocks.each, UNITS[gpu], known["L2"])
        bounds.update({name: clocks * blocks.count for name, clocks in known.items()})
    if units:
        moved = from_memory(kernel, values, UNITS[gpu].l2) / kernel.taken
        bounds["accesses"] += moved / UNITS[gpu].memory * chip.multiprocessors
    number = sum(blocks.count for blocks in found)
    return kernel.taken * until_the_last(max(bounds.values()), number, chip.multiprocessors, _resident(found, chip))


def _resident(found: Sequence[Blocks], chip: Chip) -> int:
    first = found[0].each
    return resident_blocks(chip, first.threads, first.registers, first.shared_bytes)


def until_the_last(clocks: float, blocks: int, multiprocessors: int, resident: int) -> float:
    """The clocks until the last block ends, where all together take so many of one multiprocessor.

    Blocks that all find a place at once begin together, and the multiprocessor that has most of them ends last.
    Otherwise a place takes the next block when its own ends. When none are left, places have anything between nothing
    and a whole block before them, so that the last one ends half a block's stay later, on the average, than if all
    ended together. (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969, has a whole stay for the worst order.)
    A block stays for as long as its multiprocessor takes for all that are resident.

    >>> until_the_last(600.0, 6, 4, 2), until_the_last(600.0, 6, 2, 2), until_the_last(600.0, 6, 2, 1)
    (200.0, 400.0, 350.0)
    """
    block = clocks / blocks
    if blocks <= multiprocessors * resident:
        return ceil(blocks / multiprocessors) * block
    return clocks / multiprocessors + resident * block / 2


def _of_units(found: Counts, units: Units, from_l2: float) -> Mapping[str, float]:
    spilled = found.spilled // 4 * found.threads // WARP  # accesses of warps
    fused = sum(
        count for name, count in found.arrivals.items() if name.startswith(("fma.rn.f32", "add.f32", "mul.f32"))
    )
    asked = sum((*found.loads.values(), *found.shared_loads.values())) + spilled
    kinds = (_TO_INTEGER, _TO_FLOAT) if units.to_float else (_TO_INTEGER,)
    converted = sum(count for name, count in found.arrivals.items() if any(kind.match(name) for kind in kinds))
    return {
        "fused": fused * WARP / units.fused,
        "accesses": asked * WARP / units.load_store + from_l2,
        "conversions": converted * WARP / units.conversions,
    }
