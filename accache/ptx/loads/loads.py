"""The loads of kernels, and of what they call, through L1, in groups that one place of the source made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from accache.base.choices import LoadPolicy
from accache.base.text import Location
from accache.ptx.loads.roots import definitions
from accache.ptx.text.calls import with_called
from accache.ptx.text.names import variable_name
from accache.ptx.text.syntax import Function, Instruction, Module

# what keeps a load as it is, with the reason that reports tell
_STRONG = ("volatile", "relaxed", "acquire", "mmio")
# and with what it does in L1, as the PTX ISA says of the operators: "ld", "Cache Operators"
_OPERATORS: dict[str, LoadPolicy] = {"ca": "ca", "cg": "cg", "cs": "evict_first", "lu": "evict_first", "cv": "cg"}
_PRIORITIES: dict[str, LoadPolicy] = {
    "L1::no_allocate": "no_allocate",
    "L1::evict_first": "evict_first",
    "L1::evict_last": "evict_last",
}
_OTHER_SPACES = ("const", "local", "param", "shared")


@dataclass(frozen=True)
class Place:
    """What makes loads one group: the function, the place in its source, and the pointer that they load through.

    ``function`` is the kernel or one that it calls.

    ``source`` is None in PTX without ``.loc``; ``number`` tells the loads of such a kernel apart and is 0 else. Where
    the place is in an inlined function, ``call`` is where that was called. ``root`` is the parameter or
    variable that addresses start at, empty if that is not found.
    """

    function: str
    source: Location | None
    call: Location | None
    root: str
    number: int = 0

    def __str__(self) -> str:
        where = f"{self.function}+{self.number}" if self.source is None else _without_folder(self.source)
        variable = variable_name(self.root)
        through = variable if variable != self.root else self.root.removeprefix(f"{self.function}_").replace("_", " ")
        return ", ".join(filter(None, (where, through, self._caller())))

    def _caller(self) -> str:
        """Where the place is called from, with the name of the file if it is another one."""
        if self.source is None or self.call is None:
            return ""
        shown = _without_folder(self.call)
        return f"called from {shown.partition(':')[2] if self.call.file == self.source.file else shown}"


def _without_folder(source: Location) -> str:
    return str(Location(PurePath(source.file).name, source.line, source.column))


@dataclass(frozen=True)
class LoadGroup:
    """The loads of a place. ``numbers`` are their indices among the instructions of its function.

    ``kept`` says why they must stay as they are, and is empty if they may bypass; ``policy`` is what they do in L1: ca
    (look up and keep), cg (pass by), no_allocate (look up), evict_first or evict_last.
    """

    place: Place
    numbers: tuple[int, ...]
    kept: str
    policy: LoadPolicy


def load_groups(module: Module, kernel: Function) -> tuple[LoadGroup, ...]:
    """The global and generic loads of a kernel, in the order of the program, and then those of functions it calls.

    Unrolling and vectorising multiply the loads of one place in the source; they are decided on together. Loads of a
    function that other kernels call, too, stay as they are: what is decided by one of them might cost another.
    """
    found: list[LoadGroup] = []
    for function in with_called(module, kernel):
        others = [each.name for each in module.kernels if each != kernel and function in with_called(module, each)]
        found += _groups(module, function, f"kernel {others[0]} calls its function, too" if others else "")
    return tuple(found)


def _groups(module: Module, function: Function, kept: str) -> Iterator[LoadGroup]:
    """Those of one function, all of which a reason may keep."""
    known = definitions(function)
    numbers: dict[Place, list[int]] = {}
    for number, instruction in enumerate(function.instructions):
        if not is_load(instruction):
            continue
        place = _place(module, function, number, known.root(instruction.operands[1]))
        numbers.setdefault(place, []).append(number)
    for place, found in numbers.items():
        group = _group(function, place, found)
        yield replace(group, kept=group.kept or kept)


def _place(module: Module, function: Function, number: int, root: str) -> Place:
    """The place of one of a function's instructions."""
    instruction = function.instructions[number]
    source = module.source_location(instruction)
    if source is None or instruction.line is None:
        return Place(function.name, None, None, root, number)
    return Place(function.name, source, module.call_location(instruction), root)


def is_load(instruction: Instruction) -> bool:
    """Whether an instruction loads from global memory, or from an address that may lie there."""
    return instruction.opcode == "ld" and not any(
        word == space or word.startswith(f"{space}::") for word in instruction.modifiers for space in _OTHER_SPACES
    )


def kept(instruction: Instruction) -> str:
    """Why a load must stay as it is; empty if it may bypass."""
    words = instruction.modifiers
    if strong := next((word for word in words if word in _STRONG), ""):
        return f"it is {strong}"
    if operator := next((word for word in words if word in _OPERATORS or word.startswith("L1::")), ""):
        return f"it has the cache operator {operator} already"
    return "" if "global" in words else "its address may lie outside of global memory"


def policy(instruction: Instruction) -> LoadPolicy:
    """What a load does in L1 by its words; strong ones see what others wrote, which L1 does not."""
    for word in instruction.modifiers:
        if word in _STRONG:
            return "cg"
        if word in _OPERATORS:
            return _OPERATORS[word]
        if word in _PRIORITIES:
            return _PRIORITIES[word]
    return "ca"


def _group(function: Function, place: Place, numbers: list[int]) -> LoadGroup:
    """A group; what keeps one of its loads keeps all."""
    loads = [function.instructions[number] for number in numbers]
    deciding = next(filter(kept, loads), loads[0])
    return LoadGroup(place, tuple(numbers), kept(deciding), policy(deciding))
