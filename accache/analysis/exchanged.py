"""Arrays through whose elements the threads of a block tell each other something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from accache.ir.kernels.simt import Barrier, BlockReduce, Fetch, Round, WriteBack
from accache.ir.tree import Assign, Call, Expr, Member, Stmt, Subscript, Unary, Variable
from accache.ir.walk import walk


def exchanged_arrays(body: Stmt, written: Iterable[str], tiled: Iterable[str] = ()) -> frozenset[str]:
    """The arrays that what is printed for a thread both writes and reads, if threads wait for each other in between.

    ``restrict`` would be a lie about them: to nvcc, a barrier changes nothing that a ``restrict`` pointer leads to, so
    that threads would go on with what they had loaded before it. ``tiled`` arrays are read and written by copies.
    """
    if not any(map(_waits, walk(body))):
        return frozenset()
    used = Counter(node.name for node in walk(body) if isinstance(node, Variable))
    used.subtract(_stored(body))
    tiled = frozenset(tiled)
    return frozenset(name for name in written if name in tiled or used[name] > 0)


def _waits(node: object) -> bool:
    is_together = isinstance(node, Call) and node.callee is not None and node.callee.level != "seq"
    return is_together or isinstance(node, (Barrier, BlockReduce, Fetch, Round, WriteBack))


def _stored(body: Stmt) -> Iterator[str]:
    """The arrays whose elements are given new values, once for each place where that is all that happens to them."""
    for node in walk(body):
        if isinstance(node, Assign) and node.op == "=" and (root := _root(node.target)):
            yield root


def _root(place: Expr) -> str:
    """The array that an element, or a member of one, belongs to; '' if that cannot be seen."""
    while True:
        if isinstance(place, Subscript) or (isinstance(place, Member) and not place.arrow):
            place = place.base
        elif isinstance(place, Unary) and place.op == "*":
            place = place.operand
        else:
            return place.name if isinstance(place, Variable) else ""
