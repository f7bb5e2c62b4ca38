"""Arrays of a launch that atomic operations change, or whose loads are volatile: what of it the PTX tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from accache.ptx.loads.roots import definitions
from accache.ptx.machine.launch import Array, Launch
from accache.ptx.text.syntax import Function, Module, Operand

_STRONG = frozenset({"volatile", "relaxed", "acquire", "mmio"})
_ATOMICS = {"atom": 1, "red": 0}
_PARAMETER = re.compile(r"_param_(\d+)$")


def hazards(module: Module, launch: Launch, arrays: Sequence[Array]) -> dict[str, str]:
    """The rule against each array that atomics change, or that is loaded as volatile.

    An address that does not come from one parameter may lie in any array. Functions that the kernel calls count, too,
    and their addresses may lie anywhere.
    """
    found: dict[str, str] = {}
    for function in module.functions.values():
        if function.is_entry and function.name != launch.kernel:
            continue
        for rule, root in _touched(function):
            for array in _behind(root, launch, arrays) if function.is_entry else arrays:
                found.setdefault(array.name, rule)
    return found


def _touched(function: Function) -> Iterator[tuple[str, str]]:
    """A rule, and the root of the address, for each atomic operation and each strong load outside of shared memory."""
    known = definitions(function)
    for instruction in function.instructions:
        words = instruction.modifiers
        if any(word.startswith(("shared", "local", "param", "const")) for word in words):
            continue
        operand: Operand | None = None
        rule = ""
        if instruction.opcode in _ATOMICS:
            rule, operand = "atomic", instruction.operands[_ATOMICS[instruction.opcode]]
        elif instruction.opcode == "ld" and _STRONG.intersection(words):
            rule, operand = "volatile", instruction.operands[1]
        if operand is not None:
            yield rule, known.root(operand)


def _behind(root: str, launch: Launch, arrays: Sequence[Array]) -> Sequence[Array]:
    """The arrays that a root leads to; all, if that is not known."""
    found = _PARAMETER.search(root)
    if " " in root or found is None or int(found[1]) >= len(launch.arguments):
        named = [array for array in arrays if root and array.name == root]
        return named or arrays
    address = int.from_bytes(launch.arguments[int(found[1])][:8], "little")
    own = [array for array in arrays if array.address <= address < array.address + array.size]
    return own or arrays
