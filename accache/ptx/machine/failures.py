"""Why a launch failed, and how users are told."""

from __future__ import annotations

from dataclasses import dataclass

from accache.base.diagnostics import CompileError, Reporter
from accache.ptx.machine.launch import Launch
from accache.ptx.machine.program import Program
from accache.ptx.text.syntax import Module

(OUT_OF_BOUNDS, MISALIGNED, READ_ONLY, TRAPPED, STUCK, TOO_DEEP, NO_MEMORY, BAD_CALL, ASSERTED) = range(1, 10)
_REASONS = {
    OUT_OF_BOUNDS: "{bytes} bytes at {address:#x} lie in no memory of the launch",
    MISALIGNED: "the address {address:#x} is no multiple of its {bytes} bytes",
    READ_ONLY: "{bytes} bytes at {address:#x} are constant",
    TRAPPED: "the kernel stopped itself",
    STUCK: "it waits for others that never come",
    TOO_DEEP: "functions call each other too deeply",
    BAD_CALL: "it leads to no step of the program",
    ASSERTED: "an assertion does not hold",
}


@dataclass(frozen=True)
class Failure:
    """An error in a kernel: its kind, the step (an index of ``Program.steps``), who did it, and what was accessed."""

    kind: int
    pc: int
    block: int
    thread: int
    address: int = 0
    bytes: int = 0


class LaunchError(CompileError):
    """A kernel that the machine knows fails; what was found names the instruction, the thread and the block."""


class Failed(Exception):
    """The launch fails."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


def failed(module: Module, program: Program, launch: Launch, failure: Failure) -> LaunchError:
    """The error as a diagnostic, at the instruction in the PTX."""
    instruction = program.steps[failure.pc].instruction
    source = module.source_location(instruction)
    reason = _REASONS[failure.kind].format(address=failure.address, bytes=failure.bytes)
    reporter = Reporter()
    reporter.report(
        "ACC920",
        module.location(instruction.span),
        name=instruction.name,
        reason=reason,
        thread=_spelled(failure.thread, launch.block),
        block=_spelled(failure.block, launch.grid),
        source=f"; it comes from {source}" if source else "",
    )
    return LaunchError(tuple(reporter.diagnostics))


def _spelled(number: int, extents: tuple[int, int, int]) -> str:
    x, y, _ = extents
    return f"({number % x}, {number // x % y}, {number // x // y})"
