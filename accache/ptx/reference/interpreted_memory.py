"""Memory as the reference machine sees it: bytes behind addresses of every space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.ptx.machine.failures import MISALIGNED, OUT_OF_BOUNDS, READ_ONLY
from accache.ptx.machine.memory import DeviceMemory
from accache.ptx.machine.program import LOCAL, PARAM, SHARED, WINDOW
from accache.ptx.reference.interpreted_warp import LANES, Mask, numbers

_WINDOWS = {"shared": SHARED << WINDOW, "local": LOCAL << WINDOW}
_OFFSET = np.uint64((1 << WINDOW) - 1)
_LANE = np.arange(LANES, dtype=np.uint64)


class Unreachable(Exception):
    """A lane accesses what is not there."""

    def __init__(self, kind: int, lane: int, address: int) -> None:
        super().__init__(f"lane {lane} at {address:#x}")
        self.kind, self.lane, self.address = kind, lane, address


@dataclass(frozen=True, eq=False)
class Reached:
    """Bytes that lanes of a warp access: places in one area, in the order of the lanes."""

    area: NDArray[np.uint8]
    lanes: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def read(self, size: int) -> NDArray[np.uint8]:
        """The bytes, one row for each lane."""
        found: NDArray[np.uint8] = self.area[self.offsets[:, None] + np.arange(size)]
        return found

    def write(self, rows: NDArray[np.uint8]) -> None:
        """Put bytes there, one row for each lane; where lanes meet, the last one wins."""
        for row, offset in zip(rows, self.offsets.tolist(), strict=True):
            self.area[offset : offset + len(row)] = row


class BlockMemory:
    """The memory that threads of one block can reach."""

    def __init__(self, device: DeviceMemory, shared: int, params: bytes, local: int, *, warps: int) -> None:
        self.shared = np.full(shared, 0xFF, np.uint8)
        self._params = np.frombuffer(params, np.uint8)
        self._local_bytes = local
        self._local = np.zeros((warps, LANES * local), np.uint8)
        self._regions = device.regions
        self._starts = np.array([region.address for region in device.regions], np.uint64)

    def reach(
        self,
        space: str,
        addresses: NDArray[np.uint64],
        size: int,
        warp: int,
        *,
        lanes: Mask,
        writes: bool,
        alignment: int,
    ) -> list[Reached]:
        """What lanes of a warp access, at multiples of an ``alignment``.

        :raises Unreachable: the first of them accesses no memory, or not as it may.
        """
        whole = addresses + np.uint64(_WINDOWS.get(space, 0))
        kinds = np.zeros(LANES, np.int64)
        found = []
        areas = self._areas(whole, lanes)
        for area in np.unique(areas[lanes]).tolist():
            members = lanes & (areas == area)
            data, offsets, limit, writable = self._area(int(area), whole, warp)
            outside = (offsets < 0) | (offsets % limit + size > limit) if limit else np.ones(LANES, np.bool_)
            kinds[members & outside] = OUT_OF_BOUNDS
            if writes and not writable:
                kinds[members & ~outside] = OUT_OF_BOUNDS if area == -PARAM else READ_ONLY
            found.append(Reached(data, np.flatnonzero(members), offsets[members]))
        if space == "shared":
            kinds[lanes & (addresses > np.uint64(0xFFFFFFFF))] = OUT_OF_BOUNDS
        kinds[lanes & (addresses % np.uint64(alignment) != 0)] = MISALIGNED
        for lane in numbers(kinds != 0):
            raise Unreachable(int(kinds[lane]), lane, int(addresses[lane]))
        return found

    def _areas(self, whole: NDArray[np.uint64], lanes: Mask) -> NDArray[np.int64]:
        """The area each lane accesses: the number of a region, or a window's number below zero."""
        windows = (whole >> np.uint64(WINDOW)).astype(np.int64)
        regions = np.searchsorted(self._starts, whole, side="right").astype(np.int64) - 1
        special = (windows == SHARED) | (windows == LOCAL) | (windows == PARAM)
        return np.where(special, -windows, np.maximum(regions, 0))

    def _area(
        self, area: int, whole: NDArray[np.uint64], warp: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], int, bool]:
        """An area's bytes, where in them lanes access, the size of a lane's part, and whether it can be changed."""
        offsets = (whole & _OFFSET).astype(np.int64)
        if area == -SHARED:
            return self.shared, _within(offsets, len(self.shared)), len(self.shared), True
        if area == -LOCAL:
            inside = _within(offsets, self._local_bytes)
            own = np.where(inside < 0, -1, inside + _LANE.astype(np.int64) * self._local_bytes)
            return self._local[warp], own, self._local_bytes, True
        if area == -PARAM:
            return self._params, _within(offsets, len(self._params)), len(self._params), False
        if not self._regions:
            return self.shared, offsets, 0, False
        region = self._regions[area]
        relative = (whole - np.uint64(region.address)).astype(np.int64)
        return region.data, _within(relative, len(region.data)), len(region.data), region.is_writable

    def text_at(self, address: int, warp: int, lane: int) -> bytes:
        """The string at an address.

        :raises Unreachable: it is in no memory.
        """
        found = bytearray()
        while True:
            byte = self.word_at(address + len(found), 1, warp, lane)[0]
            if byte == 0:
                return bytes(found)
            found.append(byte)

    def word_at(self, address: int, size: int, warp: int, lane: int) -> bytes:
        """Bytes at an address of all memory.

        :raises Unreachable: they are in no memory.
        """
        (reached,) = self.reach(
            "generic",
            np.full(LANES, address, np.uint64),
            size,
            warp,
            lanes=np.arange(LANES) == lane,
            writes=False,
            alignment=size,
        )
        return reached.read(size).tobytes()


def _within(offsets: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Offsets, or -1 for those that are not below a size."""
    return np.where((offsets >= 0) & (offsets < size), offsets, -1)
