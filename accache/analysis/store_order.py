"""Whether threads load from one array after they have stored to another.

If these may be the same memory, nvcc keeps such loads behind the stores.
"""

from __future__ import annotations

from collections.abc import Iterable

from accache.analysis.effects import effects_of
from accache.ir.kernels.simt import ParallelFor
from accache.ir.openacc.regions import FreeVariable
from accache.ir.tree import For, Stmt, While
from accache.ir.walk import children

Pairs = frozenset[frozenset[str]]


def loads_follow_stores(body: Stmt, pairs: Iterable[tuple[FreeVariable, FreeVariable]]) -> bool:
    """Whether a thread may load from one array of a pair after it has stored to the other one."""
    known = tuple(pairs)
    variables = tuple(dict.fromkeys(item for pair in known for item in pair))
    names = frozenset(frozenset((first.name, second.name)) for first, second in known)
    return _found(body, variables, names, set())


def _found(stmt: Stmt, variables: tuple[FreeVariable, ...], pairs: Pairs, stored: set[str]) -> bool:
    """The same for a statement behind others; what it stores to is added to what they have ``stored`` to."""
    is_repeated = isinstance(stmt, (For, While)) or (isinstance(stmt, ParallelFor) and not stmt.covered)
    inner = [item for item in children(stmt) if isinstance(item, Stmt)]
    if inner and not is_repeated:
        return any(_found(item, variables, pairs, stored) for item in inner)
    reads, writes = effects_of(stmt, variables)
    loaded = {item.name for item, is_read in zip(variables, reads, strict=True) if is_read}
    written = {item.name for item, is_written in zip(variables, writes, strict=True) if is_written}
    before = stored | written if is_repeated else set(stored)
    stored |= written
    return any(frozenset((first, second)) in pairs for first in before for second in loaded - {first})
