"""Memory as the reference machine sees it: bytes behind addresses of every space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accache.ptx.failures import MISALIGNED, OUT_OF_BOUNDS, READ_ONLY, Failure
from accache.ptx.memory import DeviceMemory
from accache.ptx.program import LOCAL, PARAM, SHARED, WINDOW


class Failed(Exception):
    """The launch fails."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


class BlockMemory:
    """The memory that threads of one block can reach."""

    def __init__(self, device: DeviceMemory, shared: int, params: bytes, local: int, warps: int) -> None:
        self._device = device
        self.shared = np.full(shared, 0xFF, np.uint8)
        self._params = np.frombuffer(params, np.uint8)
        self._local = np.zeros((warps, 32, local), np.uint8)

    def bytes_at(
        self, space: str, address: int, size: int, thread: int, *, writes: bool
    ) -> NDArray[np.uint8] | tuple[int, int]:
        """The bytes at an address, to be read or changed; if there are none, the kind of failure and the address."""
        if address % size:
            return MISALIGNED, address
        whole = {"shared": SHARED << WINDOW, "local": LOCAL << WINDOW}.get(space, 0) + address
        window, offset = whole >> WINDOW, whole & ((1 << WINDOW) - 1)
        if space == "shared" and address > 0xFFFFFFFF:
            return OUT_OF_BOUNDS, address
        areas = {SHARED: self.shared, LOCAL: self._local[thread // 32, thread % 32], PARAM: self._params}
        if window in areas:
            area = areas[window]
            wrong = offset + size > len(area) or (window == PARAM and writes)
            return (OUT_OF_BOUNDS, address) if wrong else area[offset : offset + size]
        for region in self._device.regions:
            if region.address <= address and address + size <= region.end:
                if writes and not region.is_writable:
                    return READ_ONLY, address
                return region.data[address - region.address :][:size]
        return OUT_OF_BOUNDS, address

    def text_at(self, address: int, thread: int) -> bytes:
        """The string at an address."""
        found = bytearray()
        while True:
            byte = self.bytes_at("generic", address + len(found), 1, thread, writes=False)
            if isinstance(byte, tuple):
                raise Failed(Failure(OUT_OF_BOUNDS, 0, 0, thread, address, 1))
            if byte[0] == 0:
                return bytes(found)
            found.append(int(byte[0]))
