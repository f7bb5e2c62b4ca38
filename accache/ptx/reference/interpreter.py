"""The reference machine: runs warps instruction by instruction; slow, but evidently right.

The 32 lanes of a warp are rows of arrays. Of the lanes that can go on, those deepest in calls and with the smallest pc
take the next step together; they go on until they wait for a barrier.
"""

from __future__ import annotations

from accache.ptx.machine.compiled import Outcome, launch_shared
from accache.ptx.machine.failures import STUCK, Failed, Failure
from accache.ptx.machine.launch import Launch
from accache.ptx.machine.memory import DeviceMemory
from accache.ptx.machine.program import Program
from accache.ptx.machine.trace import Trace, encode
from accache.ptx.reference.interpreted_memory import BlockMemory
from accache.ptx.reference.interpreted_steps import Runner
from accache.ptx.reference.interpreted_warp import Warp

_STEPS_OF_A_WARP = 1 << 14


def interpret(program: Program, launch: Launch, params: bytes, memory: DeviceMemory, *, trace: Trace | None) -> Outcome:
    """Execute a launch, one block after the other; memory is changed."""
    runner = Runner(program, launch, params, memory)
    blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
    failure = None
    end = blocks if trace is None or trace.end is None else trace.end
    traced = range(0) if trace is None else range(trace.first, end, trace.every)
    runner.tracing_shared = trace is not None and trace.shared
    for block in range(blocks):
        runner.tracing = block in traced
        try:
            _run_block(runner, block)
        except Failed as failed:
            failure = failed.failure
            break
    if trace is not None:
        trace.words, trace.instructions = (encode(runner.accesses),), runner.instructions
    return Outcome(b"".join(runner.output), runner.instructions, failure, runner.arrivals)


def _run_block(runner: Runner, block: int) -> None:
    x, y, z = runner.launch.block
    threads = x * y * z
    shared = launch_shared(runner.program, runner.launch)
    warps = [Warp(number, runner.launch.block, runner.program) for number in range(-(-threads // 32))]
    runner.start(block, BlockMemory(runner.memory, shared, runner.params, runner.local_bytes, warps=len(warps)))
    while any(warp.alive.any() for warp in warps):
        moved = False
        for warp in warps:
            moved |= _run_warp(runner, warp)
        if not runner.barriers.release(warps) and not moved:
            raise _stuck(block, warps)


def _run_warp(runner: Runner, warp: Warp) -> bool:
    """Run a warp until its lanes wait, or for some time; whether it took a step."""
    for count in range(_STEPS_OF_A_WARP):
        lanes = warp.next_lanes(runner.meets_anywhere)
        if lanes is None:
            return count > 0
        runner.step(warp, lanes)
    return True


def _stuck(block: int, warps: list[Warp]) -> Failed:
    warp = next(warp for warp in warps if warp.alive.any())
    lane = int(warp.alive.argmax())
    return Failed(Failure(STUCK, int(warp.pc[lane]), block, warp.number * 32 + lane))
