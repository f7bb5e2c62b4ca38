"""Clauses of a construct that name one section several times: together they say what is copied in, and what out."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.frontend.openacc.clauses import same_part
from accache.ir.openacc.atomics import same
from accache.ir.openacc.regions import DataClause

_DIRECTIONS = {"copy": (True, True), "copyin": (True, False), "copyout": (False, True), "create": (False, False)}
_ACTIONS = {directions: action for action, directions in _DIRECTIONS.items()}
_INDEPENDENT = {"zero", "readonly"}


def united(clauses: Sequence[DataClause]) -> tuple[DataClause, ...]:
    """One clause for each section: ``copyin(a) copyout(a)`` is ``copy(a)``; what does not go together stays."""
    found: list[DataClause] = []
    for clause in clauses:
        place = next((k for k, other in enumerate(found) if _go_together(other, clause)), None)
        if place is None:
            found.append(clause)
        else:
            found[place] = _together(found[place], clause)
    return tuple(found)


def _go_together(first: DataClause, second: DataClause) -> bool:
    if not (same(first.subarray.base, second.subarray.base) and same_part(first.subarray, second.subarray)):
        return False
    is_known = first.action in _DIRECTIONS and second.action in _DIRECTIONS
    alike = (first.action, first.modifiers) == (second.action, second.modifiers)
    return alike or (is_known and _INDEPENDENT.issuperset((*first.modifiers, *second.modifiers)))


def _together(first: DataClause, second: DataClause) -> DataClause:
    if first.action == second.action and first.modifiers == second.modifiers:
        return first
    comes_in, goes_out = (any(pair) for pair in zip(_DIRECTIONS[first.action], _DIRECTIONS[second.action], strict=True))
    zero = "zero" in (*first.modifiers, *second.modifiers) and not comes_in
    return replace(first, action=_ACTIONS[comes_in, goes_out], modifiers=("zero",) if zero else ())
