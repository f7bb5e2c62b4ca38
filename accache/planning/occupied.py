"""The shared memory that a kernel takes beside tiles: its gangs' own variables, and the values it combines."""

from __future__ import annotations

from accache.analysis.walk import walk
from accache.ir.simt import ParallelFor, SharedArray
from accache.ir.tree import Declare
from accache.planning.padding import padding
from accache.planning.questions import is_array
from accache.planning.sizes import SHARED_ALIGNMENT, aligned, shared_bytes, sizeof
from accache.planning.survey import Survey


def occupied(survey: Survey) -> int:
    """Bytes of a block's shared memory that tiles cannot have (at most)."""
    scalars = len(survey.kernel.shared) * SHARED_ALIGNMENT
    arrays = (shared_bytes(array) for array in _arrays(survey))
    return scalars + sum(map(aligned, (*arrays, *_reductions(survey))))


def _arrays(survey: Survey) -> list[SharedArray]:
    """The arrays that each block has one copy of."""
    kernel = survey.kernel
    places = {variable.name: (variable.type, kernel.region.location) for variable in kernel.region.variables}
    places |= {node.name: (node.type, node.location) for node in walk(kernel.body) if isinstance(node, Declare)}
    found = []
    for name in sorted(survey.gang_arrays() & places.keys()):
        ctype, where = places[name]
        if is_array(ctype):
            pad = padding(kernel.body, name, ctype, survey.definitions)
            found.append(SharedArray(where, name, ctype, pad))
    return found


def _reductions(survey: Survey) -> list[int]:
    """One value a thread for each reduction of a loop over threads."""
    loops = [node for node in walk(survey.kernel.body) if isinstance(node, ParallelFor) and node.reductions]
    spread = (loop for loop in loops if any(isinstance(node, ParallelFor) and node.block for node in walk(loop)))
    return [survey.kernel.threads * sizeof(item.type) for loop in spread for item in loop.reductions]
