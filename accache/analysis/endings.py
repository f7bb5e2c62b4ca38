"""Whether control may reach the end of a statement."""

from __future__ import annotations

from accache.ir.constants import constant
from accache.ir.tree import Block, For, If, Jump, Stmt, While
from accache.ir.walk import walk


def may_reach_end(stmt: Stmt) -> bool:
    """Whether what stands behind a statement may run next (True: it may, or nothing is known)."""
    if isinstance(stmt, Jump):
        return False
    if isinstance(stmt, Block):
        return all(map(may_reach_end, stmt.items))
    if isinstance(stmt, If):
        return may_reach_end(stmt.then) or stmt.otherwise is None or may_reach_end(stmt.otherwise)
    if isinstance(stmt, (For, While)):
        is_endless = stmt.condition is None or bool(constant(stmt.condition))
        return not is_endless or any(isinstance(node, Jump) and node.keyword == "break" for node in walk(stmt.body))
    return True
