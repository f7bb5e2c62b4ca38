"""What variables outside of constructs hold for good: const ones, and arrays that nothing changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.base.properties import cached_property
from accache.frontend.c.const_values import const_integer, const_table
from accache.frontend.c.expressions import ExpressionBuilder
from accache.frontend.c.only_read import OnlyRead
from accache.frontend.c.scope import Scope
from accache.ir.arrays import extents
from accache.ir.tree import InitList
from accache.ir.types import CType, as_const, is_array, is_const, is_integer

_WEAK = re.compile(r"\b(weak|__weak__)\b")


class LastingValues(Struct, dict=True):
    """Finds them for a file; ``written`` is its text with attributes, ``text_of`` gives a directive's text.

    ``tree`` is the whole file, from which functions are ``left_out`` that the parser does not know.
    """

    expressions: ExpressionBuilder
    written: str
    text_of: Callable[[c_ast.Pragma], str]
    tree: Any = None
    left_out: bool = False
    in_function: OnlyRead = field(default_factory=OnlyRead)

    def enter(self, body: c_ast.Compound) -> None:
        """Begin with the body of another function."""
        self.in_function = OnlyRead((body,), self.text_of)

    def of_function(self, node: c_ast.Decl, ctype: CType, scope: Scope) -> int | InitList | None:
        """What a variable of the function holds for good; None if that is not known."""
        return self._always(node, ctype, scope, self.in_function.is_unchanged)

    def of_file(self, node: c_ast.Decl, ctype: CType, scope: Scope) -> int | InitList | None:
        """What a variable of the file does; one that other files know may be weak, and be another one there."""
        if "static" in node.storage:
            return self._always(node, ctype, scope, self._is_unchanged)
        return None if self._has_weak else self._always(node, ctype, scope, None)

    def _always(
        self, node: c_ast.Decl, ctype: CType, scope: Scope, is_unchanged: Callable[[str, int], bool] | None
    ) -> int | InitList | None:
        """The value of a declared variable; without ``is_unchanged`` only const ones are taken to stay."""
        if node.init is None:
            return None
        if is_integer(ctype):
            return const_integer(ctype, self.expressions.quietly(node.init, scope)) if "const" in node.quals else None
        if not is_array(ctype) or not isinstance(node.init, c_ast.InitList):
            return None
        dimensions = len(extents(ctype) or ())
        if not is_const(ctype) and (is_unchanged is None or not is_unchanged(node.name, dimensions)):
            return None
        lasting = as_const(ctype)
        return const_table(lasting, self.expressions.quietly(node.init, scope, lasting))

    @cached_property
    def _has_weak(self) -> bool:
        return "weak" in self.written and _WEAK.search(self.written) is not None

    def _is_unchanged(self, name: str, dimensions: int) -> bool:
        """Whether no function of the file changes a static array of it; one that is left out may do anything."""
        return not self.left_out and self._in_file.is_unchanged(name, dimensions)

    @cached_property
    def _in_file(self) -> OnlyRead:
        parts = (part.body if isinstance(part, c_ast.FuncDef) else part for part in self.tree.ext)
        using = (c_ast.Compound, c_ast.Pragma)
        kept = [part for part in parts if isinstance(part, using) or getattr(part, "init", None) is not None]
        return OnlyRead(kept, self.text_of)
