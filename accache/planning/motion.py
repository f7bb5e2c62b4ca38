"""Steps moved within their list: fetches up and write-backs down, so that the threads' own work stands together."""

from __future__ import annotations

from accache.ir.simt import Fetch, WriteBack
from accache.planning.barriers import Overlap, Step, conflict


def gather_work(steps: list[Step], overlap: Overlap) -> list[Step]:
    """Move fetches (with their starts) up and write-backs down past the threads' own work they do not touch."""
    result: list[Step] = []
    for step in steps:
        position = len(result)
        if not step.guarded and (isinstance(step.stmt, Fetch) or step.movable):
            while position and result[position - 1].guarded and not result[position - 1].inner:
                if conflict(result[position - 1].accesses, step.accesses, overlap):
                    break
                position -= 1
        result.insert(position, step)
    return _sink(result, overlap)


def _sink(steps: list[Step], overlap: Overlap) -> list[Step]:
    result: list[Step] = []
    for step in reversed(steps):
        position = 0
        if isinstance(step.stmt, WriteBack) and not step.guarded:
            while position < len(result) and result[position].guarded and not result[position].inner:
                if conflict(result[position].accesses, step.accesses, overlap):
                    break
                position += 1
        result.insert(position, step)
    return result
