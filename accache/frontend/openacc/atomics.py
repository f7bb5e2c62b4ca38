"""Atomic constructs inside compute regions: the statement after the directive, and whether it fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pycparser import c_ast

from accache.base.diagnostics import Reporter
from accache.frontend.c.scope import Scope
from accache.frontend.openacc.clauses import ClauseBuilder
from accache.ir.openacc.atomics import read_access
from accache.ir.openacc.directives import Directive
from accache.ir.tree import ATOMIC_KINDS, Atomic, If, Stmt


class Builder(Protocol):
    """What builds statements."""

    clauses: ClauseBuilder
    reporter: Reporter

    def build(self, node: Any, scope: Scope) -> Stmt:
        """Our statement for a pycparser one."""


_KINDS = {f"atomic {kind}": kind for kind in ATOMIC_KINDS}


def atomic_statement(
    builder: Builder, directive: Directive, nodes: Sequence[Any], position: int, *, scope: Scope
) -> tuple[Stmt, int]:
    """The atomic construct whose statement stands at a position, and the position behind it.

    With an if clause both versions stand under its condition. Reports a statement of another form (ACC260).
    """
    if position == len(nodes) or isinstance(nodes[position], c_ast.Pragma):
        raise builder.reporter.fail("ACC207", directive.location)
    kind = _KINDS[directive.name]
    body = builder.build(nodes[position], scope.enter())
    found = read_access(kind, body)
    if isinstance(found, str):
        raise builder.reporter.fail("ACC260", body.location, name=directive.name, reason=found)
    atomic = Atomic(body.location, kind, body)
    condition = builder.clauses.condition(directive, scope)
    if condition is None:
        return atomic, position + 1
    return If(body.location, condition, atomic, body), position + 1
