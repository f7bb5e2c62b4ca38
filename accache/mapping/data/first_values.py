"""Variables of a loop's own, declared where they get their first value.

Before: ``{ t = a[i]; b[i] = t; }``. After: ``{ float t = a[i]; b[i] = t; }``, so that ``t`` also stands for that value.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.ir.tree import Assign, Block, Cache, Declare, Evaluate, Expr, Label, Stmt, Variable
from accache.ir.types import CType
from accache.ir.walk import items_of, nodes_of, used_variables


def declaring(body: Stmt, name: str, ctype: CType) -> Block:
    """A loop's body with a variable of its own, declared where it gets its first value if all of the body sees that."""
    items = items_of(body)
    uses = [index for index, item in enumerate(items) if name in used_variables(item)]
    place = uses[0] if uses else 0
    instead = _beginning(items[place], name, ctype, len(uses) == 1) if uses and not _has_label(body) else None
    if instead is None:
        return Block(body.location, (Declare(body.location, name, ctype, None), *items))
    return Block(body.location, (*items[:place], instead, *items[place + 1 :]))


def _beginning(item: Stmt, name: str, ctype: CType, is_all: bool) -> Stmt | None:
    """The first statement that uses a variable, with its declaration; None if that must stand in front of it."""
    if isinstance(item, Cache):
        is_inside = is_all and name not in used_variables(replace(item, body=Block(item.location, ())))
        return replace(item, body=declaring(item.body, name, ctype)) if is_inside else None
    value = _assigned(item, name)
    return Declare(item.location, name, ctype, value) if value is not None else None


def _assigned(stmt: Stmt, name: str) -> Expr | None:
    """The value that a statement gives to a variable, if it does nothing else and needs none of it."""
    expr = stmt.expr if isinstance(stmt, Evaluate) else None
    if not isinstance(expr, Assign) or expr.op != "=" or not isinstance(expr.target, Variable):
        return None
    return expr.value if expr.target.name == name and name not in used_variables(expr.value) else None


def _has_label(body: Stmt) -> bool:
    """Whether a jump may pass a declaration, which C++ forbids."""
    return any(nodes_of(body, Label))
