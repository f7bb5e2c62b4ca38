"""Whether rounds of a loop load from one array what, for all that is known, earlier rounds have stored to another.

If these may be the same memory, nvcc starts no round's loads before the stores of the round before.
"""

from __future__ import annotations

from collections.abc import Iterable

from accache.analysis.effects import effects_of
from accache.ir.kernels.simt import ParallelFor
from accache.ir.openacc.regions import FreeVariable
from accache.ir.tree import For, Stmt, While
from accache.ir.walk import walk


def loads_follow_stores(body: Stmt, pairs: Iterable[tuple[FreeVariable, FreeVariable]]) -> bool:
    """Whether a thread goes through a loop that loads from one array of a pair and stores to the other one."""
    known = tuple(pairs)
    variables = tuple(dict.fromkeys(item for pair in known for item in pair))
    for loop in walk(body):
        if isinstance(loop, (For, While, ParallelFor)) and _is_of_rounds(loop):
            reads, writes = effects_of(loop, variables)
            loaded = {item.name for item, is_read in zip(variables, reads, strict=True) if is_read}
            stored = {item.name for item, is_written in zip(variables, writes, strict=True) if is_written}
            ways = ((one.name, other.name) for pair in known for one, other in (pair, pair[::-1]))
            if any(one in loaded and other in stored for one, other in ways):
                return True
    return False


def _is_of_rounds(loop: For | While | ParallelFor) -> bool:
    """Whether a thread goes through the rounds of a loop alone, without waiting for others in between."""
    is_covered = isinstance(loop, ParallelFor) and loop.covered
    return not is_covered and not any(isinstance(inner, ParallelFor) for inner in walk(loop.body))
