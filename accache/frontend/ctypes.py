"""pycparser's type declarations to our types."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from pycparser import c_ast

from accache.frontend.scope import Scope
from accache.ir.tree import Expr
from accache.ir.types import (
    Arithmetic,
    Array,
    Complex,
    CType,
    Enum,
    Field,
    Function,
    Named,
    Pointer,
    Record,
    Void,
)

INT = Arithmetic("int")
ESCAPE = re.compile(r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]+|.)|.", re.S)
UNKNOWN = Void()


def arithmetic(words: list[str]) -> CType:
    """The type of specifier words such as ``unsigned long int``.

    >>> arithmetic(["unsigned", "long"]).name
    'long'
    """
    rest = [word for word in words if word not in ("int", "signed", "unsigned", "_Complex")]
    unsigned = "unsigned" in words
    name = " ".join(rest) or "int"
    if "_Complex" in words:
        return Complex(name if rest else "double")
    if name == "void":
        return Void()
    return Arithmetic(name, unsigned, signed_char=name == "char" and "signed" in words)


@dataclass
class TypeBuilder:
    """Converts declarators; struct, union and enum tags are remembered across one translation unit.

    ``convert`` turns array lengths and enumerator values into our expressions and constants.
    """

    convert: Any
    tags: dict[str, CType] = field(default_factory=dict)
    anonymous: int = 0

    def build(self, node: Any, scope: Scope) -> CType:
        """The type a pycparser declarator stands for."""
        return getattr(self, f"_{type(node).__name__}")(node, scope)  # type: ignore[no-any-return]

    def _TypeDecl(self, node: c_ast.TypeDecl, scope: Scope) -> CType:
        return self._qualify(self.build(node.type, scope), node.quals)

    def _Typename(self, node: c_ast.Typename, scope: Scope) -> CType:
        return self.build(node.type, scope)

    def _Typedef(self, node: c_ast.Typedef, scope: Scope) -> CType:
        return self.build(node.type, scope)

    def _Decl(self, node: c_ast.Decl, scope: Scope) -> CType:
        return self.build(node.type, scope)

    def _IdentifierType(self, node: c_ast.IdentifierType, scope: Scope) -> CType:
        if len(node.names) == 1 and node.names[0] in scope.typedefs:
            name = node.names[0]
            return Named(name, scope.typedefs[name])
        return arithmetic(node.names)

    def _PtrDecl(self, node: c_ast.PtrDecl, scope: Scope) -> CType:
        quals = node.quals or []
        return Pointer(self.build(node.type, scope), "const" in quals, "restrict" in quals)

    def _ArrayDecl(self, node: c_ast.ArrayDecl, scope: Scope) -> CType:
        length: Expr | None = None
        if node.dim is not None and not (isinstance(node.dim, c_ast.ID) and node.dim.name == "*"):
            length = self.convert(node.dim, scope)
        return Array(self.build(node.type, scope), length)

    def _FuncDecl(self, node: c_ast.FuncDecl, scope: Scope) -> CType:
        parameters = node.args.params if node.args else []
        inner = scope.enter()
        types: list[CType] = []
        for parameter in parameters:
            if isinstance(parameter, (c_ast.Decl, c_ast.Typename)):
                ctype = self.parameter(parameter.type, inner)
                types.append(ctype)
                if isinstance(parameter, c_ast.Decl) and parameter.name:
                    inner.declare(parameter.name, ctype)
        variadic = any(isinstance(parameter, c_ast.EllipsisParam) for parameter in parameters)
        return Function(self.build(node.type, scope), tuple(types), variadic)

    def _Struct(self, node: Any, scope: Scope) -> CType:
        return self._record("struct", node, scope)

    def _Union(self, node: Any, scope: Scope) -> CType:
        return self._record("union", node, scope)

    def _record(self, keyword: str, node: Any, scope: Scope) -> CType:
        tag = node.name
        if tag is None:
            self.anonymous += 1
            tag = f"<anonymous {self.anonymous}>"
        if node.decls is None:
            return self.tags.get(f"{keyword} {tag}", Record(keyword, tag, None))
        fields = tuple(
            Field(
                member.name or "",
                self.build(member.type, scope),
                getattr(self.convert(member.bitsize, scope), "value", 0) if member.bitsize else None,
            )
            for member in node.decls
            if isinstance(member, c_ast.Decl)
        )
        record = Record(keyword, tag, fields)
        self.tags[f"{keyword} {tag}"] = record
        return record

    def _Enum(self, node: c_ast.Enum, scope: Scope) -> CType:
        if node.values is None:
            return self.tags.get(f"enum {node.name}", Enum(node.name))
        following, values = 0, []
        for item in node.values.enumerators:
            if item.value is not None:
                following = getattr(self.convert(item.value, scope), "value", following)
            scope.enumerators[item.name] = following
            values.append((item.name, following))
            following += 1
        enum = Enum(node.name or "", tuple(values))
        self.tags[f"enum {node.name}"] = enum
        return enum

    def _TypeOf(self, node: Any, scope: Scope) -> CType:
        return UNKNOWN

    def _AttributedType(self, node: Any, scope: Scope) -> CType:
        return self.build(node.type, scope)

    def declared(self, node: c_ast.Decl, scope: Scope) -> CType:
        """The type of a declaration; an array without a length takes it from its initialiser."""
        ctype = self.build(node.type, scope)
        if not isinstance(ctype, Array) or ctype.length is not None:
            return ctype
        count = _initialised(node.init)
        if count is None:
            return ctype
        return replace(ctype, length=self.convert(c_ast.Constant("int", str(count), node.coord), scope))

    def parameter(self, node: Any, scope: Scope) -> CType:
        """A parameter's type: an array becomes a pointer, qualified by the words in its brackets."""
        ctype = self.build(node, scope)
        if not isinstance(ctype, Array):
            return ctype
        words = getattr(node, "dim_quals", None) or []
        return Pointer(ctype.element, "const" in words, "restrict" in words)

    def complete(self, ctype: CType) -> CType:
        """A record's definition where only its tag was known when the type was written."""
        if isinstance(ctype, Record) and ctype.fields is None:
            return self.tags.get(f"{ctype.keyword} {ctype.tag}", ctype)
        return ctype

    @staticmethod
    def _qualify(ctype: CType, quals: list[str] | None) -> CType:
        if not quals:
            return ctype
        known = {qualifier: True for qualifier in quals if qualifier in ctype.__dataclass_fields__}
        return replace(ctype, **known)


def _initialised(init: Any) -> int | None:
    """How many elements an initialiser gives an array; None if it does not say."""
    if isinstance(init, c_ast.InitList):
        plain = not any(isinstance(item, c_ast.NamedInitializer) for item in init.exprs)
        return len(init.exprs) if plain else None
    if isinstance(init, c_ast.Constant) and init.type == "string":
        text = init.value[init.value.index('"') + 1 : -1]
        return len(ESCAPE.findall(text)) + 1
    return None
