"""Private clauses to declarations: a loop's body gets variables of its own in the place of outer ones.

Before: ``for (...) { t = i; }`` with ``private(t)``. After: ``for (...) { int t; t = i; }`` over another ``t``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accache.analysis.walk import assigned_variables, declared_variables, used_variables
from accache.ir.regions import Private
from accache.ir.tree import Block, Declare, For, Stmt
from accache.planning.renaming import Successor, renamed


@dataclass
class Copies:
    """Makes copies of variables, each with a name of its own."""

    count: int = 0

    def inside(self, items: Sequence[Private], body: Stmt, counters: frozenset[str]) -> Stmt:
        """A loop's body with declarations of its private variables, its counters excepted."""
        body, copies = self.of([item for item in items if item.name not in counters], body)
        own = body.items if isinstance(body, Block) else (body,)
        return Block(body.location, (*copies, *own)) if copies else body

    def of(self, items: Sequence[Private], body: Stmt) -> tuple[Stmt, tuple[Declare, ...]]:
        """A statement that uses copies of variables, and the copies' declarations; its own variables need none."""
        names = used_variables(body) - declared_variables(body)
        successors: dict[str, Successor] = {}
        copies: list[Declare] = []
        for item in items:
            if item.name in names:
                self.count += 1
                new = f"{item.name.partition('#')[0]}#copy{self.count}"
                successors[item.name] = Successor(new, item.type, item.lower)
                copies.append(Declare(item.location, new, item.type, None))
        return (renamed(body, successors) if successors else body), tuple(copies)


def counters(loop: For) -> frozenset[str]:
    """What a loop counts with."""
    return frozenset(name for item in loop.init for name in assigned_variables(item) | declared_variables(item))
