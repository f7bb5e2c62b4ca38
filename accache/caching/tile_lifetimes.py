"""When tiles are alive: those of regions that follow each other may lie in one place of shared memory.

Two loops behind each other, each with a region inside, reuse it at no cost: threads wait between rounds anyway.
Fetches of regions that simply follow each other would share a loop and a barrier, so there it is reused only where
memory is short.
"""

from __future__ import annotations

from accache.ir.kernels.simt import ParallelFor
from accache.ir.tree import For, Stmt, While

Path = tuple[Stmt, ...]
"""The statements around the inside of a region, outermost first; the last one is its directive."""


def are_apart(first: Path, second: Path, is_short: bool) -> bool:
    """Whether tiles of two regions are never alive together, and reuse one place; more do where memory ``is_short``."""
    common = 0
    while common < min(len(first), len(second)) and first[common] is second[common]:
        common += 1
    rest, other = first[common:], second[common:]
    if not rest or not other:
        return False
    return is_short or (any(map(_has_rounds, rest)) and any(map(_has_rounds, other)))


def _has_rounds(stmt: Stmt) -> bool:
    """Whether all threads of a block go through a statement several times."""
    return isinstance(stmt, (For, While)) or (isinstance(stmt, ParallelFor) and not stmt.covered)
