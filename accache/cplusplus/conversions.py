"""Implicit conversions of C that C++ wants spelled: which need a cast, and which have no C++ form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast, c_generator

from accache.base.text import Location
from accache.cplusplus.output import Edits
from accache.cplusplus.types import constant, decayed, length, narrows, pointer_conversion, same, spell
from accache.frontend.c.scope import Scope
from accache.frontend.c.types import TypeBuilder
from accache.frontend.source.alignment import first_token
from accache.ir.tree import IntLiteral, Raw
from accache.ir.types import (
    Arithmetic,
    Complex,
    CType,
    Enum,
    Function,
    Pointer,
    Record,
    element_type,
    resolve,
    unqualified,
)

_SPELLED_NULL = re.compile(r"\(\s*void\s*\*\s*\)\s*0")


class Conversions(Struct, dict=True):
    """The names in scope, and the conversions of values; a subclass knows the types of expressions."""

    edits: Edits
    rename: dict[str, str]
    scope: Scope = field(default_factory=Scope)
    functions: dict[str, tuple[Function, bool, int]] = field(default_factory=dict)  # type, prototype, first token
    enums: dict[str, Enum] = field(default_factory=dict)
    nested: dict[str, tuple[str, int, int]] = field(default_factory=dict)  # name: its record, tokens of the record
    block: Callable[[int], CType | None] = field(default=lambda _: None)  # of a statement expression's token, its type
    temporaries: set[int] = field(default_factory=set)  # compound literals that nobody needs after their expression

    def __post_init__(self) -> None:
        self.unit = self.edits.unit
        self.types = TypeBuilder(self.length, lambda *_: None)

    def length(self, node: Any, scope: Scope) -> IntLiteral | Raw:
        """What TypeBuilder gets for array lengths, enumerators and widths."""
        text = c_generator.CGenerator().visit(node)
        return length(node, scope.enumerator_values, text, Location(self.edits.source.name, 0))

    def spell(self, ctype: CType, declarator: str = "") -> str:
        """The type's C++ spelling, renamed names in place."""
        return spell(ctype, declarator, lambda name: self.rename.get(name, name))

    def constant(self, node: Any) -> int | float | None:
        """The value of a constant expression."""
        return constant(node, self.scope.enumerator_values)

    def value(self, node: Any) -> CType | None:
        """The type of an expression, None where a subclass does not know it; everything in it is checked."""
        for _, child in node.children():
            self.value(child)
        return None

    def _quietly(self, node: Any) -> CType | None:
        """The type of an expression; nothing is edited."""
        saved, self.edits.found = self.edits.found, []
        found, self.edits.found = self.value(node), saved
        return found

    def is_null(self, node: Any) -> bool:
        """Whether an expression is a null pointer constant in C++ too."""
        return isinstance(node, c_ast.Constant) and "int" in node.type and self.constant(node) == 0

    def _incompatible(self, node: Any, target: CType, source: CType) -> None:
        self.edits.refuse(
            "ACC515", first_token(node), target=self.spell(target) or "?", source=self.spell(source) or "?"
        )

    def convert(self, target: CType | None, node: Any, start: int, braced: bool = False) -> CType | None:
        """Check the implicit conversion of an expression that starts at the token ``start``; its type."""
        source = self.value(node)
        if target is None or source is None:
            return source
        to, of = resolve(target), resolve(source)
        pointer = element_type(decayed(source)) is not None
        if isinstance(to, Pointer):
            self._to_pointer(target, source, node, start)
        elif isinstance(to, Enum):
            if not same(to, of):
                self._cast(unqualified(target), node, start)
        elif isinstance(to, Arithmetic) and pointer and to.name != "_Bool":
            self._incompatible(node, target, source)
        elif braced and (narrows(to, of, self.constant(node)) or (pointer and isinstance(to, Arithmetic))):
            self._cast(unqualified(target), node, start)
        return source

    def _to_pointer(self, target: CType, source: CType, node: Any, start: int) -> None:
        given = decayed(source)
        if self.is_null(node):
            return
        if is_null_pointer(node):
            self._cast(unqualified(target), node, start)
        elif element_type(given) is None:
            if self.constant(node) == 0:
                self._cast(unqualified(target), node, start)
            elif not isinstance(resolve(given), (Record, Complex)):
                self._incompatible(node, target, source)
        else:
            wanted = pointer_conversion(resolve(target), given)
            if wanted == "cast":
                self._cast(unqualified(target), node, start)
            elif wanted == "refuse":
                self._incompatible(node, target, source)

    def _cast(self, ctype: CType, node: Any, start: int) -> None:
        if isinstance(ctype, Pointer):
            ctype = Pointer(ctype.target)
        text = self.spell(ctype)
        if not text:
            self.edits.refuse("ACC515", first_token(node), target="an unnamed type", source="another type")
            return
        binary = isinstance(node, (c_ast.BinaryOp, c_ast.TernaryOp, c_ast.Assignment))
        last = self.unit.end(start)
        whole = self.unit.tokens[start] == "(" and self.unit.pairs.get(start) == last
        opening, closing = ("(", ")") if binary and not whole else ("", "")
        self.edits.wrap(start, last, f"({text}){opening}", closing, optional=self._is_optional(ctype, node))

    def _is_optional(self, target: CType, node: Any) -> bool:
        """Whether C++ compilers do without a cast: they warn of a string, and have a ``NULL`` of their own."""
        if is_null_pointer(node):
            return _SPELLED_NULL.search(self.edits.source.text) is None
        element = element_type(target)
        is_char = element is not None and same(element, Arithmetic("char"))
        return is_char and isinstance(node, c_ast.Constant) and node.type == "string"


def is_null_pointer(node: Any) -> bool:
    """Whether an expression is ``(void *)0``, which C converts to any pointer type."""
    if not isinstance(node, c_ast.Cast) or not isinstance(node.expr, c_ast.Constant) or node.expr.value != "0":
        return False
    pointer = node.to_type.type
    inner = getattr(getattr(pointer, "type", None), "type", None)
    return isinstance(pointer, c_ast.PtrDecl) and getattr(inner, "names", None) == ["void"]
