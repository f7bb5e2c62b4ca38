"""Jumps out of loops whose iterations a directive counts: how many there are must be known when the loop starts."""

from __future__ import annotations

from collections.abc import Iterator

from accache.analysis.uniformity import leaving_jumps
from accache.base.diagnostics import Reporter
from accache.ir.tree import For, Jump, Stmt
from accache.ir.walk import walk
from accache.mapping.loops.collapse import only_statement


def refuse_exits(body: Stmt, reporter: Reporter) -> None:
    """Report what leaves a loop under a loop directive other than ``seq`` (OpenACC 3.3, section 2.9)."""
    exits = (jump for node in walk(body) if isinstance(node, For) for jump in _exits(node))
    for location, keyword in dict.fromkeys((jump.location, jump.keyword) for jump in exits):
        reporter.report("ACC244", location, keyword=keyword, construct="loop")


def _exits(loop: For) -> Iterator[Jump]:
    """The jumps that leave one of the loops that a loop's directive is for."""
    spec = loop.loop
    if spec is None or spec.seq:
        return
    current: Stmt = loop
    for _ in range(max(spec.collapse, len(spec.tile))):
        if isinstance(current, For):
            yield from (jump for jump in leaving_jumps(current.body) if jump.keyword != "continue")
            current = only_statement(current.body)
