"""The L1 cache that a kernel finds: that of the GPU it is compiled for, less the shared memory of its blocks."""

from __future__ import annotations

import re

from accache.base.diagnostics import Reporter
from accache.l1.gpus import GPUS, Gpu, gpu_named, with_blocks_of
from accache.ptx.loads.sharedmemory import shared_bytes
from accache.ptx.text.syntax import Function, Module

# the first architecture that a preset stands for; between two of them it is the older one
_SINCE = ((70, "v100"), (80, "a100"), (90, "h100"))


def gpu_of(module: Module) -> Gpu:
    """The preset for the architecture that PTX is written for; before Volta, the first of all."""
    number = re.match(r"(?:sm|compute)_(\d+)", module.target[0])
    names = [name for since, name in _SINCE if number and int(number[1]) >= since]
    return gpu_named(names[-1]) if names else GPUS[0]


def left_by_blocks(gpu: Gpu, shared: int, block_threads: int) -> Gpu:
    """The cache that blocks with some shared memory leave; where it is memory of its own, they leave all.

    Raises:
        CompileError: not even one block fits.
    """
    if gpu.unified is None:
        return gpu
    try:
        return with_blocks_of(gpu, shared, block_threads)
    except ValueError as error:
        raise Reporter().fail("ACC971", gpu=gpu.name, reason=error) from error


def cache_of(module: Module, kernel: Function, gpu: Gpu | None, shared: int | None, *, block_threads: int) -> Gpu:
    """The cache for blocks of a kernel; by default of its architecture, and with what its PTX declares.

    Raises:
        CompileError: not even one block fits.
    """
    wanted = shared_bytes(module, kernel) if shared is None else shared
    return left_by_blocks(gpu or gpu_of(module), wanted, block_threads)
