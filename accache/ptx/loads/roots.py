"""What an address in PTX is computed from: which parameter or variable it starts at."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from accache.ptx.text.syntax import Address, Function, Immediate, Instruction, Name, Operand, Sum, Vector

# which operands of an instruction may hold the address that it computes; the first one is its result
_HANDED_ON: dict[str, tuple[int, ...]] = {
    "mov": (1,),
    "cvta": (1,),
    "add": (1, 2),
    "sub": (1,),
    "mad": (3,),
    "selp": (1, 2),
}


@dataclass(frozen=True)
class Definitions:
    """The instructions of a function that write each register."""

    of: dict[str, tuple[Instruction, ...]]

    def root(self, operand: Operand) -> str:
        """The parameters and variables that an address may start at, with blanks between; empty if none is found.

        Where an address comes out of memory, or is computed otherwise than by adding to another one, it has no root.
        """
        found: set[str] = set()
        seen: set[str] = set()
        waiting = [operand]
        while waiting:
            text = _register_or_variable(waiting.pop())
            if text in seen or not text:
                continue
            seen.add(text)
            if not text.startswith("%"):
                found.add(text)
            for writer in self.of.get(text, ()):
                if writer.opcode == "ld" and "param" in writer.modifiers:
                    found.add(_parameter(writer.operands[1]))
                waiting += [writer.operands[place] for place in _HANDED_ON.get(writer.opcode, ())]
        return " ".join(sorted(found))


def definitions(function: Function) -> Definitions:
    """Which instruction writes which register of a function."""
    writers: defaultdict[str, list[Instruction]] = defaultdict(list)
    for instruction in function.instructions:
        result = instruction.operands[0] if instruction.operands else None
        names = result.elements if isinstance(result, Vector) else (result,)
        for name in names:
            if isinstance(name, Name) and name.text.startswith("%"):
                writers[name.text].append(instruction)
    return Definitions({name: tuple(found) for name, found in writers.items()})


def _register_or_variable(operand: Operand) -> str:
    if isinstance(operand, Address | Sum):
        return operand.base.text if isinstance(operand.base, Name) else ""
    return operand.text if isinstance(operand, Name) else ""


def _parameter(operand: Operand) -> str:
    """A parameter, or the part of it at an offset, as it is written."""
    assert isinstance(operand, Address)
    offset = operand.offset.text if isinstance(operand.offset, Immediate) else ""
    return f"{operand.base.text}+{offset}" if offset else operand.base.text
