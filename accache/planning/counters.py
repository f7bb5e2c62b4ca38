"""Loop counters declared outside of a region: each loop gets its own.

Before: ``int j; ... for (j = 0; ...)`` with ``j`` declared outside. After: ``for (int j = 0; ...)``.
"""

from __future__ import annotations

from accache.analysis.walk import children, rewrite, used_variables
from accache.ir.regions import Region
from accache.ir.tree import Assign, Block, Declare, Evaluate, Expr, For, Stmt, Variable


def localise_counters(region: Region) -> Stmt:
    """The region's body with a declaration in every for loop whose counter is used only as such."""
    free = {variable.name: variable for variable in region.variables}
    counters = {name for name in free if is_counter(region.body, name)}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or len(node.init) != 1:
            return node
        start = node.init[0]
        if not isinstance(start, Evaluate) or not isinstance(start.expr, Assign) or start.expr.op != "=":
            return node
        target = start.expr.target
        if not isinstance(target, Variable) or target.name not in counters:
            return node
        declare = Declare(start.location, target.name, free[target.name].type, start.expr.value)
        return For(node.location, (declare,), node.condition, node.step, node.body, node.loop)

    return rewrite(region.body, change)


def is_counter(body: Stmt, name: str) -> bool:
    """Whether a variable is used only as the counter of for loops that initialise it."""
    if isinstance(body, For):
        for item in body.init:
            if isinstance(item, Evaluate) and isinstance(item.expr, Assign) and _sets(item.expr, name):
                return name not in used_variables(item.expr.value)
            if name in used_variables(item):
                return False
    if isinstance(body, (Block, For)) or any(isinstance(child, Stmt) for child in children(body)):
        parts = children(body)
        return all(
            is_counter(part, name) if isinstance(part, Stmt) else name not in used_variables(part) for part in parts
        )
    gets_value = isinstance(body, Declare) and body.name == name and body.init is not None
    return name not in used_variables(body) and not gets_value


def _sets(assign: Assign, name: str) -> bool:
    return assign.op == "=" and isinstance(assign.target, Variable) and assign.target.name == name
