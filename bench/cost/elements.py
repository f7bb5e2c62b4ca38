"""What it takes to choose elements of arrays that PTX has in local memory, and ptxas keeps in registers.

Registers have no addresses: where the index is a constant, the element is a register, and elsewhere each element is
compared with, and moved where it is the one. So says machine code of ``bench/kernels/array_sums.c``, whose 16 sums
take 28 comparisons and 32 moves for ``sum[group[i]] += x[i]``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from accache.ptx.machine.program import Load, Program, Routine, Step, Store
from accache.ptx.text.syntax import Address, Instruction, Name

CHOICE = "choice of an element"
"""The kind of instructions that are counted here, in ``Counts.arrivals``; each takes a slot."""
_OF_ADDRESSES = ("mov", "cvta", "add")
_AN_ELEMENT = 2  # a comparison and a move


def choices(program: Program, arrivals: NDArray[np.uint64]) -> int:
    """How many warps come to instructions that choose elements, if ptxas keeps all local memory in registers."""
    total = 0
    for routine in program.routines:
        fixed = _fixed([step.instruction for step in routine.steps])
        for pc, step in enumerate(routine.steps, routine.first_pc):
            total += int(arrivals[pc]) * _of_step(step, routine, fixed)
    return total


def _of_step(step: Step, routine: Routine, fixed: frozenset[str]) -> int:
    """The instructions that choose what a step accesses; 0 where its address is known, or not local."""
    action = step.action
    if not isinstance(action, Load | Store) or action.place.space != "local":
        return 0
    place = next(operand for operand in step.instruction.operands if isinstance(operand, Address))
    base = place.base.text if isinstance(place.base, Name) else ""
    if base in fixed or not base.startswith("%"):
        return 0
    width = len(action.results if isinstance(action, Load) else action.values)
    return _AN_ELEMENT * (routine.frame_bytes // action.type.bytes) * width


def _fixed(instructions: Sequence[Instruction]) -> frozenset[str]:
    """The registers that hold the same address of a variable in all threads."""
    defined: dict[str, list[Instruction]] = {}
    for each in instructions:
        if each.operands and isinstance(each.operands[0], Name):
            defined.setdefault(each.operands[0].text, []).append(each)
    fixed: set[str] = set()
    while True:
        found = {name for name, parts in defined.items() if all(_is_fixed(each, fixed) for each in parts)} - fixed
        if not found:
            return frozenset(fixed)
        fixed |= found


def _is_fixed(instruction: Instruction, fixed: set[str]) -> bool:
    names = [operand.text for operand in instruction.operands[1:] if isinstance(operand, Name)]
    return instruction.opcode in _OF_ADDRESSES and all(name in fixed or not name.startswith("%") for name in names)
