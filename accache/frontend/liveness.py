"""Which variables may be read behind each statement of a function, before they get another value."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

Names = frozenset[str]
NONE: Names = frozenset()
LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


class Liveness(Struct, dict=True):
    """Goes through a function's body backwards; ``after`` holds the names live behind each statement node.

    Names stand for all variables that are called so. Where a goto leads is not followed: then all that is read anywhere
    is live everywhere.
    """

    after: dict[int, Names] = field(default_factory=dict)

    def statement(self, node: Any, out: Names, at_break: Names = NONE, at_continue: Names = NONE) -> Names:
        """The names live in front of a statement."""
        if node is None or isinstance(node, c_ast.Pragma):
            return out
        self.after[id(node)] = self.after.get(id(node), NONE) | out
        if isinstance(node, (c_ast.Compound, c_ast.DeclList)):
            for item in reversed((node.block_items if isinstance(node, c_ast.Compound) else node.decls) or []):
                out = self.statement(item, out, at_break, at_continue)
            return out
        if isinstance(node, c_ast.If):
            branches = (self.statement(part, out, at_break, at_continue) for part in (node.iftrue, node.iffalse))
            return _read(node.cond).union(*branches)
        if isinstance(node, LOOPS):
            return self._loop(node, out)
        if isinstance(node, c_ast.Switch):
            return self.anywhere(node, out | at_continue)
        if isinstance(node, (c_ast.Label, c_ast.Case, c_ast.Default)):
            return self.anywhere(node, out | at_break | at_continue)
        if isinstance(node, c_ast.Return):
            return _read(node.expr)
        if isinstance(node, (c_ast.Break, c_ast.Continue)):
            return at_break if isinstance(node, c_ast.Break) else at_continue
        if isinstance(node, c_ast.Decl):
            return (out - {node.name}) | _read(node)
        if isinstance(node, c_ast.Assignment) and node.op == "=" and isinstance(node.lvalue, c_ast.ID):
            return (out - {node.lvalue.name}) | _read(node.rvalue)
        return out | _read(node)

    def _loop(self, node: Any, out: Names) -> Names:
        """The names live in front of a loop, of which the body may run again, or not at all."""
        step, condition = getattr(node, "next", None), _read(node.cond)
        head = out | condition
        while True:
            again = self.statement(step, head)
            body = self.statement(node.stmt, again, out, again)
            if body <= head:
                break
            head |= body
        if isinstance(node, c_ast.DoWhile):
            return head
        return self.statement(getattr(node, "init", None), head)

    def anywhere(self, node: Any, out: Names) -> Names:
        """What is read anywhere in a statement, live in front of it and behind all its parts."""
        live = out | _read(node)
        stack = [node]
        while stack:
            part = stack.pop()
            self.after[id(part)] = self.after.get(id(part), NONE) | live
            stack += [child for _, child in part.children()]
        return live


def live_after(body: Any) -> dict[int, Names]:
    """For each statement node of a function's body the names that may be read behind it, by their address as well."""
    liveness = Liveness()
    if any(isinstance(node, c_ast.Goto) for node in _below(body)):
        liveness.anywhere(body, NONE)
    else:
        liveness.statement(body, NONE)
    addresses = (node.expr for node in _below(body) if isinstance(node, c_ast.UnaryOp) and node.op == "&")
    taken = frozenset(name for address in addresses for name in _read(address))
    return {node: names | taken for node, names in liveness.after.items()}


def _read(node: Any) -> Names:
    """The names that an expression, or all of a statement, mentions."""
    return frozenset(part.name for part in _below(node) if isinstance(part, c_ast.ID)) if node is not None else NONE


def _below(node: Any) -> list[Any]:
    found = [node]
    for part in found:
        found += [child for _, child in part.children()]
    return found
