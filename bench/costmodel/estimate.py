"""Clocks of a configuration, as bench/cost estimates them of its PTX, and the limits that its roofline leaves out."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import msgspec
from cost.chips import Chip
from cost.clocks import limits
from cost.measure import Counts, count_launch, key_of
from cost.ptxas import resources
from cost.weights import weights

from accache.base.store import Store, cache_folder
from accache.base.text import SourceFile
from accache.ptx.text.parser import parse
from costmodel.hub import Timed
from costmodel.kernels import TAKEN, Kernel, launch, shape, source

ARCH = "sm_80"
"""What is compiled for: a100's; the same PTX serves a4000 and a6000."""
WARP = 32
_CONVERSION = re.compile(r"cvt\.\w+\.(f32\.[su]\d+|[su]\d+\.f32)$")


@dataclass(frozen=True)
class Units:
    """What a multiprocessor has of units that the roofline of bench/cost takes for enough: lanes a clock.

    Sources: CUDA C++ Programming Guide, arithmetic throughput (32-bit fused operations: 64 for 8.0, 128 for 8.6;
    conversions between integers and floating-point numbers: 16); NVIDIA's whitepapers of GA100 (32 load/store units a
    multiprocessor) and GA102 (16).
    """

    fused: int
    load_store: int
    conversions: int = 16


UNITS = {"a100": Units(64, 32), "a4000": Units(128, 16), "a6000": Units(128, 16)}
# GA102's whitepaper: 48 and 84 multiprocessors, 1536 threads and 16 blocks of each, 100 KB of shared memory; L2's
# bytes a clock are not published, and are taken to be a100's for each multiprocessor.
CHIPS = {
    "a100": Chip("a100", 108, 5120 / 108, shared=164 << 10),
    "a4000": Chip("a4000", 48, 5120 / 108, threads=1536, blocks=16, shared=100 << 10),
    "a6000": Chip("a6000", 84, 5120 / 108, threads=1536, blocks=16, shared=100 << 10),
}


def counts(kernel: Kernel, hub: Path, configuration: Timed) -> Counts:
    """What the first block of a configuration takes; kept, as all of bench/cost's counts are.

    :raises subprocess.CalledProcessError: nvcc does not take it.
    """
    text = source(kernel, hub, configuration.values)
    store, key = Store(cache_folder() / "cost"), key_of(text)
    if (kept := store.get(key)) is not None:
        return msgspec.msgpack.decode(kept, type=Counts)
    with tempfile.TemporaryDirectory(prefix="accache-costmodel-") as name:
        folder = Path(name)
        (folder / "kernel.cu").write_text(text)
        command = ["nvcc", "-ptx", f"-arch={ARCH}", "-w", "kernel.cu", "-o", "kernel.ptx"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        ptx = (folder / "kernel.ptx").read_text()
        module = parse(SourceFile("kernel.ptx", ptx))
        entry = next(each for each in module.functions if f"{kernel.name}_kernel" in each)
        first = launch(kernel, entry, configuration.values)
        known = resources(ptx, ARCH, folder)[entry]
        found = count_launch(module, first, known, interpreter=kernel.unrolled)
    store.put(key, msgspec.msgpack.encode(found))
    return found


def clocks(kernel: Kernel, configuration: Timed, found: Counts, gpu: str, *, units: bool) -> float:
    """The clocks that a GPU takes for the whole launch, of what its first block takes.

    Multiprocessors do as many blocks as the one that has most; of blocks at the edges, the part that there is. With
    ``units``, lanes for fused operations, conversions, loads and stores bound it, too, and so do bytes that threads
    spill.
    """
    chip = CHIPS[gpu]
    _, blocks, part = shape(kernel, configuration.values)
    known = limits(found, chip, weights())
    if units:
        known |= _of_units(found, UNITS[gpu])
    times = ceil(blocks / chip.multiprocessors) * part * (TAKEN if kernel.name == "dedispersion" else 1)
    return max(known.values()) * times


def _of_units(found: Counts, units: Units) -> Mapping[str, float]:
    spilled = found.spilled // 4 * found.threads // WARP  # accesses of warps
    fused = sum(
        count for name, count in found.arrivals.items() if name.startswith(("fma.rn.f32", "add.f32", "mul.f32"))
    )
    asked = sum((*found.loads.values(), *found.shared_loads.values())) + spilled
    converted = sum(count for name, count in found.arrivals.items() if _CONVERSION.match(name))
    return {
        "fused": fused * WARP / units.fused,
        "load/store": asked * WARP / units.load_store,
        "conversions": converted * WARP / units.conversions,
    }
