"""Arrays through whose elements the threads of a block may tell each other something."""

from __future__ import annotations

from accache.ir.kernels.simt import Barrier, BlockReduce, Fetch, Round, WriteBack
from accache.ir.tree import Call, Stmt
from accache.ir.walk import walk


def exchanged_arrays(body: Stmt, written: frozenset[str]) -> frozenset[str]:
    """The ``written`` arrays of what is printed for a thread, if it waits for other threads anywhere.

    ``restrict`` would be a lie about them: to nvcc, a barrier changes nothing that a ``restrict`` pointer leads to, so
    that threads would go on with what they had loaded before it. What is only read keeps its promise, which is all that
    loads need.
    """
    return written if any(map(_waits, walk(body))) else frozenset()


def _waits(node: object) -> bool:
    is_together = isinstance(node, Call) and node.callee is not None and node.callee.level != "seq"
    return is_together or isinstance(node, (Barrier, BlockReduce, Fetch, Round, WriteBack))
