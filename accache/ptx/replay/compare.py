"""Compare the memory that two executions of one launch left: byte for byte, or as far as a kernel's latitude goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from accache.ptx.machine.launch import Allocation, Array, Captured

Mask: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Latitude:
    """How far floating-point numbers may lie apart: this part of their own magnitude, or of their array's greatest.

    ``reason`` tells the user why they may at all; the default is that they are the same bits.
    """

    single: float = 0.0
    double: float = 0.0
    of_greatest: float = 0.0
    reason: str = ""

    def of(self, element_bytes: int) -> float:
        """The part of its own magnitude for an element of 4 or 8 bytes."""
        return self.single if element_bytes == 4 else self.double


@dataclass(frozen=True)
class Difference:
    """Where two executions left different memory in one allocation.

    ``array`` is what the run knows of the place, ``offset`` counts bytes from the start of the array, or of the
    allocation where no array is known, to the first element that differs; ``elements`` counts those that do. ``cpu``
    and ``ptx`` are its values.
    """

    number: int
    kernel: str
    address: int
    array: str
    offset: int
    elements: int
    cpu: str
    ptx: str


_EXACT = Latitude()
_WORD = 4  # bytes of an element of which nothing is known
_KINDS: dict[int, np.dtype[Any]] = {4: np.dtype("<f4"), 8: np.dtype("<f8")}


def compare(captured: Captured, replayed: tuple[Allocation, ...], latitude: Latitude = _EXACT) -> Iterator[Difference]:
    """The differences between what a run on a CPU left and what a replay of the launch did, at most one an allocation.

    Padding inside of structures does not count, and a NaN is as good as any other.
    """
    after = {memory.address: memory for memory in replayed}
    for memory in captured.after:
        other = after.get(memory.address)
        if other is None or len(other.data) != len(memory.data):
            raise ValueError(f"the replay lost the memory at {memory.address:#x}")
        if other.data != memory.data:
            arrays = [array for array in captured.arrays if _overlaps(array, memory)]
            arrays = arrays or [Array(memory.address, len(memory.data), memory.symbol, _WORD, bytes(_WORD))]
            found = _in_allocation(captured, memory, other, arrays, latitude=latitude)
            if found:
                yield found


def _overlaps(array: Array, memory: Allocation) -> bool:
    return memory.address <= array.address < memory.address + len(memory.data)


def _in_allocation(
    captured: Captured, memory: Allocation, other: Allocation, arrays: list[Array], *, latitude: Latitude
) -> Difference | None:
    cpu, ptx = (np.frombuffer(part.data, np.uint8) for part in (memory, other))
    differs = cpu != ptx
    for array in arrays:
        _excuse(differs, cpu, ptx, memory.address, array=array, latitude=latitude)
    if not differs.any():
        return None
    first = int(np.argmax(differs))
    place = memory.address + first
    array = next((array for array in arrays if _covers(array, place)), arrays[0])
    start, size = array.address - memory.address, array.element_bytes
    begin = max(0, start + (first - start) // size * size)
    elements = differs[start : start + (len(differs) - start) // size * size].reshape(-1, size)
    ours, theirs = (_shown(part[begin : begin + size], array, first - begin) for part in (cpu, ptx))
    return Difference(
        captured.number,
        captured.launch.kernel,
        memory.address,
        array.name,
        offset=begin - start,
        elements=max(1, int(elements.any(axis=1).sum())),
        cpu=ours,
        ptx=theirs,
    )


def _covers(array: Array, address: int) -> bool:
    return array.address <= address < array.address + array.size // array.element_bytes * array.element_bytes


def _excuse(differs: Mask, cpu: Bytes, ptx: Bytes, base: int, *, array: Array, latitude: Latitude) -> None:
    """Take out of ``differs`` what may differ in one array: padding, NaNs, and floats within their latitude."""
    first, size = array.address - base, array.element_bytes
    count = min(array.size, len(differs) - first) // size
    part = slice(first, first + count * size)
    if array.is_float and size in _KINDS:
        same = _close(cpu[part], ptx[part], _KINDS[size], latitude)
        differs[part].reshape(-1, size)[same] = False
    elif array.padding:
        padding = np.frombuffer(array.padding, np.uint8) != 0
        differs[part].reshape(-1, size)[:, padding] = False
        _excuse_words(differs, cpu, ptx, array, base=base, latitude=latitude)


def _excuse_words(differs: Mask, cpu: Bytes, ptx: Bytes, array: Array, *, base: int, latitude: Latitude) -> None:
    """The same where it is not known what is a float: whatever looks like two that are close."""
    first = array.address - base
    for size in (4, 8):
        start = first + -(base + first) % size
        end = start + max(0, min(first + array.size, len(differs)) - start) // size * size
        part = slice(start, end)
        same = _close(cpu[part], ptx[part], _KINDS[size], latitude)
        differs[part].reshape(-1, size)[same] = False


def _close(cpu: Bytes, ptx: Bytes, kind: np.dtype[Any], latitude: Latitude) -> Mask:
    """Which elements are both no numbers, or as close to each other as they may be."""
    first, second = (np.frombuffer(part.tobytes(), kind) for part in (cpu, ptx))
    same: Mask = np.isnan(first) & np.isnan(second)
    if not latitude.reason:
        return same
    with np.errstate(all="ignore"):
        finite = np.isfinite(first) & np.isfinite(second)
        greatest = float(np.abs(first[finite]).max()) if finite.any() else 0.0
        apart = np.abs(first.astype(np.float64) - second.astype(np.float64))
        own = latitude.of(kind.itemsize) * np.maximum(np.abs(first), np.abs(second))
        allowed = np.maximum(own, latitude.of(kind.itemsize) * latitude.of_greatest * greatest)
        close: Mask = same | (finite & (apart <= allowed))
        return close


def _shown(element: Bytes, array: Array, differing: int) -> str:
    """An element as the user knows it; of a structure the four bytes that differ."""
    data, size = element.tobytes(), len(element)
    if array.is_float and size in _KINDS:
        value = np.frombuffer(data, _KINDS[size])[0]
        return f"{value:.9g}" if size == 4 else f"{float(value):.17g}"
    if size in (1, 2, 4, 8) and not array.padding:
        return f"{int.from_bytes(data, 'little')} ({int.from_bytes(data, 'little'):#x})"
    word = differing // 4 * 4
    return "0x" + data[word : word + 4][::-1].hex()
