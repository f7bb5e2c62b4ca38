"""How much shared memory a kernel declares."""

from __future__ import annotations

import math
import re

from accache.ptx.text.syntax import Address, Function, Module, Name, Operand, Sum, Variable, walk


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
