"""Whether the variables in an array's length still hold what they held at its declaration (C99, 6.7.5.2)."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field
from pycparser import c_ast


class Changes(Struct, frozen=True):
    """What a function changes, calls and declares, by position in the order of its text.

    ``assigned`` and ``called`` hold the last place of each, ``declared`` the place of each declaration node.
    """

    assigned: dict[str, int] = field(default_factory=dict)
    called: dict[str, int] = field(default_factory=dict)
    declared: dict[int, int] = field(default_factory=dict)

    def after(self, declaration: int, name: str, functions: dict[str, frozenset[str]]) -> bool:
        """Whether ``name`` may have changed since ``declaration``; ``functions`` tells what each one assigns."""
        if self.assigned.get(name, -1) > declaration:
            return True
        return any(place > declaration and name in functions.get(callee, ()) for callee, place in self.called.items())


def changes_in(body: Any) -> Changes:
    """The changes in a function's body: assignments, steps, addresses taken, and calls."""
    found = Changes()
    stack = [body]
    position = 0
    while stack:
        node = stack.pop()
        position += 1
        target = None
        if isinstance(node, c_ast.Decl):
            found.declared[id(node)] = position
        elif isinstance(node, c_ast.Assignment):
            target = node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--", "&"):
            target = node.expr
        elif isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            found.called[node.name.name] = position
        if isinstance(target, c_ast.ID):
            found.assigned[target.name] = position
        stack.extend(child for _, child in reversed(node.children()))
    return found


def assigned_through_calls(tree: Any) -> dict[str, frozenset[str]]:
    """The names that each function of a file assigns, itself or in the functions of the file that it calls."""
    changes = {node.decl.name: changes_in(node.body) for node in tree.ext if isinstance(node, c_ast.FuncDef)}
    assigned = {name: frozenset(found.assigned) for name, found in changes.items()}
    while True:
        wider = {
            name: names.union(*(assigned.get(callee, frozenset()) for callee in changes[name].called))
            for name, names in assigned.items()
        }
        if wider == assigned:
            return assigned
        assigned = wider
