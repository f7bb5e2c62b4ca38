"""Thread density: how many threads of a block use each element of the box that would be copied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.density.accesses import Integers, Loads
from accache.density.boxes import SECTOR_BYTES, boxes_of

_BITS = 63  # of a word that is not negative
_FLAGS = 1 << 26  # a byte each
_FAR = 1 << 61  # beyond all elements


@dataclass(frozen=True)
class Density:
    """What the regions of an array have together; a region is a block's chunk of so many loads of each thread.

    ``chunk`` is that number of loads, ``regions`` how many regions there are. ``touched`` sums the elements that
    regions touch (F), ``uses`` the threads that touch each of them (D), ``box`` the elements of the boxes around them,
    whose rows are ``pitch`` elements apart (0: one dimension). ``largest`` is the largest box, of ``largest_rows``
    rows; ``sectors`` are those with touched elements, ``copied`` those that copies of the boxes load.
    """

    chunk: int
    regions: int
    touched: int
    uses: int
    box: int
    pitch: int
    largest: int
    largest_rows: int
    sectors: int
    copied: int
    element_bytes: int

    @property
    def density(self) -> float:
        """TD: threads for each element of the boxes, which is reuse times fill."""
        return self.uses / self.box

    @property
    def reuse(self) -> float:
        """Threads for each element that is touched."""
        return self.uses / self.touched

    @property
    def fill(self) -> float:
        """The part of the boxes that is touched."""
        return self.touched / self.box

    @property
    def padded_bytes(self) -> int:
        """The bytes of the largest box; rows of even length get one element more, so that columns use all banks."""
        columns = self.largest // self.largest_rows
        padding = self.largest_rows > 1 and columns % 2 == 0
        return self.largest_rows * (columns + padding) * self.element_bytes

    @property
    def sector_fill(self) -> float:
        """The part of the touched sectors that is touched."""
        return self.touched * self.element_bytes / (self.sectors * SECTOR_BYTES)


def density(loads: Loads, chunk: int = 0, pitch: int | None = None) -> Density:
    """The thread density of an array's loads, in chunks of so many of each thread; 0 is one chunk with all of them.

    ``pitch`` is the row length in elements, where it is known; 0 stands for boxes of one dimension.

    Raises:
        ValueError: there are no loads, or they are too far apart to be counted.
    """
    if not len(loads.element):
        raise ValueError("an array without loads has no density")
    chunk = chunk or loads.longest
    region, element, uses = _touched(loads, chunk)
    first_of_region = _changes(region)
    starts = np.flatnonzero(first_of_region)
    boxes = boxes_of(element, starts, loads.element_bytes, pitch)
    sector = element * loads.element_bytes // SECTOR_BYTES
    sectors = int((_changes(sector) | first_of_region).sum())
    largest = int(boxes.elements.argmax())
    return Density(
        chunk,
        len(starts),
        len(element),
        uses,
        box=int(boxes.elements.sum()),
        pitch=boxes.pitch,
        largest=int(boxes.elements[largest]),
        largest_rows=int(boxes.rows[largest]),
        sectors=sectors,
        copied=boxes.sectors(loads.element_bytes),
        element_bytes=loads.element_bytes,
    )


def _touched(loads: Loads, chunk: int) -> tuple[Integers, Integers, int]:
    """The region and number of each element that a region touches, sorted, and how many threads do so in all."""
    region, begins = _parts(loads, chunk)
    if (touched := _flagged(loads.element, region, begins)) is None:
        return _sorted(loads, chunk)
    if loads.is_monotonic:
        return (*touched, len(loads.element))
    if (by_threads := _flagged(loads.element, np.arange(len(begins)), begins)) is None:
        return _sorted(loads, chunk)
    return (*touched, len(by_threads[0]))


def _flagged(element: Integers, region: Integers, begins: Integers) -> tuple[Integers, Integers] | None:
    """The region and number of each element that a region touches, sorted; None where regions are too wide.

    Regions have parts, whose loads begin at places ``begins``. Each region has a row of flags, one for each element
    between its first and last one, which takes a fifth of the time of sorting.
    """
    regions = int(region.max()) + 1
    low = np.full(regions, _FAR)
    high = np.full(regions, -_FAR)
    np.minimum.at(low, region, np.minimum.reduceat(element, begins))
    np.maximum.at(high, region, np.maximum.reduceat(element, begins))
    widths = np.maximum(high - low + 1, 0)  # some regions have no part
    if widths.max() > _FLAGS or widths.sum() > _FLAGS:
        return None
    ends = np.cumsum(widths)
    shift = ends - widths - low
    flags = np.zeros(int(ends[-1]), np.bool_)
    flags[element + np.repeat(shift[region], np.diff(begins, append=len(element)))] = True
    places = np.flatnonzero(flags)
    own = np.searchsorted(ends, places, side="right")
    return own, places - shift[own]


def _parts(loads: Loads, chunk: int) -> tuple[Integers, Integers]:
    """The region of each thread's loads in it, and the place of the first of them."""
    parts = -(-loads.counts // chunk)
    number = np.arange(int(parts.sum())) - np.repeat(np.cumsum(parts) - parts, parts)
    chunks = (loads.longest - 1) // chunk + 1
    region = np.repeat(loads.threads // loads.block_threads * chunks, parts) + number
    return region, np.repeat(np.cumsum(loads.counts) - loads.counts, parts) + number * chunk


def _sorted(loads: Loads, chunk: int) -> tuple[Integers, Integers, int]:
    """What ``_touched`` finds, of any loads.

    Region, element and thread share one word, because words sort many times faster than rows of three.
    """
    base = int(loads.element.min())
    block, thread = np.divmod(loads.threads, loads.block_threads)
    chunks = (loads.longest - 1) // chunk + 1
    thread_bits = (loads.block_threads - 1).bit_length()
    element_bits = int(loads.element.max() - base).bit_length()
    region_bits = ((int(block[-1]) + 1) * chunks).bit_length()
    if region_bits + element_bits + thread_bits > _BITS:
        raise ValueError("the elements are too far apart")
    own = (block * chunks << element_bits + thread_bits) + thread - (base << thread_bits)
    words = loads.element << thread_bits
    words += np.repeat(own, loads.counts)
    if chunks > 1:
        number = (loads.occurrence // np.uint32(chunk)).astype(np.int64)
        number <<= element_bits + thread_bits
        words += number
    words.sort()
    words = _distinct(words)
    uses = len(words)
    words >>= thread_bits
    words = _distinct(words)
    return words >> element_bits, (words & ((1 << element_bits) - 1)) + base, uses


def _distinct(words: Integers) -> Integers:
    """Each of some sorted words once."""
    return words[_changes(words)]


def _changes(words: Integers) -> NDArray[np.bool_]:
    """Which words are not as the one before; the first is."""
    found = np.ones(len(words), np.bool_)
    np.not_equal(words[1:], words[:-1], out=found[1:])
    return found
