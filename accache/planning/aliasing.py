"""Which names may stand for overlapping memory.

Declared arrays are objects of their own, ``restrict`` is the user's promise, and C lets objects of
different types not overlap (C17 6.5, character types excepted). Every other pair is checked when
the kernel is launched.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from accache.ir.arrays import base_type
from accache.ir.regions import FreeVariable
from accache.ir.types import Arithmetic, Array, CType, Pointer, Record, resolve


def may_overlap(first: FreeVariable, second: FreeVariable) -> bool:
    """Whether two arrays or pointers may reach the same memory."""
    if first.name == second.name:
        return True
    a, b = resolve(first.type), resolve(second.type)
    if isinstance(a, Array) and isinstance(b, Array):
        return False
    if any(isinstance(side, Pointer) and side.restrict for side in (a, b)):
        return False
    return _compatible(resolve(base_type(a)), resolve(base_type(b)))


def unproved_pairs(
    variables: Iterable[FreeVariable], written: frozenset[str]
) -> tuple[tuple[FreeVariable, FreeVariable], ...]:
    """The pairs of different arrays, one of them written, that may overlap."""
    return tuple(
        pair for pair in combinations(variables, 2) if {pair[0].name, pair[1].name} & written and may_overlap(*pair)
    )


def _compatible(first: CType, second: CType) -> bool:
    for side in (first, second):
        if not isinstance(side, (Arithmetic, Record)):
            return True
        if isinstance(side, Arithmetic) and side.name == "char":
            return True
    if isinstance(first, Arithmetic) and isinstance(second, Arithmetic):
        return first.name == second.name
    return not (isinstance(first, Record) and isinstance(second, Record) and first.tag != second.tag)
