"""The L1 cache that a kernel finds: that of the GPU it is compiled for, less the shared memory of its blocks."""

from __future__ import annotations

import math
import re
from operator import itemgetter

from accache.base.diagnostics import Reporter
from accache.l1.gpus import GPUS, Gpu, with_blocks_of
from accache.ptx.text.syntax import Address, Function, Module, Name, Operand, Sum, Variable, walk


def gpu_of(module: Module) -> Gpu:
    """The newest preset whose architecture is no newer than that PTX is written for; before Volta, the first of all."""
    target = capability(module.target[0])
    presets = [(capability(gpu.unified.architecture.name), gpu) for gpu in GPUS if gpu.unified is not None]
    older = [preset for preset in presets if preset[0] <= target]
    return max(older, key=itemgetter(0))[1] if older else GPUS[0]


def capability(name: str) -> int:
    """The number of an architecture: 90 of ``sm_90a``; 0 if that is none."""
    found = re.match(r"(?:sm|compute)_(\d+)", name)
    return int(found[1]) if found else 0


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


def shared_bytes(module: Module, kernel: Function) -> int:
    """The bytes of shared variables with a known size that a kernel declares or mentions.

    What a launch adds to them (``extern __shared__``) and what called functions use is not known here.
    """
    mentioned = {_mentioned(operand) for instruction in kernel.instructions for operand in instruction.operands}
    own = [part for part in walk(kernel.body) if isinstance(part, Variable)] if kernel.body else []
    shared = [variable for variable in module.variables if variable.name in mentioned] + own
    return sum(_size(variable) for variable in shared if variable.space == "shared")


def _size(variable: Variable) -> int:
    bits = re.search(r"\d+$", variable.type)
    dimensions = [dimension or 0 for dimension in variable.dimensions]
    lanes = int(variable.vector[1:]) if variable.vector else 1
    return (int(bits[0]) if bits else 8) // 8 * lanes * math.prod(dimensions)


def _mentioned(operand: Operand) -> str:
    base = operand.base if isinstance(operand, Address | Sum) else operand
    return base.text if isinstance(base, Name) else ""
