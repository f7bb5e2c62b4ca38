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
    return scalars + sum(map(aligned, (*_arrays(survey), *_reductions(survey))))


def _arrays(survey: Survey) -> list[int]:
    """The sizes of the arrays that each block has one copy of."""
    body = survey.kernel.body
    types = {variable.name: variable.type for variable in survey.kernel.region.variables}
    types |= {node.name: node.type for node in walk(body) if isinstance(node, Declare)}
    found = []
    for name in sorted(survey.gang_arrays()):
        ctype = types.get(name)
        if ctype is not None and is_array(ctype):
            pad = padding(body, name, ctype, survey.definitions)
            found.append(shared_bytes(SharedArray(body.location, name, ctype, pad)))
    return found


def _reductions(survey: Survey) -> list[int]:
    """One value a thread for each reduction of a loop over threads."""
    loops = [node for node in walk(survey.kernel.body) if isinstance(node, ParallelFor) and node.reductions]
    spread = (loop for loop in loops if any(isinstance(node, ParallelFor) and node.block for node in walk(loop)))
    return [survey.kernel.threads * sizeof(item.type) for loop in spread for item in loop.reductions]
