"""Jumps out of the structured blocks of host directives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accache.base.diagnostics import Reporter
from accache.frontend.c.expressions import ExpressionBuilder

UNTIL_ITS_END = "a structured block ends at its end: put what depends on the condition into an if"


def refuse_jumps(node: Any, expressions: ExpressionBuilder, reporter: Reporter, construct: str) -> None:
    """A structured block is left only at its end: report returns in it, and gotos and breaks out of it."""
    labels = frozenset(_labels(node))

    def check(item: Any, loops: int, switches: int) -> None:
        name = type(item).__name__
        leaves = (
            name == "Return"
            or (name == "Goto" and item.name not in labels)
            or (name == "Break" and not loops and not switches)
            or (name == "Continue" and not loops)
        )
        if leaves:
            reporter.report(
                "ACC244", expressions.location(item), keyword=name.lower(), construct=construct, hint=UNTIL_ITS_END
            )
        for _, child in item.children():
            check(child, loops + (name in ("For", "While", "DoWhile")), switches + (name == "Switch"))

    check(node, 0, 0)


def _labels(item: Any) -> Iterator[str]:
    """The labels in a statement."""
    if type(item).__name__ == "Label":
        yield item.name
    for _, child in item.children():
        yield from _labels(child)
