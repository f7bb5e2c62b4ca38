"""The hub's kernels in one configuration each: their text, and a launch of their first block."""

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
TAKEN = 64
"""One of so many channels of dedispersion is executed: all do the same, each with its shift."""
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

    ``unrolled`` tells that it is long and has no loops to speak of.
    """

    name: str
    file: str
    switch: str = ""
    unrolled: bool = False


KERNELS = (
    Kernel("convolution", "kernels/convolution_milo.cu", "use_shmem", unrolled=True),
    Kernel("dedispersion", "kernels/dedisp_milo/dedispersion.cu"),
)


def shape(kernel: Kernel, values: Mapping[str, int]) -> tuple[tuple[int, int, int], int, float]:
    """The threads of a block along x, y and z, how many blocks there are, and which part of their work there is."""
    block = values["block_size_x"], values["block_size_y"], 1
    width, height = (WHOLE, WHOLE) if kernel.name == "convolution" else (SAMPLES, DMS)
    columns, rows = block[0] * values["tile_size_x"], block[1] * values["tile_size_y"]
    blocks = -(-width // columns) * -(-height // rows)
    return block, blocks, width * height / (blocks * columns * rows)


def outputs(values: Mapping[str, int]) -> int:
    """How many elements a block computes."""
    return prod(values[name] for name in ("block_size_x", "block_size_y", "tile_size_x", "tile_size_y"))


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
        text = re.sub(
            r"#pragma unroll loop_unroll_factor_channel", "", text
        )  # as Kernel Tuner does it for a factor of 0
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


def launch(kernel: Kernel, entry: str, values: Mapping[str, int]) -> Launch:
    """The first block of the launch, on as much memory as it reads and writes."""
    block, _, _ = shape(kernel, values)
    rows = block[1] * values["tile_size_y"]
    pointers = tuple(address.to_bytes(8, "little") for address in (_OUTPUT, _INPUT, _OTHER))
    if kernel.name == "convolution":
        pitch = WHOLE + values["filter_width"] - 1
        read = (rows + values["filter_height"]) * pitch
        memory = Allocation(_OUTPUT, bytes(4 * rows * WHOLE)), Allocation(_INPUT, bytes(4 * read)), _filter(values)
        return Launch(entry, (1, 1, 1), block, 0, pointers, memory)
    shifts = _shifts()
    memory = (
        Allocation(_OUTPUT, bytes(4 * min(rows, DMS) * SAMPLES)),
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
