"""The shared memory that a kernel takes beside tiles: its gangs' own variables, and the values it combines."""

from __future__ import annotations

from accache.caching.padding import padding
from accache.caching.sizes import SHARED_ALIGNMENT, aligned, shared_bytes, sizeof
from accache.caching.survey import Survey
from accache.ir.simt import ParallelFor, SharedArray
from accache.ir.tree import Declare
from accache.ir.types import is_array
from accache.ir.walk import walk
from accache.mapping.combining import WARP
from accache.mapping.mapped import MappedKernel


def occupied(survey: Survey, limit: int) -> int:
    """Bytes of a block's shared memory that tiles cannot have (at most); arrays beyond the limit lie elsewhere."""
    scalars = len(survey.kernel.shared) * SHARED_ALIGNMENT
    arrays = (size for array in _arrays(survey) if (size := shared_bytes(array)) <= limit)
    return scalars + sum(map(aligned, arrays)) + reduction_bytes(survey.kernel) + survey.kernel.routine_bytes


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


def reduction_bytes(kernel: MappedKernel) -> int:
    """What reductions of loops over threads take at most: a value for each thread, and results for some."""
    loops = [node for node in walk(kernel.body) if isinstance(node, ParallelFor) and node.reductions]
    spread = (loop for loop in loops if any(isinstance(node, ParallelFor) and node.block for node in walk(loop)))
    values = kernel.threads + max(1, kernel.threads // (2 * WARP))  # groups have a warp or, at least, two
    return sum(aligned(values * sizeof(item.type)) for loop in spread for item in loop.reductions)
