"""How far what a kernel computes may lie from what other code makes of the same source: read from its instructions."""

from __future__ import annotations

from collections.abc import Iterator

from accache.ptx.replay.compare import Latitude
from accache.ptx.text.syntax import Function, Instruction, Module, Name

# Approximations of nvcc are right to a few units in the last place; sums in another order to more.
_SINGLE, _DOUBLE = 2.0**-14, 2.0**-40
_OF_GREATEST = 2.0**-6  # of the latitude, for numbers that are differences of greater ones
_FLOATS = ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64")


def latitude_of(module: Module, kernel: str) -> Latitude:
    """The latitude of a kernel in PTX that nvcc made without contracting products and sums (``-fmad=false``).

    Then an approximate instruction, or an fma, belongs to a function of the mathematics library, which is another one
    on a CPU; and what atomics add to floating-point numbers depends on the order of threads.
    """
    approximate = unordered = False
    for instruction in _reached(module, module.functions[kernel], set()):
        words = instruction.modifiers
        is_float = any(word in _FLOATS for word in words)
        approximate |= "approx" in words or (instruction.opcode == "fma" and is_float)
        unordered |= instruction.opcode in ("atom", "red") and is_float and "add" in words
    reasons = (
        *(("functions of the mathematics library are approximate",) if approximate else ()),
        *(("threads add in any order",) if unordered else ()),
    )
    return Latitude(_SINGLE, _DOUBLE, _OF_GREATEST, " and ".join(reasons)) if reasons else Latitude()


def takes_turns(module: Module, kernel: str) -> bool:
    """Whether threads of a kernel learn from atomic operations who came before them, and take nothing from the heap."""
    reached = tuple(_reached(module, module.functions[kernel], set()))
    uses_heap = any(_called(part) & {"malloc", "free"} for part in reached)
    return any(part.opcode == "atom" for part in reached) and not uses_heap


def _reached(module: Module, function: Function, seen: set[str]) -> Iterator[Instruction]:
    """The instructions of a function and of those it calls by name."""
    seen.add(function.name)
    for instruction in function.instructions:
        yield instruction
        for name in _called(instruction):
            if name in module.functions and name not in seen:
                yield from _reached(module, module.functions[name], seen)


def _called(instruction: Instruction) -> set[str]:
    """The functions that an instruction calls by name."""
    names = (operand.text for operand in instruction.operands if isinstance(operand, Name))
    return set(names) if instruction.opcode == "call" else set()
