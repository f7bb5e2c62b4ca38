"""Execute a kernel of a PTX module on this machine's CPU."""

from __future__ import annotations

import os
import sys

from accache.base.diagnostics import Reporter
from accache.ptx.machine.compiled import NoCompiler, Outcome, run_compiled
from accache.ptx.machine.failures import failed
from accache.ptx.machine.launch import Allocation, Launch
from accache.ptx.machine.link import link
from accache.ptx.machine.memory import DeviceMemory
from accache.ptx.machine.program import Atomic, External, Program
from accache.ptx.machine.trace import Trace
from accache.ptx.reference.interpreter import interpret
from accache.ptx.text.syntax import Module

MAX_THREADS = 1024  # of a block
MAX_SHARED = 228 << 10


def execute(
    module: Module, launch: Launch, *, interpreter: bool = False, trace: Trace | None = None
) -> tuple[Allocation, ...]:
    """The memory of a launch after it; what the kernel prints goes to standard output.

    Without a C compiler, or with ``interpreter``, a slow interpreter executes it, with the same result but for the
    order of atomic operations.

    :raises CompileError: there is no such kernel, the machine does not know an instruction of it, or the launch does
        not fit to it.
    :raises LaunchError: it fails: it leaves its memory, waits for ever, or stops itself.
    """
    after, outcome = run(module, launch, interpreter=interpreter, trace=trace)
    sys.stdout.write(outcome.output.decode("utf-8", "replace"))
    return after


def run(
    module: Module, launch: Launch, *, interpreter: bool = False, trace: Trace | None = None, cores: int = 0
) -> tuple[tuple[Allocation, ...], Outcome]:
    """Like :func:`execute`, but what the kernel prints is returned; ``cores`` is how many cores work (0: all)."""
    program = link(module, launch.kernel)
    params = _parameters(program, launch)
    memory = DeviceMemory(program, launch, needs_heap=_needs_heap(program))
    outcome = None
    if not interpreter:
        try:
            outcome = run_compiled(program, launch, params, memory, trace=trace, cores=_cores(program, cores))
        except NoCompiler:
            outcome = None
    if outcome is None:
        outcome = interpret(program, launch, params, memory, trace=trace)
    if outcome.failure is not None:
        raise failed(module, program, launch, outcome.failure)
    return memory.after(), outcome


def _cores(program: Program, cores: int) -> int:
    """How many cores work: one, where sums of floating-point numbers depend on the order of blocks."""
    if any(isinstance(step.action, Atomic) and step.action.type.kind == "f" for step in program.steps):
        return 1
    return cores or os.cpu_count() or 1


def _needs_heap(program: Program) -> bool:
    return any(isinstance(step.action, External) and step.action.name == "malloc" for step in program.steps)


def _parameters(program: Program, launch: Launch) -> bytes:
    """The kernel's parameters as they lie in memory.

    :raises CompileError: the launch has others than the kernel, or is none that a GPU can do.
    """
    ranges = program.kernel.parameters
    sizes = tuple(size for _, size in ranges)
    given = tuple(map(len, launch.arguments))
    reason = ""
    if given != sizes:
        reason = f"its parameters have {list(sizes)} bytes, not {list(given)}"
    elif not 1 <= launch.block[0] * launch.block[1] * launch.block[2] <= MAX_THREADS or min(launch.block) < 1:
        reason = f"a block has 1 to {MAX_THREADS} threads, not {launch.block}"
    elif min(launch.grid) < 1:
        reason = f"a grid has at least one block, not {launch.grid}"
    elif launch.shared_bytes < 0 or program.shared_bytes + launch.shared_bytes > MAX_SHARED:
        reason = f"a block has at most {MAX_SHARED} bytes of shared memory"
    if reason:
        raise Reporter().fail("ACC912", name=launch.kernel, reason=reason)
    found = bytearray(max((offset + size for offset, size in ranges), default=0) + 16)
    for (offset, size), argument in zip(ranges, launch.arguments, strict=True):
        found[offset : offset + size] = argument
    return bytes(found)
