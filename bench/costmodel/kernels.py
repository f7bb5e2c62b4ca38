"""The hub's kernels in one configuration each: their text, and launches of one block of each kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from accache.ptx.machine.launch import Allocation, Launch

WHOLE = 4096
"""The edge of convolution's image."""
SAMPLES, DMS, CHANNELS, MOST_SHIFT = 25000, 2048, 1536, 650
"""The extents of dedispersion, and how far a channel is shifted at most."""
TAKEN = 8
"""One of so many channels of dedispersion is executed: all do the same, each with its shift."""
UNROLLED = 8
"""How often nvcc unrolls that loop when it has all channels: Kernel Tuner leaves it to nvcc for a factor of 0."""
_FETCH = re.compile(r"//load all input data.*?__syncthreads\(\);", re.S)
_READ = re.compile(r"sh_input\[(?P<row>[^][]+)\]\[(?P<column>[^][]+)\]")
_READ_OF_INPUT = """
#define ELEMENT(row, column) LDG(input, (by+row)*input_width + (bx+column))
#if 4096 % (block_size_y*tile_size_y) != 0 || 4096 % (block_size_x*tile_size_x) != 0
#define READ(row, column) (by+row < input_height && bx+column < input_width ? ELEMENT(row, column) : 0.0f)
#else
#define READ(row, column) ELEMENT(row, column)
#endif
"""
_OUTPUT, _INPUT, _OTHER = 0x10_0000_0000, 0x20_0000_0000, 0x30_0000_0000


@dataclass(frozen=True)
class Kernel:
    """A kernel of the hub: its file there, and which of its parameters is on where it uses shared memory.

    ``way`` is the parameter that is on where loads go through the read-only path. ``unrolled`` tells that it is long
    and has no loops to speak of. One of ``taken`` passes of its loop is executed.
    """

    name: str
    file: str
    switch: str = ""
    way: str = ""
    unrolled: bool = False
    taken: int = 1


KERNELS = (
    Kernel("convolution", "kernels/convolution_milo.cu", "use_shmem", "read_only", unrolled=True),
    Kernel("dedispersion", "kernels/dedisp_milo/dedispersion.cu", taken=TAKEN),
)


@dataclass(frozen=True)
class Place:
    """Where in the grid a block stands, and how many blocks do the same work as that one."""

    column: int
    row: int
    count: int


def places(kernel: Kernel, values: Mapping[str, int]) -> tuple[Place, ...]:
    """One block of each kind: of those within the problem, and of those that pass its edges.

    >>> values = {"block_size_x": 48, "block_size_y": 4, "tile_size_x": 1, "tile_size_y": 2}
    >>> places(KERNELS[0], values)
    (Place(column=0, row=0, count=43520), Place(column=85, row=0, count=512))
    """
    width, height = _extents(kernel)
    columns = _along(width, values["block_size_x"] * values["tile_size_x"])
    rows = _along(height, values["block_size_y"] * values["tile_size_y"])
    return tuple(Place(column, row, many * often) for row, often in rows for column, many in columns)


def _along(extent: int, taken: int) -> list[tuple[int, int]]:
    """Of blocks that do ``taken`` elements of an extent the first, and the last if it does fewer; how many."""
    whole, rest = divmod(extent, taken)
    return [(0, whole)] * (whole > 0) + [(whole, 1)] * (rest > 0)


def _extents(kernel: Kernel) -> tuple[int, int]:
    return (WHOLE, WHOLE) if kernel.name == "convolution" else (SAMPLES, DMS)


def outputs(values: Mapping[str, int]) -> int:
    """How many elements a block computes."""
    return prod(values[name] for name in ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y"))


def from_memory(kernel: Kernel, values: Mapping[str, int], l2: int) -> int:
    """The bytes between memory and an L2 of so many bytes, for a whole launch.

    L2 is taken to hold what blocks of one row share while these run. A thread of dedispersion walks through all
    channels for each of its outputs, one after the other, and so does each row of blocks: the input comes from memory
    for each of these walks, unless L2 holds it.

    >>> values = {"block_size_y": 32, "tile_size_x": 1, "tile_size_y": 2}
    >>> [from_memory(KERNELS[1], values, megabytes << 20) / 1e6 for megabytes in (40, 6)]
    [244.1984, 2726.2976]
    """
    if kernel.name == "convolution":
        read = 4 * (WHOLE + values["filter_height"] - 1) * (WHOLE + values["filter_width"] - 1)
        return read + 4 * WHOLE * WHOLE
    read = CHANNELS * (SAMPLES + MOST_SHIFT)
    rows = -(-DMS // (values["block_size_y"] * values["tile_size_y"]))
    walks = rows * values["tile_size_x"] * values["tile_size_y"] if read > l2 else 1
    return read * walks + 4 * SAMPLES * DMS


def source(kernel: Kernel, hub: Path, values: Mapping[str, int]) -> str:
    """The CUDA text of one configuration.

    The hub's convolution has lost the branch without shared memory that was timed; where the text has none, it is made
    of the other one, which then loads from ``input`` what it would have copied. Of dedispersion, fewer channels are
    left.
    """
    path = hub / kernel.file
    text = path.read_text()
    if kernel.name == "dedispersion":
        header = path.with_name("dedispersion.h").read_text()
        header = re.sub(r"(#define nr_channels) \d+", rf"\1 {CHANNELS // TAKEN}", header)
        text = text.replace('#include "dedispersion.h"', header)
        text = text.replace("#pragma unroll loop_unroll_factor_channel", f"#pragma unroll {UNROLLED}")
    elif not values[kernel.switch] and not re.search(rf"^#if {kernel.switch}$", text, re.M):
        text = without_shared(text)
    return "".join(f"#define {name} {value}\n" for name, value in values.items()) + text


def without_shared(text: str) -> str:
    """Convolution's text, with the loads from shared memory made from global memory, and the copies left out.

    Where tiles pass the image's edge they are tested as the copies are.

    >>> without_shared("__shared__ float sh_input[9][9]; s += sh_input[i][j];").removeprefix(_READ_OF_INPUT)
    ' s += READ(i, j);'
    """
    text = _FETCH.sub("", text)
    text = re.sub(r"__shared__ float sh_input[^;]*;", "", text)
    return _READ_OF_INPUT + _READ.sub(lambda read: f"READ({read['row']}, {read['column']})", text)


def at_place(ptx: str, place: Place) -> str:
    """The PTX of a kernel whose first block does what the one at a place does.

    >>> at_place("mov.u32 %r1, %ctaid.x;", Place(85, 0, 512))
    'mov.u32 %r1, 85;'
    """
    for name, number in (("%ctaid.x", place.column), ("%ctaid.y", place.row)):
        ptx = ptx.replace(name, str(number)) if number else ptx
    return ptx


def launch(kernel: Kernel, entry: str, values: Mapping[str, int], place: Place) -> Launch:
    """The block at a place as a launch of its own, on as much memory as it reads and writes."""
    block = values["block_size_x"], values["block_size_y"], 1
    rows = block[1] * values["tile_size_y"]
    above = place.row * rows
    pointers = tuple(address.to_bytes(8, "little") for address in (_OUTPUT, _INPUT, _OTHER))
    if kernel.name == "convolution":
        pitch = WHOLE + values["filter_width"] - 1
        read = (rows + values["filter_height"]) * pitch
        written = Allocation(_OUTPUT + 4 * above * WHOLE, bytes(4 * rows * WHOLE))
        memory = written, Allocation(_INPUT + 4 * above * pitch, bytes(4 * read)), _filter(values)
        return Launch(entry, (1, 1, 1), block, 0, pointers, memory)
    shifts = _shifts()
    memory = (
        Allocation(_OUTPUT + 4 * above * SAMPLES, bytes(4 * min(rows, DMS - above) * SAMPLES)),
        Allocation(_INPUT, bytes(len(shifts) * (SAMPLES + MOST_SHIFT))),
        Allocation(_OTHER, shifts.tobytes()),
    )
    return Launch(entry, (1, 1, 1), block, 0, (pointers[1], pointers[0], pointers[2]), memory)


def _filter(values: Mapping[str, int]) -> Allocation:
    return Allocation(_OTHER, bytes(4 * values["filter_height"] * values["filter_width"]))


def _shifts() -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """How many samples a channel's signal comes later for one unit of dispersion measure.

    Source: the hub's kernels/dedisp_milo/dedispersion_milo.py (1425 MHz and above by 0.1953125, 40.96 us a sample).
    """
    frequency = 1425.0 + np.arange(0, CHANNELS, TAKEN) * 0.1953125
    highest = 1425.0 + (CHANNELS - 1) * 0.1953125
    return (4148.808 * (frequency**-2 - highest**-2) / 0.00004096).astype(np.float32)
