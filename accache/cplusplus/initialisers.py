"""Initialisers and compound literals as C++ reads them: narrowing, designators, strings, elided braces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from accache.cplusplus.types import same
from accache.cplusplus.values import Values
from accache.frontend.source.alignment import first_token
from accache.frontend.source.parser import RANGE
from accache.ir.tree import IntLiteral
from accache.ir.types import Arithmetic, Array, CType, Field, Record, is_integer, resolve


class Initialisers(Values):
    """Adds initialisers to the walk over expressions."""

    def value(self, node: Any) -> CType | None:
        """The type of an expression; everything in it is checked."""
        return self.compound_literal(node) if isinstance(node, c_ast.CompoundLiteral) else super().value(node)

    def compound_literal(self, node: c_ast.CompoundLiteral) -> CType | None:
        """The type of a compound literal; C++ has none of arrays."""
        ctype = self.types.build(node.type, self.scope)
        if isinstance(resolve(ctype), Array) and id(node) not in self.temporaries:
            self.edits.refuse("ACC507", first_token(node))
        opening = first_token(node)
        while opening < len(self.unit.tokens) and self.unit.tokens[opening] != "{":
            opening = self.unit.pairs[opening] + 1 if self.unit.tokens[opening] == "(" else opening + 1
        self.braces(ctype, node.init, opening)
        return ctype

    def initialise(self, target: CType, node: Any, start: int) -> None:
        """Check an initialiser whose first token is ``start``."""
        if isinstance(node, c_ast.InitList):
            self.braces(target, node, start)
            return
        plain = resolve(target)
        if isinstance(plain, Array):
            self._string(plain, node)
            return
        self.convert(target, node, start)

    def _string(self, array: Array, node: Any) -> None:
        """A string that initialises an array must fit with its terminating NUL."""
        size = array.length.value if isinstance(array.length, IntLiteral) else None
        if isinstance(node, c_ast.Constant) and node.type == "string" and size is not None:
            body = re.sub(r"\\([0-7]{1,3}|x[0-9a-fA-F]+|.)", "x", node.value[1:-1])
            if len(body.encode("utf-8", "surrogateescape")) + 1 > size:
                self.edits.refuse("ACC514", first_token(node), size=size)

    def braces(self, target: CType, node: c_ast.InitList, opening: int) -> None:
        """Check a braced initialiser element by element."""
        if opening not in self.unit.pairs or self.unit.tokens[opening] != "{":
            for item in node.exprs:
                self.value(item)
            return
        spans = self.unit.split(opening)
        items = list(zip(node.exprs, spans, strict=False))
        self._designators(target, node.exprs)
        plain = self.types.complete(resolve(target))
        if isinstance(plain, Array):
            is_string = len(items) == 1 and getattr(node.exprs[0], "type", "") == "string"
            if is_string and isinstance(resolve(plain.element), Arithmetic):
                self._string(plain, node.exprs[0])
                return
            self._elements(iter_elements(plain.element), items)
        elif isinstance(plain, Record):
            self._elements(iter(self.fields(plain)), items)
        elif len(items) == 1:
            if isinstance(items[0][0], c_ast.InitList):
                self.edits.refuse("ACC506", items[0][1][0], what="braces around the value of a scalar's braces")
            else:
                self.convert(target, items[0][0], items[0][1][0], braced=True)

    def _elements(self, members: Iterator[Field], items: list[tuple[Any, tuple[int, int]]]) -> None:
        """Give each item the member or element it initialises; elided braces are followed."""
        stack = [members]
        record: dict[str, Field] = {}
        for item, (start, _) in items:
            expr, at = item, start
            if isinstance(item, c_ast.NamedInitializer):
                expr, at = item.expr, self._after_equals(start)
            following = self._next(stack, record, item)
            if following is None:
                self.value(expr)
                continue
            while True:
                plain = self.types.complete(resolve(following.type))
                aggregate = isinstance(plain, (Array, Record))
                if not aggregate or isinstance(expr, c_ast.InitList) or self._fills(plain, expr):
                    break
                inner = iter_elements(plain.element, plain) if isinstance(plain, Array) else iter(self.fields(plain))
                stack.append(inner)
                deeper = next(inner, None)
                if deeper is None:
                    break
                following = deeper
            if isinstance(expr, c_ast.InitList):
                self.braces(following.type, expr, at)
            elif isinstance(whole := resolve(following.type), Array):
                self._string(whole, expr)
            else:
                self.convert(following.type, expr, at, braced=True)

    def _fills(self, plain: CType, expr: Any) -> bool:
        """Whether one expression initialises a whole aggregate."""
        if isinstance(plain, Array):
            return isinstance(expr, c_ast.Constant) and expr.type == "string" and is_integer(plain.element)
        found = self._quietly(expr)
        return found is not None and same(plain, found)

    def _next(self, stack: list[Iterator[Field]], seen: dict[str, Field], item: Any) -> Field | None:
        if isinstance(item, c_ast.NamedInitializer):
            del stack[1:]
            designator = item.name[0]
            if isinstance(designator, c_ast.ID):
                for member in stack[0]:
                    if member.name == designator.name:
                        return member
                    if not member.name and (found := self.member(member.type, designator.name)) is not None:
                        return found
                return None
        while stack:
            found_next = next(stack[-1], None)
            if found_next is not None and (found_next.name or not isinstance(found_next.type, Arithmetic)):
                return found_next
            if found_next is None:
                if len(stack) == 1:
                    return None
                stack.pop()
        return None

    def _after_equals(self, start: int) -> int:
        while self.unit.tokens[start] != "=" and self.unit.tokens[start] not in (";", "}"):
            start += 1
        return start + 1

    def _designators(self, target: CType, items: list[Any]) -> None:
        """Designators must name one member each, in order, without leaving out array elements."""
        names = [field_name for item in self.fields(target) for field_name in self._names(item)]
        position = -1
        for item in items:
            if not isinstance(item, c_ast.NamedInitializer):
                position += 1
                continue
            designator = item.name[0]
            what = ""
            if len(item.name) > 1:
                what = "a designator of a member's member"
            elif isinstance(designator, c_ast.ID):
                here = names.index(designator.name) if designator.name in names else position + 1
                what = "a designator that is out of order" if here <= position else ""
                position = here
            else:
                index = getattr(designator, "expr", None) or getattr(designator, "index", None)
                index = index if index is not None else next((child for _, child in designator.children()), None)
                position += 1
                if isinstance(index, c_ast.BinaryOp) and index.op == RANGE:
                    what = "an array designator for a range"
                elif index is None or self.constant(index) != position:
                    what = "an array designator that is out of order or leaves elements out"
            if what:
                self.edits.refuse("ACC506", first_token(item), what=what)

    def _names(self, item: Field) -> list[str]:
        return [item.name] if item.name else [name for inner in self.fields(item.type) for name in self._names(inner)]


def iter_elements(element: CType, array: Array | None = None) -> Iterator[Field]:
    """The elements of an array as nameless members; without an end where the length is unknown."""
    count = array.length.value if array is not None and isinstance(array.length, IntLiteral) else None
    position = 0
    while count is None or position < count:
        yield Field("[]", element)
        position += 1
