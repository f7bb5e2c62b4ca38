"""Refuses what threads assign on their own where it is read as if they shared it: each of them has a copy."""

from __future__ import annotations

from accache.analysis.thread_temporaries import left_different
from accache.base.diagnostics import Reporter
from accache.ir.names import user_name
from accache.ir.tree import Stmt


def refuse_shared_temporaries(kernel: Stmt, memory: frozenset[str], reporter: Reporter) -> None:
    """Report scalars assigned in a loop over threads and used outside of it; ``memory`` scalars are shared anyway."""
    for loop, names in left_different(kernel):
        for name in sorted(names - memory):
            reporter.report("ACC312", loop.location, name=user_name(name))
