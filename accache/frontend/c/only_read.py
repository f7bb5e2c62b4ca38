"""Arrays of which a function, or a file, does nothing but read elements: they keep the values that they begin with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.frontend.source.gnu import STATEMENT_EXPRESSION

_WORD = re.compile(r"[A-Za-z_]\w*")
_MAY_CHANGE = re.compile(
    r"\b(update|host_data|use_device|delete|declare|attach|detach|private|firstprivate|reduction|deviceptr)\b"
    r"|create\b|copyout\b"
)
"""What directives do to arrays, but for lending their values; an array that is private has others."""
_STEPS = ("++", "--", "p++", "p--", "&")


class OnlyRead(Struct, dict=True):
    """Goes through parts of a program; ``depths`` tell of each name behind how many subscripts it is read at least.

    That is 0 where it is used whole, is changed, or stands in a directive that may change it. Names stand for all
    variables that are called so. What the parser does not see, statement expressions and asm, may change all arrays.
    ``text_of`` gives a directive's text.
    """

    parts: Sequence[Any] = ()
    text_of: Callable[[c_ast.Pragma], str] = str
    depths: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in self.parts:
            self._node(part)

    def is_unchanged(self, name: str, dimensions: int) -> bool:
        """Whether nothing changes an array of so many dimensions behind its initialiser."""
        return STATEMENT_EXPRESSION not in self.depths and self.depths.get(name, dimensions) >= dimensions

    def _node(self, node: Any) -> None:
        if isinstance(node, c_ast.Pragma):
            text = self.text_of(node)
            is_ours = str(node.string).split()[:1] == ["acc"]
            if not is_ours or _MAY_CHANGE.search(text):
                self._note(_WORD.findall(text), 0)
        elif isinstance(node, c_ast.ID):
            self._note([node.name], 0)
        elif isinstance(node, c_ast.ArrayRef):
            self._element(node, is_read=True)
        elif isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ArrayRef):
            self._element(node.lvalue, is_read=False)
            self._node(node.rvalue)
        elif isinstance(node, c_ast.UnaryOp) and node.op in _STEPS and isinstance(node.expr, c_ast.ArrayRef):
            self._element(node.expr, is_read=False)
        else:
            for _, child in node.children():
                self._node(child)

    def _element(self, node: c_ast.ArrayRef, *, is_read: bool) -> None:
        depth, base = 0, node
        while isinstance(base, c_ast.ArrayRef):
            self._node(base.subscript)
            depth, base = depth + 1, base.name
        if isinstance(base, c_ast.ID):
            self._note([base.name], depth if is_read else 0)
        else:
            self._node(base)

    def _note(self, names: list[str], depth: int) -> None:
        for name in names:
            self.depths[name] = min(depth, self.depths.get(name, depth))
