"""A kernel launch as a value: what a GPU is given to execute it, and what a run on a CPU made of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Allocation:
    """Contiguous device memory: ``data`` lies at ``address`` and above.

    ``symbol`` is the name, as it stands in the PTX module, of the ``.global`` or ``.const`` variable that this memory
    is; it is empty for memory from cudaMalloc and its kind. Variables of a module that no allocation names keep what
    the module initialises them with.
    """

    address: int
    data: bytes
    symbol: str = ""


@dataclass(frozen=True)
class Launch:
    """One execution of a kernel.

    ``kernel`` is the entry's name in PTX; ``grid`` counts blocks and ``block`` threads in x, y, z; ``shared_bytes`` is
    the dynamic shared memory. ``arguments`` holds the bytes of each parameter, as many as its .param has; pointers
    in them and in memory are addresses of ``memory``, which is all device memory before the launch, by address.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    arguments: tuple[bytes, ...]
    memory: tuple[Allocation, ...]


@dataclass(frozen=True)
class Array:
    """What a run knows of an array in device memory: ``size`` bytes from ``address`` on.

    ``name`` tells the user which it is. ``element_bytes`` is the size of an element, ``padding`` a byte for
    each of its bytes, not 0 where it is padding. ``is_float`` tells float and double from all others.
    """

    address: int
    size: int
    name: str
    element_bytes: int
    padding: bytes = b""
    is_float: bool = False


@dataclass(frozen=True)
class Captured:
    """A launch of a run on a CPU: its ``number`` in the run, from 0, and the device memory ``after`` it.

    ``reordered`` is the memory that the same launch left with its threads in another order; empty if that was not
    tried. Neither has what kernels took from the heap.
    """

    launch: Launch
    after: tuple[Allocation, ...]
    number: int = 0
    arrays: tuple[Array, ...] = ()
    reordered: tuple[Allocation, ...] = ()
