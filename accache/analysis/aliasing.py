"""Which names may stand for overlapping memory.

Declared variables are objects of their own, ``restrict`` is the user's promise (but for pointers that
may be based on the one with the promise), and C lets objects of different types not overlap
(C17 6.5, character types and parts of structures excepted), but for programs that say otherwise by the attribute
may_alias or -fno-strict-aliasing. Every other pair is checked when the kernel is launched.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from accache.ir.arrays import base_type, innermost
from accache.ir.openacc.regions import FreeVariable, Region
from accache.ir.types import Arithmetic, CType, Pointer, Record, resolve


def may_overlap(first: FreeVariable, second: FreeVariable) -> bool:
    """Whether two variables, or what pointers among them lead to, may be the same memory."""
    if first.name == second.name:
        return True
    if not any(isinstance(resolve(item.type), Pointer) for item in (first, second)):
        return False
    keep_apart = first.keeps_its_type and second.keeps_its_type and not may_share(first.type, second.type)
    return not keep_apart and not (_promised(first, second) or _promised(second, first))


def may_overlap_in(region: Region, first: FreeVariable, second: FreeVariable) -> bool:
    """Whether two variables of a region, or what pointers among them lead to, are to be taken for the same memory."""
    return first.name == second.name or (not region.are_apart and may_overlap(first, second))


def _promised(first: FreeVariable, second: FreeVariable) -> bool:
    """Whether ``restrict`` says that the other variable, not being based on the first, does not reach its memory."""
    other = resolve(second.type)
    is_based = isinstance(other, Pointer) and not other.restrict and (second.is_derived or first.is_static)
    return is_restrict(first) and not is_based


def keeps_its_memory(variable: FreeVariable) -> bool:
    """Whether no address in memory leads where a ``restrict`` pointer leads: nothing there is based on it."""
    return is_restrict(variable) and not variable.is_stored and not variable.is_static


def is_restrict(variable: FreeVariable) -> bool:
    """Whether a variable is a ``restrict`` pointer."""
    plain = resolve(variable.type)
    return isinstance(plain, Pointer) and plain.restrict


def unproved_pairs(
    variables: Iterable[FreeVariable], written: frozenset[str]
) -> tuple[tuple[FreeVariable, FreeVariable], ...]:
    """The pairs of different arrays, one of them written, that may overlap."""
    return tuple(
        pair for pair in combinations(variables, 2) if {pair[0].name, pair[1].name} & written and may_overlap(*pair)
    )


def may_share(first: CType, second: CType) -> bool:
    """Whether C lets what arrays or pointers of two types lead to, or objects of these types, be one memory."""
    first, second = resolve(base_type(first)), resolve(base_type(second))
    for side in (first, second):
        if not isinstance(side, (Arithmetic, Record)):
            return True
        if isinstance(side, Arithmetic) and side.name == "char":
            return True
    if isinstance(first, Arithmetic) and isinstance(second, Arithmetic):
        return first.name == second.name
    if isinstance(first, Record) and isinstance(second, Record):
        return _holds(first, second.tag) or _holds(second, first.tag)
    return _has_number(first, second) or _has_number(second, first)


def _has_number(record: CType, number: CType) -> bool:
    """Whether a structure or union has a number of a type, or a character; one whose members are not known may."""
    if not isinstance(record, Record) or not isinstance(number, Arithmetic):
        return False
    if record.fields is None:
        return True
    parts = [resolve(innermost(member.type)) for member in record.fields]
    numbers = (part for part in parts if not isinstance(part, (Pointer, Record)))
    is_there = any(not isinstance(part, Arithmetic) or part.name in ("char", number.name) for part in numbers)
    return is_there or any(_has_number(part, number) for part in parts)


def _holds(record: Record, tag: str) -> bool:
    """Whether a structure or union has a tag, or has a part that does; one whose members are not known may."""
    if record.tag == tag or record.fields is None:
        return True
    parts = (resolve(innermost(member.type)) for member in record.fields)
    return any(isinstance(part, Record) and _holds(part, tag) for part in parts)
