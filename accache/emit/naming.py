"""Unique names to printed ones: the user's spelling wherever no other variable of that spelling is visible."""

from __future__ import annotations

from msgspec import Struct

from accache.analysis.walk import children
from accache.emit.spelling import spelled
from accache.ir.names import free_name
from accache.ir.tree import Block, Declare, Expr, For, Stmt


class Namer(Struct, dict=True):
    """Assigns printed names scope by scope; ``generated`` names are printed as they are."""

    taken: frozenset[str]
    generated: frozenset[str]
    printed: dict[str, str]

    def statement(self, stmt: Stmt, visible: set[str]) -> None:
        """Name the declarations in a statement; ``visible`` are printed names in scope, added to in place."""
        if isinstance(stmt, Declare):
            self.declare(stmt.name, visible)
        elif isinstance(stmt, (Block, For)):
            inner = set(visible)
            items = stmt.items if isinstance(stmt, Block) else (*stmt.init, stmt.body)
            for item in items:
                self.statement(item, inner)
        else:
            for child in children(stmt):
                if isinstance(child, Stmt) and not isinstance(child, Expr):
                    self.statement(child, set(visible))

    def declare(self, unique: str, visible: set[str], wanted: str = "") -> None:
        """Name one variable, as it is ``wanted`` or after its unique name."""
        if unique in self.generated:
            return
        base = spelled(wanted or unique.partition("#")[0])
        name = free_name(base, lambda name: name in visible or (name != base and name in self.taken))
        self.printed[unique] = name
        visible.add(name)
