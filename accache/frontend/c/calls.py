"""Which functions C code calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

NOT_OURS = "__builtin_"
"""How the names of functions begin that are the compiler's own."""


def called_functions(node: Any) -> Iterator[str]:
    """The names of the functions that are called below a node, '' for one that only the run knows."""
    if isinstance(node, c_ast.FuncCall):
        yield node.name.name if isinstance(node.name, c_ast.ID) else ""
    for _, child in node.children():
        yield from called_functions(child)
