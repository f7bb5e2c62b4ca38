"""Unique names to printed ones: the user's spelling wherever no other variable of that spelling is visible."""

from __future__ import annotations

from dataclasses import dataclass

from accache.analysis.walk import children
from accache.ir.keywords import KEYWORDS
from accache.ir.tree import Block, Declare, Expr, For, Stmt


@dataclass
class Namer:
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
        base = wanted or unique.partition("#")[0]
        base += "_" if base in KEYWORDS else ""
        candidate, count = base, 1
        while candidate in visible or (candidate != base and candidate in self.taken):
            count += 1
            candidate = f"{base}{count}"
        self.printed[unique] = candidate
        visible.add(candidate)
