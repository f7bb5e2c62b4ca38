"""Which variables may be read behind each statement of a function, before they get another value."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.frontend.source.gnu import STATEMENT_EXPRESSION

Names = frozenset[str]
NONE: Names = frozenset()
_WORD = re.compile(r"[A-Za-z_]\w*")
LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
CASES = (c_ast.Case, c_ast.Default)


class Liveness(Struct, dict=True):
    """Goes through a function's body backwards; ``after`` holds the names live behind each statement node.

    Names stand for all variables that are called so, but what is declared in a block does not hide for long that the
    variable outside of it is live. ``labels`` are the names live at the labels that a goto may lead to, ``every`` is
    every name in the function, which a statement that cannot be read may use; ``text_of`` gives a directive's text.
    """

    every: Names
    text_of: Callable[[c_ast.Pragma], str]
    after: dict[int, Names] = field(default_factory=dict)
    labels: dict[str, Names] = field(default_factory=dict)

    def statement(self, node: Any, out: Names, at_break: Names = NONE, at_continue: Names = NONE) -> Names:
        """The names live in front of a statement."""
        if node is None:
            return out
        if isinstance(node, c_ast.Pragma):
            return out.union(_WORD.findall(self.text_of(node)))
        self.after[id(node)] = self.after.get(id(node), NONE) | out
        if isinstance(node, c_ast.Compound):
            return self._block(node.block_items or [], out, at_break, at_continue)
        if isinstance(node, c_ast.If):
            branches = (self.statement(part, out, at_break, at_continue) for part in (node.iftrue, node.iffalse))
            return self.read(node.cond).union(*branches)
        if isinstance(node, LOOPS):
            return self._loop(node, out)
        if isinstance(node, c_ast.Switch):
            return self._switch(node, out, at_continue)
        if isinstance(node, c_ast.Label):
            self.labels[node.name] = self.statement(node.stmt, out, at_break, at_continue)
            return self.labels[node.name]
        if isinstance(node, c_ast.Goto):
            return self.labels.get(node.name, NONE)
        if isinstance(node, c_ast.Return):
            return self.read(node.expr)
        if isinstance(node, (c_ast.Break, c_ast.Continue)):
            return at_break if isinstance(node, c_ast.Break) else at_continue
        return self._expression(node, out)

    def _expression(self, node: Any, out: Names) -> Names:
        """The names live in front of an expression: what it certainly assigns, to a name or several, is not."""
        if isinstance(node, c_ast.Assignment) and node.op == "=" and isinstance(node.lvalue, c_ast.ID):
            return self._expression(node.rvalue, out - {node.lvalue.name})
        if isinstance(node, c_ast.ExprList):
            for part in reversed(node.exprs):
                out = self._expression(part, out)
            return out
        return out | self.read(node)

    def _block(self, items: list[Any], out: Names, at_break: Names, at_continue: Names) -> Names:
        """The names live in front of some statements, which may declare variables of their own."""
        outside = out.union(at_break, at_continue, *self.labels.values())
        for item in reversed(items):
            if isinstance(item, c_ast.Decl):
                self.after[id(item)] = self.after.get(id(item), NONE) | out
                out = self._declared([item], out, outside)
            else:
                out = self.statement(item, out, at_break, at_continue)
        return out

    def _loop(self, node: Any, out: Names) -> Names:
        """The names live in front of a loop, of which the body may run again, or not at all."""
        step, condition = getattr(node, "next", None), self.read(node.cond)
        head = out | condition
        while True:
            again = self.statement(step, head)
            body = self.statement(node.stmt, again, out, again)
            if body <= head:
                break
            head |= body
        if isinstance(node, c_ast.DoWhile):
            return head
        init = getattr(node, "init", None)
        if not isinstance(init, c_ast.DeclList):
            return self.statement(init, head)
        return self._declared(init.decls, head, out.union(*self.labels.values()))

    def _switch(self, node: Any, out: Names, at_continue: Names) -> Names:
        """The names live in front of a switch, which leads to one of the cases in its block, or behind it."""
        items = node.stmt.block_items or [] if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
        inner = (part for item in items for part in _below(item) if part is not item)
        if any(isinstance(part, CASES) for part in inner):
            return self._anywhere(node, out | at_continue)
        live = out | self.read(node.cond)
        following = out
        for item in reversed(items):
            stmts = item.stmts or [] if isinstance(item, CASES) else [item]
            following = self._block(stmts, following, out, at_continue)
            live |= following
        return live

    def _declared(self, declarations: list[Any], out: Names, outside: Names) -> Names:
        """The names live in front of declarations, where variables ``outside`` of the block are no longer hidden."""
        for item in reversed(declarations):
            out = (out - {item.name}) | self.read(item) | (outside & {item.name})
        return out

    def read(self, node: Any) -> Names:
        """The names that an expression, or all of a statement, mentions; all of them where it cannot be read."""
        found = (
            frozenset(part.name for part in _below(node) if isinstance(part, c_ast.ID)) if node is not None else NONE
        )
        return found | self.every if STATEMENT_EXPRESSION in found else found

    def _anywhere(self, node: Any, out: Names) -> Names:
        """What is read anywhere in a statement, live in front of it and behind all its parts."""
        live = out | self.read(node)
        for part in _below(node):
            self.after[id(part)] = self.after.get(id(part), NONE) | live
        return live


def live_after(body: Any, text_of: Callable[[c_ast.Pragma], str]) -> dict[int, Names]:
    """For each node of a function's body the names that may be read behind it, by their address as well.

    ``text_of`` gives the text of a directive, its macros expanded.
    """
    nodes = _below(body)
    every = frozenset(node.name for node in nodes if isinstance(node, (c_ast.ID, c_ast.Decl)) and node.name)
    liveness = Liveness(every, text_of)
    while True:
        labels = dict(liveness.labels)
        liveness.statement(body, NONE)
        if labels == liveness.labels:
            break
    addresses = (node.expr for node in nodes if isinstance(node, c_ast.UnaryOp) and node.op == "&")
    taken = frozenset(name for address in addresses for name in liveness.read(address))
    return {id(node): liveness.after.get(id(node), every) | taken for node in nodes}


def _below(node: Any) -> list[Any]:
    found = [node]
    for part in found:
        found += [child for _, child in part.children()]
    return found
