"""Ends of functions: C allows control to flow off the end of one with a result; in C++ that is undefined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from pycparser import c_ast

_ENDING = frozenset(
    ("exit", "_exit", "_Exit", "quick_exit", "abort", "longjmp", "__assert_fail", "__builtin_unreachable")
)
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_ENTRIES = (c_ast.Label, c_ast.Case, c_ast.Default)
_LEAVING = (c_ast.Return, c_ast.Goto, c_ast.Break, c_ast.Continue)


class Ends(Struct, frozen=True):
    """Tells whether control may reach the end of a statement; in doubt it may.

    ``constant`` is the value of a constant expression, ``noreturn`` are functions that do not come back.
    """

    constant: Callable[[Any], int | float | None]
    noreturn: frozenset[str] = frozenset()

    def reached(self, node: Any) -> bool:
        """Whether the end of a statement may be reached."""
        if isinstance(node, _LEAVING):
            return False
        if isinstance(node, c_ast.Compound):
            return self._sequence(node.block_items or ())
        if isinstance(node, (c_ast.Case, c_ast.Default)):
            return self._sequence(node.stmts or ())
        if isinstance(node, c_ast.Label):
            return self.reached(node.stmt)
        if isinstance(node, c_ast.If):
            return self._if(node)
        if isinstance(node, _LOOPS):
            return self._loop(node)
        if isinstance(node, c_ast.Switch):
            return self._switch(node)
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
            return node.name.name not in _ENDING | self.noreturn
        if isinstance(node, c_ast.ExprList):
            return all(map(self.reached, node.exprs))
        if isinstance(node, c_ast.TernaryOp) and (value := self.constant(node.cond)) is not None:
            return self.reached(node.iftrue if value else node.iffalse)
        return True

    def _sequence(self, items: Sequence[Any]) -> bool:
        reached = True
        for item in items:
            if reached or any(isinstance(part, _ENTRIES) for part in _below(item)):
                reached = self.reached(item)
        return reached

    def _if(self, node: c_ast.If) -> bool:
        return node.iffalse is None or self.reached(node.iftrue) or self.reached(node.iffalse)

    def _loop(self, node: Any) -> bool:
        if any(isinstance(part, c_ast.Break) for part in _below(node.stmt, (*_LOOPS, c_ast.Switch))):
            return True
        if node.cond is None or self.constant(node.cond):
            return False
        if not isinstance(node, c_ast.DoWhile):
            return True
        again = any(isinstance(part, c_ast.Continue) for part in _below(node.stmt, _LOOPS))
        return again or self.reached(node.stmt)

    def _switch(self, node: c_ast.Switch) -> bool:
        sections = (node.stmt.block_items or ()) if isinstance(node.stmt, c_ast.Compound) else ()
        if not any(isinstance(section, c_ast.Default) for section in sections):
            return True
        leaves = any(isinstance(part, c_ast.Break) for part in _below(node.stmt, (*_LOOPS, c_ast.Switch)))
        return leaves or self._sequence(sections)


def _below(node: Any, stop: tuple[type, ...] = ()) -> Iterator[Any]:
    """A node and all below it, but nothing of nodes to stop at."""
    if node is None or isinstance(node, stop):
        return
    yield node
    for _, child in node.children():
        yield from _below(child, stop)
