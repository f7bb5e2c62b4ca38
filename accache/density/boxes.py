"""Boxes around the elements that regions touch: with one dimension, or with rows of a length found in addresses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accache.density.accesses import Integers

SECTOR_BYTES = 32
_MIN_RUN = 2
_SHARE = 0.5
_MAX_ROWS = 1 << 22


@dataclass(frozen=True, eq=False)
class Boxes:
    """The box of each region, parallel arrays: its first element, its rows and its columns.

    Rows are ``pitch`` elements apart; with one dimension ``pitch`` is 0 and there is one row.
    """

    pitch: int
    first: Integers
    rows: Integers
    columns: Integers

    @property
    def elements(self) -> Integers:
        """How many elements each box has."""
        return self.rows * self.columns

    def sectors(self, element_bytes: int) -> int:
        """How many sectors copies of all boxes load, row by row; of very many rows, how many they load at most."""
        if int(self.rows.sum()) > _MAX_ROWS:
            return int((self.rows * ((self.columns * element_bytes - 2) // SECTOR_BYTES + 2)).sum())
        row = np.repeat(np.cumsum(self.rows) - self.rows, self.rows)
        at = np.repeat(self.first, self.rows) + (np.arange(len(row)) - row) * self.pitch
        end = at + np.repeat(self.columns, self.rows)
        return int(((end * element_bytes - 1) // SECTOR_BYTES - at * element_bytes // SECTOR_BYTES + 1).sum())


def boxes_of(element: Integers, starts: Integers, element_bytes: int, pitch: int | None = None) -> Boxes:
    """The smallest boxes around elements, sorted and distinct in each region, which begin at places ``starts``.

    Where rows are ``pitch`` elements long is not known, both the row length that addresses show and one dimension are
    tried. A row that is shorter than two elements, or not longer than a sector, is none: strides are not rows.
    """
    flat = _flat(element, starts)
    runs = _runs(element, starts)
    found = _pitch(runs, element_bytes) if pitch is None else pitch
    if found < 1:
        return flat
    origins = (
        flat.first - found // 2,
        np.zeros(len(starts), np.int64),
        flat.first + _free_column(runs, flat.first, found),
    )
    return min((flat, *(_rows(runs, found, origin) for origin in origins)), key=lambda boxes: int(boxes.elements.sum()))


@dataclass(frozen=True, eq=False)
class _Runs:
    """Neighbouring elements of a region: the first and last of each run, and the first run of each region."""

    first: Integers
    last: Integers
    starts: Integers


def _runs(element: Integers, starts: Integers) -> _Runs:
    begins = np.empty(len(element), np.bool_)
    np.not_equal(element[1:], element[:-1] + 1, out=begins[1:])
    begins[starts] = True
    places = np.flatnonzero(begins)
    ends = np.append(places[1:], len(element)) - 1
    return _Runs(element[places], element[ends], np.searchsorted(places, starts))


def _flat(element: Integers, starts: Integers) -> Boxes:
    last = np.append(starts[1:], len(element)) - 1
    first = element[starts]
    return Boxes(0, first, np.ones(len(starts), np.int64), element[last] - first + 1)


def _rows(runs: _Runs, pitch: int, origin: Integers) -> Boxes:
    """Boxes of rows, which begin at the multiples of the pitch from each region's origin on."""
    shift = np.repeat(origin, np.diff(runs.starts, append=len(runs.first)))
    first_row, first_column = np.divmod(runs.first - shift, pitch)
    last_row, last_column = np.divmod(runs.last - shift, pitch)
    crosses = first_row != last_row  # from the end of a row to the start of the next one
    low = np.minimum.reduceat(np.where(crosses, 0, first_column), runs.starts)
    high = np.maximum.reduceat(np.where(crosses, pitch - 1, last_column), runs.starts)
    top, bottom = first_row[runs.starts], last_row[np.append(runs.starts[1:], len(runs.first)) - 1]
    return Boxes(pitch, origin + top * pitch + low, bottom - top + 1, high - low + 1)


def _free_column(runs: _Runs, origin: Integers, pitch: int) -> int:
    """The column behind the widest part of rows that no region touches, counted from each region's origin on."""
    columns = (runs.first - np.repeat(origin, np.diff(runs.starts, append=len(runs.first)))) % pitch
    order = np.argsort(columns, kind="stable")
    columns, lengths = columns[order], (runs.last - runs.first + 1)[order]
    ends = np.maximum.accumulate(columns + lengths)
    ends = np.maximum(ends, ends[-1] - pitch)  # what goes on at the start of the next row
    gaps = columns - np.append(ends[-1] - pitch, ends[:-1])
    return int(columns[gaps.argmax()])


def _pitch(runs: _Runs, element_bytes: int) -> int:
    """The distance at which most runs of a region begin; 0 if these are not rows."""
    if int((runs.last - runs.first + 1).sum()) < _MIN_RUN * len(runs.first):
        return 0
    within = np.ones(len(runs.first), np.bool_)
    within[runs.starts] = False
    distance = np.diff(runs.first, prepend=0)[within]
    if len(distance) == 0:
        return 0
    values, counts = np.unique(distance, return_counts=True)
    best = int(counts.argmax())
    if counts[best] < _SHARE * len(distance) or values[best] * element_bytes <= SECTOR_BYTES:
        return 0
    return int(values[best])
