"""What counters of the host's loops hold at least: of those that start from a constant and only count up.

In the body of ``for (int k = 0; k < n; ++k)`` k is not negative, so that a kernel there knows that row i > k of a
matrix does not meet row k.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from pycparser import c_ast

from accache.frontend.c.expressions import ExpressionBuilder
from accache.frontend.c.lengths import ANY_TIME, Changes, changes_in
from accache.frontend.c.scope import Scope
from accache.frontend.source.gnu import STATEMENT_EXPRESSION
from accache.ir.build import INT
from accache.ir.constants import constant
from accache.ir.types import holds, integer_of, is_integer

_ITEM = re.compile(r"(?<=[(,:])\s*(\w+)\s*(?=[,)])")
"""A variable that a clause is about; what stands in bounds alone keeps its value."""


class Counters(Struct, frozen=True):
    """Knows of one function what ``changes`` in it, and which variables clauses are about (``named``).

    Nothing is known of one that is not ``is_plain``: jumps lead into loops, or there is what the parser does not see.
    """

    changes: Changes = Changes()
    named: frozenset[str] = frozenset()
    is_plain: bool = False

    def least(self, loop: c_ast.For, scope: Scope, expressions: ExpressionBuilder) -> dict[str, int]:
        """What the counter of a loop holds at least in its body, by its unique name; empty if that is not known.

        A signed one of 32 bits or more, that is: others may wrap, and begin again below.
        """
        name, first = self.start(loop) or ("", None)
        symbol = scope.variables.get(name)
        if symbol is None or symbol.is_static or not is_integer(symbol.type):
            return {}
        kind, least = integer_of(symbol.type), constant(expressions.quietly(first, scope))
        counts = least is not None and holds(kind, least) and not kind.unsigned and kind.size >= integer_of(INT).size
        return {symbol.name: least} if counts and least is not None else {}

    def start(self, loop: c_ast.For) -> tuple[str, Any] | None:
        """The counter of a loop, and what it starts from: if nothing but the loop's own steps, upwards, changes it."""
        name = _stepped(loop.next)
        first = _first(loop.init, name) if name else None
        if first is None or not self.is_plain or name in self.named | self.changes.handed.keys():
            return None
        if self.changes.assigned.get(name) == ANY_TIME or _has_case(loop.stmt):
            return None
        changed = (changes_in(part).assigned for part in (loop.cond, loop.stmt) if part is not None)
        return None if any(name in assigned for assigned in changed) else (name, first)


def counters_of(body: Any, text_of: Callable[[c_ast.Pragma], str]) -> Counters:
    """What is known of a function with such a body; ``text_of`` gives a directive's text."""
    nodes = list(_below(body))
    texts = (text_of(node) for node in nodes if isinstance(node, c_ast.Pragma))
    hidden = any(isinstance(node, c_ast.ID) and node.name == STATEMENT_EXPRESSION for node in nodes)
    jumps = any(isinstance(node, c_ast.Label) for node in nodes)
    named = frozenset(word for text in texts for word in _ITEM.findall(text))
    return Counters(changes_in(body), named, not hidden and not jumps)


def _below(node: Any) -> Iterator[Any]:
    yield node
    for _, child in node.children():
        yield from _below(child)


def _stepped(step: Any) -> str:
    """The variable that a loop's step adds to; '' if it does anything else."""
    if isinstance(step, c_ast.UnaryOp) and step.op in ("++", "p++") and isinstance(step.expr, c_ast.ID):
        return str(step.expr.name)
    is_sum = isinstance(step, c_ast.Assignment) and step.op == "+=" and isinstance(step.lvalue, c_ast.ID)
    return str(step.lvalue.name) if is_sum and isinstance(step.rvalue, c_ast.Constant) else ""


def _first(init: Any, name: str) -> Any:
    """What a variable is initialised with, or gets alone, at the head of a loop; None if it is neither."""
    if isinstance(init, c_ast.DeclList):
        return next((item.init for item in init.decls if item.name == name), None)
    parts = init.exprs if isinstance(init, c_ast.ExprList) else [init]
    found = [part for part in parts if isinstance(part, c_ast.Assignment) and part.op == "="]
    values = [part.rvalue for part in found if isinstance(part.lvalue, c_ast.ID) and part.lvalue.name == name]
    return values[0] if len(values) == 1 else None


def _has_case(node: Any) -> bool:
    """Whether a switch around leads into a statement."""
    if isinstance(node, (c_ast.Case, c_ast.Default)):
        return True
    return not isinstance(node, c_ast.Switch) and any(_has_case(child) for _, child in node.children())
