"""Steps moved within their list: fetches up and write-backs down, so that the threads' own work stands together.

Fetches that come to stand side by side, and write-backs, become one where one loop can do them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.analysis.uniformity import leaving_jumps
from accache.caching.shared_fetches import copied_alike
from accache.ir.kernels.simt import Fetch, WriteBack
from accache.ir.walk import used_variables, varying_variables
from accache.lowering.barriers import Overlap, Step, conflict


def gather_work(steps: list[Step], overlap: Overlap) -> list[Step]:
    """Move fetches (with their starts) up and write-backs down past the threads' own work they do not touch."""
    result: list[Step] = []
    for step in steps:
        position = len(result)
        if not step.guarded and (isinstance(step.stmt, Fetch) or step.movable):
            needed = _names_needed(step)
            while position and _is_own_work(result[position - 1]):
                passed = result[position - 1]
                if conflict(passed.accesses, step.accesses, overlap) or _changes(passed, needed):
                    break
                position -= 1
        result.insert(position, step)
    return join_copies(_sink(result, overlap))


def _is_own_work(step: Step) -> bool:
    """Whether a step is work of the threads that all of them go past."""
    return step.guarded and not step.inner and not (step.stmt is not None and any(leaving_jumps(step.stmt)))


def _names_needed(step: Step) -> frozenset[str]:
    """The variables whose values a fetch, a write-back or the start of a tile is computed from."""
    names = used_variables(step.stmt) if step.stmt is not None else frozenset[str]()
    if isinstance(step.stmt, (Fetch, WriteBack)):
        for tile in step.stmt.tiles:
            parts = [part for dimension in tile.range.dimensions for part in (dimension.start, dimension.limit)]
            names = names.union(*(part.names for part in (*parts, *tile.range.pitches) if part is not None))
    return names


def _changes(step: Step, names: frozenset[str]) -> bool:
    """Whether a step gives one of some variables a value."""
    return step.stmt is not None and not names.isdisjoint(varying_variables(step.stmt))


def _sink(steps: list[Step], overlap: Overlap) -> list[Step]:
    result: list[Step] = []
    for step in reversed(steps):
        position = 0
        if isinstance(step.stmt, WriteBack) and not step.guarded:
            needed = _names_needed(step)
            while position < len(result) and _is_own_work(result[position]):
                passed = result[position]
                if conflict(passed.accesses, step.accesses, overlap) or _changes(passed, needed):
                    break
                position += 1
        result.insert(position, step)
    return result


def join_copies(steps: Sequence[Step]) -> list[Step]:
    """Neighbouring fetches that can share a loop as one step, and neighbouring write-backs.

    Fetches of different tiles may change places, and so may write-backs.
    """
    result: list[Step] = []
    for step in steps:
        position = len(result)
        while position and isinstance(step.stmt, (Fetch, WriteBack)) and _same_kind(result[position - 1], step):
            position -= 1
        partner = next((here for here in range(position, len(result)) if _joinable(result[here], step)), None)
        if partner is None:
            result.append(step)
        else:
            result[partner] = _joined(result[partner], step)
    return result


def _same_kind(first: Step, second: Step) -> bool:
    """Whether both steps fetch, or both write back, and the same threads do it."""
    same = (first.guarded, first.guards) == (second.guarded, second.guards)
    return same and type(first.stmt) is type(second.stmt) and (first.owner == second.owner or not first.guarded)


def _joinable(first: Step, second: Step) -> bool:
    """Whether one loop can do both copies (each thread writes an element that it owns without a loop)."""
    assert isinstance(first.stmt, (Fetch, WriteBack))
    assert isinstance(second.stmt, (Fetch, WriteBack))
    one, other = first.stmt.tiles[0], second.stmt.tiles[0]
    looped = isinstance(first.stmt, Fetch) or (one.owned is other.owned is None)
    return looped and copied_alike(one, other)


def _joined(first: Step, second: Step) -> Step:
    assert isinstance(first.stmt, (Fetch, WriteBack))
    assert isinstance(second.stmt, (Fetch, WriteBack))
    both = replace(first.stmt, tiles=first.stmt.tiles + second.stmt.tiles)
    if isinstance(both, Fetch) and isinstance(second.stmt, Fetch):
        both = replace(both, own=both.own and second.stmt.own)
    owner = first.owner if first.owner == second.owner else ""
    touched = first.accesses | second.accesses
    return replace(first, stmt=both, accesses=touched, owner=owner, cells=first.cells | second.cells)
