"""Device memory of a launch: what was allocated, the module's variables, and the heap of kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.base.properties import cached_property
from accache.ptx.machine.launch import Allocation, Launch
from accache.ptx.machine.program import CONST, HEAP, WINDOW, Program

HEAP_BYTES = 8 << 20  # as CUDA has it, unless a program asks for more
_ALIGNMENT = 256
_WORD = 4


@dataclass(frozen=True, eq=False)
class Region:
    """Memory at an address; ``data`` is changed by what is executed."""

    address: int
    data: NDArray[np.uint8]
    is_writable: bool = True

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.address + len(self.data)


def _copied(data: bytes) -> NDArray[np.uint8]:
    """Bytes in memory of their own, aligned as device memory is."""
    room = np.empty(len(data) + _ALIGNMENT, np.uint8)
    start = -room.ctypes.data % _ALIGNMENT
    found = room[start : start + len(data)]
    found[:] = np.frombuffer(data, np.uint8)
    return found


def _whole_words(data: bytes) -> NDArray[np.uint8]:
    """Memory as GPUs give it away: an atomic update of a byte reads the word around it."""
    return _copied(data + bytes(-len(data) % _WORD))


class DeviceMemory:
    """The regions of a launch, by address. Symbols of allocations stand in the place of the module's variables."""

    def __init__(self, program: Program, launch: Launch, *, needs_heap: bool) -> None:
        self.launch = launch
        named = {part.symbol: part for part in launch.memory if part.symbol}
        self._own = [Region(part.address, _whole_words(part.data)) for part in launch.memory if not part.symbol]
        self._variables = []
        for variable in program.variables:
            data = named[variable.name].data if variable.name in named else variable.data
            is_writable = variable.address >> WINDOW != CONST
            self._variables.append((variable.name, Region(variable.address, _copied(data), is_writable)))
        self.heap = Region(HEAP, _copied(bytes(HEAP_BYTES))) if needs_heap else None

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """All regions that hold something, by address."""
        found = [*self._own, *(region for _, region in self._variables), *([self.heap] if self.heap else [])]
        variables = dict(self._variables)
        for part in self.launch.memory:  # pointers to a symbol hold the address it had when the launch was captured
            if part.symbol in variables:
                region = variables[part.symbol]
                found.append(Region(part.address, region.data, region.is_writable))
        return tuple(sorted((region for region in found if len(region.data)), key=lambda region: region.address))

    def after(self) -> tuple[Allocation, ...]:
        """The launch's memory as it is now."""
        by_address = {region.address: region for region in self._own}
        by_name = dict(self._variables)
        found = []
        for part in self.launch.memory:
            region = by_name.get(part.symbol) if part.symbol else by_address[part.address]
            data = region.data[: len(part.data)].tobytes() if region is not None else part.data
            found.append(Allocation(part.address, data, part.symbol))
        return tuple(found)
