"""What a copy of a box is worth to one block: how many threads share it, and what its loads cost with it and without.

Counted over all threads of a block and all iterations in the region: nothing is sampled. Rows of a pitch that is not
known are taken to begin at sectors, and far from each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from accache.base.architectures import WARP
from accache.density.boxes import SECTOR_BYTES

LINE_BYTES, BANKS, BANK_BYTES = 128, 32, 4
_ROW = 1 << 16
Integers = NDArray[np.int64]


class Place(Struct, frozen=True):
    """Where a reference lies along one dimension: multiples of symbols that vary in the region, and a constant."""

    terms: tuple[tuple[str, int], ...]
    constant: int


class Footprint(Struct, frozen=True):
    """What references touch in a region: a box of ``lengths``, and where each of them lies along its dimensions.

    ``pitches`` are the elements from one place of a dimension to the next, 0 where that is not known. A copy's rows
    have ``padding`` elements more. Each reference runs so many times a thread (``counts``).
    """

    lengths: tuple[int, ...]
    pitches: tuple[int, ...]
    padding: int
    places: tuple[tuple[Place, ...], ...]
    counts: tuple[int, ...]


class Measures(Struct, frozen=True):
    """Of one region in a block.

    ``density`` is the threads for each element of the box: ``reuse`` times ``fill``. ``sectors`` are those that loads
    ask for, ``touched`` the different ones among them, ``copied`` those that the copy loads. ``loads`` and
    ``tile_loads`` are wavefronts of L1 and of shared memory that the references take, ``copy`` those of making the
    copy. ``lines`` are the different lines of L1. ``asked`` is how many sectors loads ask for, for each that their
    elements fill.
    """

    density: float
    reuse: float
    fill: float
    sectors: int
    touched: int
    copied: int
    loads: int
    tile_loads: int
    copy: int
    lines: int
    asked: float


def measured(box: Footprint, values: Mapping[str, range], block: tuple[int, int, int], size: int) -> Measures:
    """The measures of a footprint in one block, of elements of ``size`` bytes; symbols have these ``values``."""
    threads = _threads(block)
    pitches = tuple(pitch or _ROW ** (len(box.pitches) - k - 1) for k, pitch in enumerate(box.pitches))
    widths = _strides((*box.lengths[:-1], box.lengths[-1] + box.padding))
    cells: list[Integers] = []
    touched: list[Integers] = []
    sectors = loads = tile_loads = accesses = 0
    for places, count in zip(box.places, box.counts, strict=True):
        axes = _coordinates(places, values, threads)
        times = max(1, count // axes[0].shape[0])
        address = _linear(axes, pitches) * size
        warps = _by_warp(address)
        sectors += times * _distinct(warps // SECTOR_BYTES)
        loads += times * _distinct(warps // LINE_BYTES)
        tile_loads += times * _turns(_by_warp(_linear(axes, widths) * size))
        accesses += count * address.shape[1]
        touched.append(np.unique(address))
        cells.append(_linear(axes, _strides(box.lengths)) * len(threads["threadIdx_x"]) + np.arange(address.shape[1]))
    pairs = np.unique(np.concatenate([each.ravel() for each in cells]))
    elements = len(np.unique(pairs // len(threads["threadIdx_x"])))
    used = np.concatenate(touched)
    copied, copy = _copying(box, pitches, size)
    return Measures(
        len(pairs) / prod(box.lengths),
        len(pairs) / elements,
        elements / prod(box.lengths),
        sectors,
        touched=len(np.unique(used // SECTOR_BYTES)),
        copied=copied,
        loads=loads,
        tile_loads=tile_loads,
        copy=copy,
        lines=len(np.unique(used // LINE_BYTES)),
        asked=sectors / (accesses * size / SECTOR_BYTES),
    )


def _threads(block: tuple[int, int, int]) -> dict[str, Integers]:
    number = np.arange(prod(block), dtype=np.int64)
    x, y, _ = block
    return {"threadIdx_x": number % x, "threadIdx_y": number // x % y, "threadIdx_z": number // (x * y)}


def _coordinates(
    places: tuple[Place, ...], values: Mapping[str, range], threads: Mapping[str, Integers]
) -> list[Integers]:
    """Where a reference lies along each dimension: rows of iterations, columns of threads."""
    names = sorted({name for place in places for name, _ in place.terms} - set(threads))
    rows = list(product(*(values[name] for name in names)))
    moves = np.array(rows, dtype=np.int64).reshape(len(rows), len(names))
    count = len(next(iter(threads.values())))
    found = []
    for place in places:
        sums = np.full((len(moves), count), place.constant, dtype=np.int64)
        for name, rate in place.terms:
            sums += rate * (threads[name][None, :] if name in threads else moves[:, [names.index(name)]])
        found.append(sums)
    return found


def _linear(axes: list[Integers], strides: tuple[int, ...]) -> Integers:
    total = np.zeros_like(axes[0])
    for axis, stride in zip(axes, strides, strict=True):
        total = total + axis * stride
    return total


def _strides(lengths: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(lengths[number + 1 :]) for number in range(len(lengths)))


def _by_warp(address: Integers) -> Integers:
    """Rows of the addresses that the lanes of a warp use together; the last warp is filled up with its first lane's."""
    missing = -address.shape[1] % WARP
    if missing:
        last = address.shape[1] // WARP * WARP
        address = np.concatenate((address, np.repeat(address[:, [last]], missing, axis=1)), axis=1)
    return address.reshape(-1, WARP)


def _distinct(rows: Integers) -> int:
    """How many different values the rows have, each row by itself."""
    ordered = np.sort(rows, axis=1)
    return int((ordered[:, 1:] != ordered[:, :-1]).sum()) + len(rows)


def _turns(rows: Integers) -> int:
    """The turns that banks take: for each row, the most different words of one bank."""
    words = np.sort(rows // BANK_BYTES, axis=1)
    first = np.ones(words.shape, np.bool_)
    first[:, 1:] = words[:, 1:] != words[:, :-1]
    hits = np.zeros((len(words), BANKS), np.int64)
    row, column = np.nonzero(first)
    np.add.at(hits, (row, words[row, column] % BANKS), 1)
    return int(hits.max(axis=1).sum())


def _copying(box: Footprint, pitches: tuple[int, ...], size: int) -> tuple[int, int]:
    """The sectors that a copy of a box loads, and the wavefronts of its loads and stores."""
    number = np.arange(prod(box.lengths), dtype=np.int64)
    address = np.zeros_like(number)
    for stride, length, pitch in zip(_strides(box.lengths), box.lengths, pitches, strict=True):
        address += number // stride % length * pitch
    warps = _by_warp(address[None, :] * size)
    stores = len(warps) * max(1, size // BANK_BYTES)
    return len(np.unique(address * size // SECTOR_BYTES)), _distinct(warps // LINE_BYTES) + stores
