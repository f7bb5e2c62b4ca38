"""Which PTX instructions the warps of a launch come to, and the issue slots that these take."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from accache.ptx.machine.program import Program
from accache.ptx.text.syntax import Immediate, Instruction, Name, Operand

_SPECIAL = (".x", ".y", ".z")
_DIVISIONS = ("div", "rem")


def kind(instruction: Instruction) -> str:
    """The name that an instruction has in the table of weights: its opcode, and what else its cost depends on.

    Hints to the caches do not count, nor what becomes of denormal numbers; divisions by constants, special registers
    and branches with a condition do.
    """
    words = [word for word in instruction.modifiers if "::" not in word and word not in ("nc", "ftz")]
    name = ".".join((instruction.opcode, *words))
    last = instruction.operands[-1] if instruction.operands else None
    if instruction.opcode in _DIVISIONS and isinstance(last, Immediate):
        return f"{name} by a constant"
    if instruction.opcode == "mov" and _is_special(last):
        return f"{name} of a special register"
    if instruction.opcode == "bra" and instruction.predicate is not None:
        return "bra on a condition"
    return name


def _is_special(operand: Operand | None) -> bool:
    return isinstance(operand, Name) and (operand.text.endswith(_SPECIAL) or operand.text.startswith("%lane"))


def arrivals_by_kind(program: Program, arrivals: NDArray[np.uint64]) -> dict[str, int]:
    """How many warps came to the instructions of each kind."""
    found: dict[str, int] = {}
    for step, count in zip(program.steps, arrivals.tolist(), strict=True):
        if count:
            name = kind(step.instruction)
            found[name] = found.get(name, 0) + count
    return found


def issue_slots(arrivals: Mapping[str, int], weights: Mapping[str, float]) -> float:
    """What instructions take of the issue slots, a warp's with few lanes like one with all."""
    return sum(count * weight_of(name, weights) for name, count in arrivals.items())


def weight_of(name: str, weights: Mapping[str, float]) -> float:
    """The weight of a kind; of one that the table lacks, that of the nearest shorter name, or 1.

    >>> weight_of("ld.global.v4.u32", {"ld.global": 1.1}), weight_of("mov.b16", {"mov": 0.2}), weight_of("ex2.f32", {})
    (1.1, 0.2, 1.0)
    """
    plain, _, condition = name.partition(" ")
    words = plain.split(".")
    if condition and name in weights:
        return weights[name]
    for count in range(len(words), 0, -1):
        if (shorter := ".".join(words[:count])) in weights:
            return weights[shorter]
    return 1.0
