"""pycparser's type declarations to our types."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import singledispatchmethod
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from pycparser import c_ast

from accache.base.text import Location
from accache.frontend.c.exports import Exports
from accache.frontend.c.layouts import Layouts
from accache.frontend.c.lengths import can_be_repeated, variable_lengths
from accache.frontend.c.scope import Enumerator, Scope
from accache.frontend.source.gnu import MEANING
from accache.ir.build import INT
from accache.ir.constants import constant
from accache.ir.taken_names import is_cuda_name, is_library_name
from accache.ir.tree import Expr, IntLiteral
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
    holds,
    resolve,
    underlying,
)

ESCAPE = re.compile(r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|.", re.S)
CHARACTERS = {
    "": Arithmetic("char"), "u8": Arithmetic("char"), "L": INT, "u": Arithmetic("short", unsigned=True),
    "U": Arithmetic("int", unsigned=True),
}  # fmt: skip
"""The elements of strings, by prefix."""
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
        return Complex("double" if words == ["_Complex"] else name)
    if name == "void":
        return Void()
    return Arithmetic(name, unsigned, signed_char=name == "char" and "signed" in words)


class TypeBuilder(Struct, dict=True):
    """Converts declarators. A type has one meaning however often its declaration is looked at.

    ``convert`` turns array lengths and enumerator values into our expressions and constants, ``count`` tells how many
    elements an initialiser gives an array, ``exports`` names the types that functions declare, ``hint`` is the variable
    or the typedef name that an anonymous type is declared for; ``synonyms`` are the first typedef names that stand for
    anonymous types themselves. Without ``layouts`` nothing is altered.
    """

    convert: Any
    count: Callable[[c_ast.InitList, Array, Scope], int | None]
    exports: Exports = field(default_factory=Exports)
    layouts: Layouts | None = None
    hint: str = ""
    anonymous: int = 0
    complete_records: dict[tuple[str, str, str], Record] = field(default_factory=dict)
    known: dict[int, tuple[Any, CType]] = field(default_factory=dict)
    synonyms: dict[int, tuple[Any, CType]] = field(default_factory=dict)

    @singledispatchmethod
    def build(self, node: Any, scope: Scope) -> CType:
        """The type a pycparser declarator stands for."""
        raise TypeError(f"{type(node).__name__} declares nothing")

    @build.register(c_ast.TypeDecl)
    def _TypeDecl(self, node: c_ast.TypeDecl, scope: Scope) -> CType:
        ctype = self._qualify(self.build(node.type, scope), node.quals)
        if self.layouts is not None and self.layouts.has_other_meaning(node):
            return Named(MEANING, ctype, altered=True)
        return ctype

    @build.register(c_ast.Typename)
    def _Typename(self, node: c_ast.Typename, scope: Scope) -> CType:
        return self.build(node.type, scope)

    @build.register(c_ast.Typedef)
    def _Typedef(self, node: c_ast.Typedef, scope: Scope) -> CType:
        return self.build(node.type, scope)

    @build.register(c_ast.Decl)
    def _Decl(self, node: c_ast.Decl, scope: Scope) -> CType:
        return self.build(node.type, scope)

    @build.register(c_ast.IdentifierType)
    def _IdentifierType(self, node: c_ast.IdentifierType, scope: Scope) -> CType:
        if len(node.names) == 1 and node.names[0] in scope.typedefs:
            return self._completed(scope.typedefs[node.names[0]])
        return arithmetic(node.names)

    def typedef(self, node: c_ast.Typedef, scope: Scope) -> CType:
        """Declare a typedef name; one of a variable length, which kernels cannot name, is as good as its type."""
        if id(node) not in self.known:
            nameless, is_direct = _nameless(node.type)
            outer, self.hint = self.hint, "" if is_direct else node.name
            ctype = self.build(node.type, scope)
            self.hint = outer
            altered = self.layouts is not None and self.layouts.is_altered_name(node)
            if altered or not variable_lengths(ctype) or not can_be_repeated(ctype):
                taken = is_cuda_name(node.name) or is_library_name(node.name) or self._has_own_name(nameless)
                exported = self._named_outside(node.name, scope, taken)
                ctype = Named(node.name, ctype, exported=exported, altered=altered)
            if is_direct:
                self.synonyms.setdefault(id(nameless), (nameless, ctype))
            self.known[id(node)] = (node, ctype)
        scope.declare_type(node.name, self.known[id(node)][1])
        return scope.typedefs[node.name]

    def _has_own_name(self, nameless: Any) -> bool:
        """Whether kernels know a type without a tag by a name that the program does not know."""
        return nameless is not None and bool(getattr(resolve(self.known[id(nameless)][1]), "exported", ""))

    @build.register(c_ast.PtrDecl)
    def _PtrDecl(self, node: c_ast.PtrDecl, scope: Scope) -> CType:
        quals = node.quals or []
        return Pointer(self.build(node.type, scope), "const" in quals, "restrict" in quals)

    @build.register(c_ast.ArrayDecl)
    def _ArrayDecl(self, node: c_ast.ArrayDecl, scope: Scope) -> CType:
        length: Expr | None = None
        if node.dim is not None and not (isinstance(node.dim, c_ast.ID) and node.dim.name == "*"):
            length = self.convert(node.dim, scope)
        return Array(self.build(node.type, scope), length)

    @build.register(c_ast.FuncDecl)
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

    @build.register(c_ast.Struct)
    def _Struct(self, node: Any, scope: Scope) -> CType:
        return self._record("struct", node, scope)

    @build.register(c_ast.Union)
    def _Union(self, node: Any, scope: Scope) -> CType:
        return self._record("union", node, scope)

    def _record(self, keyword: str, node: Any, scope: Scope) -> CType:
        key = f"{keyword} {node.name}"
        if node.decls is None:
            return self._mentioned(key, Record(keyword, node.name, None), scope)
        if id(node) not in self.known:
            self.known[id(node)] = (node, self._defined(key, keyword, node, scope))
        record = self.known[id(node)][1]
        if node.name is not None:
            scope.tags[key] = record
        elif id(node) in self.synonyms:
            return self.synonyms[id(node)][1]
        return record

    def _mentioned(self, key: str, unknown: Record, scope: Scope) -> CType:
        """A record or enumeration known by its tag; the first mention of a tag inside a function declares it there."""
        if key not in scope.tags and (scope.function or is_cuda_name(unknown.tag)):
            scope.tags[key] = replace(unknown, exported=self._exported(key, unknown.tag, scope))
        return self.complete(scope.tags.get(key, unknown))

    def _defined(self, key: str, keyword: str, node: Any, scope: Scope) -> Record:
        tag, exported = node.name, self._exported(key, node.name, scope)
        if tag is None:
            self.anonymous += 1
            tag = f"<anonymous {self.anonymous}>"
        else:
            scope.tags[key] = Record(keyword, tag, None, exported=exported)
        hint, self.hint = self.hint, ""
        fields = tuple(
            Field(
                member.name or "",
                self.build(member.type, scope),
                constant(self.convert(member.bitsize, scope)) if member.bitsize else None,
            )
            for member in node.decls
            if isinstance(member, c_ast.Decl)
        )
        self.hint = hint
        altered = self.layouts is not None and self.layouts.is_altered(node)
        align = self.layouts.alignment(node) if self.layouts is not None else 0
        record = Record(keyword, tag, fields, exported=exported, altered=altered, align=align)
        self.complete_records[(keyword, tag, exported)] = record
        return record

    def _exported(self, key: str, tag: str | None, scope: Scope) -> str:
        """The file-scope name of a type defined here, '' if it needs none.

        It has one already where its tag was mentioned before in the same block.
        """
        if tag is None:
            return self.exports.name(scope.function, self.hint, "" if scope.function else "type") if self.hint else ""
        declared = scope.tags.maps[0].get(key)
        if declared is not None:
            return getattr(declared, "exported", "")
        return self._named_outside(tag, scope, is_cuda_name(tag))

    def _named_outside(self, name: str, scope: Scope, taken: bool) -> str:
        """The name for kernels of what is declared here: another where a function declares it or CUDA has taken it."""
        if scope.function:
            return self.exports.name(scope.function, name)
        return self.exports.name("accache", name) if taken else ""

    @build.register(c_ast.Enum)
    def _Enum(self, node: c_ast.Enum, scope: Scope) -> CType:
        key = f"enum {node.name}"
        if node.values is None:
            return scope.tags.get(key, Enum(node.name))
        if id(node) not in self.known:
            self.known[id(node)] = (node, self._enumeration(key, node, scope))
        enum = self.known[id(node)][1]
        assert isinstance(enum, Enum)
        for item, (exported, value) in zip(node.values.enumerators, enum.values, strict=True):
            ctype = _type_of_constant(value, enum)
            scope.declare_constant(item.name, Enumerator(value, exported if exported != item.name else "", ctype))
        if node.name is not None:
            scope.tags[key] = enum
        elif id(node) in self.synonyms:
            return self.synonyms[id(node)][1]
        return enum

    def _enumeration(self, key: str, node: c_ast.Enum, scope: Scope) -> Enum:
        values: list[tuple[str, int | None]] = []
        following: int | None = 0
        for item in node.values.enumerators:
            if item.value is not None:
                following = constant(self.convert(item.value, scope))
            taken = is_cuda_name(item.name) or is_library_name(item.name)
            exported = self._named_outside(item.name, scope, taken)
            scope.declare_constant(item.name, Enumerator(following, exported))
            values.append((exported or item.name, following))
            following = None if following is None else following + 1
        exported = self._exported(key, node.name, scope) if scope.function or node.name else ""
        altered = self.layouts is not None and self.layouts.is_altered(node)
        return Enum(node.name or "", tuple(values), exported=exported, altered=altered)

    @build.register(c_ast.TypeOf)
    def _TypeOf(self, node: Any, scope: Scope) -> CType:
        return UNKNOWN

    @build.register(c_ast.AttributedType)
    def _AttributedType(self, node: Any, scope: Scope) -> CType:
        return self.build(node.type, scope)

    def declared(self, node: c_ast.Decl, scope: Scope) -> CType:
        """The type of a declaration; an array without a length takes it from its initialiser."""
        outer, self.hint = self.hint, node.name or ""
        ctype = self.build(node.type, scope)
        self.hint = outer
        if not isinstance(ctype, Array) or ctype.length is not None:
            return ctype
        before = scope.variables.get(node.name)
        if node.init is None and before is not None and isinstance(before.type, Array):
            return before.type
        count = self._initialised(node.init, ctype, scope)
        if count is None:
            return ctype
        return replace(ctype, length=self.convert(c_ast.Constant("int", str(count), node.coord), scope))

    def _initialised(self, init: Any, ctype: Array, scope: Scope) -> int | None:
        """How many elements an initialiser gives an array; None if it does not say."""
        if isinstance(init, c_ast.InitList):
            return self.count(init, ctype, scope)
        is_string = isinstance(init, c_ast.Constant) and init.type == "string"
        return constant(string_type(init.value).length) if is_string else None

    def parameter(self, node: Any, scope: Scope) -> CType:
        """A parameter's type: an array becomes a pointer, qualified by the words in its brackets."""
        ctype = self.build(node, scope)
        if not isinstance(ctype, Array):
            return ctype
        words = getattr(node, "dim_quals", None) or []
        return Pointer(ctype.element, "const" in words, "restrict" in words)

    def parameter_length(self, node: Any, scope: Scope) -> Expr | None:
        """The length that a parameter is declared with as an array, which C does not look at; None without one."""
        ctype = resolve(self.build(node, scope))
        return ctype.length if isinstance(ctype, Array) else None

    def complete(self, ctype: CType) -> CType:
        """A record's definition where only its tag was known when the type was written."""
        if not isinstance(ctype, Record) or ctype.fields is not None:
            return ctype
        found = self.complete_records.get((ctype.keyword, ctype.tag, ctype.exported), ctype)
        return replace(found, const=True) if ctype.const else found

    def _completed(self, ctype: CType) -> CType:
        """The same of what a typedef name stands for, which may be defined behind it."""
        if isinstance(ctype, Named):
            inner = self._completed(ctype.type)
            return ctype if inner is ctype.type else replace(ctype, type=inner)
        return self.complete(ctype)

    @staticmethod
    def _qualify(ctype: CType, quals: list[str] | None) -> CType:
        if not quals:
            return ctype
        plain = resolve(ctype)
        if isinstance(plain, Array) and not getattr(ctype, "altered", False):  # it is its elements that are qualified
            return replace(plain, element=TypeBuilder._qualify(plain.element, quals))
        known = {qualifier: True for qualifier in quals if qualifier in ctype.__struct_fields__}
        return replace(ctype, **known)


def _nameless(node: Any) -> tuple[Any, bool]:
    """The type without a tag that a declarator's specifiers define, if they do, and whether the declarator is it."""
    is_direct = isinstance(node, c_ast.TypeDecl)
    while isinstance(node, (c_ast.TypeDecl, c_ast.PtrDecl, c_ast.ArrayDecl, c_ast.FuncDecl)):
        node = node.type
    is_nameless = isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum)) and node.name is None
    return (node, is_direct) if is_nameless else (None, False)


def _type_of_constant(value: int | None, enum: Enum) -> Arithmetic | None:
    """The type of an enumeration's constant, which is not as long as it is in C++; None for plain enumerations.

    What fits into an int is one (C17 6.7.2.2; gcc from 13 on differs), other constants have the enumeration's type.
    """
    if all(other is None or holds(INT, other) for _, other in enum.values):
        return None
    return INT if value is None or holds(INT, value) else underlying(enum)


def string_type(spelling: str) -> Array:
    """The array that a string literal is (C17 6.4.5)."""
    prefix, body = spelling[: spelling.index('"')], spelling[spelling.index('"') + 1 : -1]
    element = CHARACTERS[prefix]
    count = sum(_units(part, element.size) for part in ESCAPE.findall(body)) + 1
    return Array(element, IntLiteral(INT, Location("", 0), count, str(count)))


def _units(character: str, size: int) -> int:
    """How many elements of a string one of its characters takes."""
    if character.startswith("\\"):
        if character[1] not in "uU":
            return 1
        character = chr(int(character[2:], 16))
    errors = "surrogateescape" if size == 1 else "surrogatepass"  # of a file that is not UTF-8
    return len(character.encode({1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[size], errors)) // size
