"""Walks declarations and statements for what C++ forbids there: scopes, tags, linkage, jumps, initialisers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.cplusplus.ends import Ends
from accache.cplusplus.initialisers import Initialisers
from accache.cplusplus.output import Edits
from accache.cplusplus.types import decayed
from accache.frontend.source.alignment import Unit, first_token
from accache.ir.types import Array, CType, Enum, Function, Named, Pointer, Record, Void, is_const, resolve

_STATEMENTS = (
    c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Case, c_ast.Default,
    c_ast.Label, c_ast.Return, c_ast.Decl, c_ast.DeclList, c_ast.Typedef, c_ast.EmptyStatement, c_ast.Goto,
    c_ast.Break, c_ast.Continue, c_ast.Pragma,
)  # fmt: skip
_TYPE_PLACES = (c_ast.Cast, c_ast.UnaryOp, c_ast.ParamList)


class Walker(Struct, dict=True):
    """Walks a translation unit in order."""

    unit: Unit
    edits: Edits
    values: Initialisers
    blocks: dict[int, list[Any]] = field(default_factory=dict)  # the statements of statement expressions
    definitions: dict[str, int] = field(default_factory=dict)  # file-scope variables that have been defined
    externs: set[str] = field(default_factory=set)
    enums: set[str | None] = field(default_factory=set)  # tags of enumerations that have been defined
    noreturn: set[str] = field(default_factory=set)  # functions that the user says do not return
    result: CType | None = None
    c_linkage: bool = False

    def __post_init__(self) -> None:
        self.values.block = self._block

    def file(self, tree: Any) -> None:
        """Every declaration and every function of the unit."""
        for node in tree.ext:
            if isinstance(node, c_ast.FuncDef):
                self._function(node)
            elif isinstance(node, (c_ast.Decl, c_ast.Typedef)):
                self._tags(node)
                self._declare(node, at_file_scope=True)

    # Declarations.

    def _declare(self, node: Any, at_file_scope: bool = False) -> None:
        values, scope = self.values, self.values.scope
        ctype = values.types.build(node.type, scope)
        self._note_enumerators(node.type)
        if node.name is None:
            return
        index = first_token(node) if node.coord is None else node.coord.line - 1
        if isinstance(node, c_ast.Typedef):
            self._typedef(node, ctype, index)
        elif isinstance(node.type, c_ast.FuncDecl) or isinstance(resolve(ctype), Function):
            self._prototype(node, ctype, index, at_file_scope)
        else:
            self._specifiers(node, index)
            if at_file_scope:
                self._global(node, ctype, index)
            self._uninitialised(node, ctype, index)
            scope.declare(node.name, ctype, at_file_scope)
            if node.init is not None:
                start = first_token(node.init) if not isinstance(node.init, c_ast.InitList) else index
                values.initialise(ctype, node.init, self._after_equals(node, index, start))

    def _after_equals(self, node: Any, name: int, start: int) -> int:
        """The token after the ``=`` of a declarator."""
        if isinstance(node.init, c_ast.InitList):
            at = name
            while self.unit.tokens[at] != "=":
                at = self.unit.pairs[at] + 1 if self.unit.tokens[at] in ("(", "[") else at + 1
            return at + 1
        while start > name and self.unit.tokens[start] != "=":
            start -= 1
        return start + 1

    def _typedef(self, node: Any, ctype: CType, index: int) -> None:
        self.values.scope.typedefs[node.name] = Named(node.name, ctype)
        for keyword in ("struct", "union", "enum"):
            tag = self.values.scope.tags.get(f"{keyword} {node.name}")
            plain = resolve(ctype)
            if tag is not None and not (isinstance(plain, (Record, Enum)) and plain.tag == node.name):
                self.edits.refuse("ACC523", index, name=node.name, what=f"a {keyword} tag and another type")

    def _note_enumerators(self, node: Any) -> None:
        for found in _nodes(node):
            if isinstance(found, c_ast.Enum) and found.values is not None:
                enum = self.values.types.build(found, self.values.scope)
                if isinstance(enum, Enum):
                    self.values.enums.update(dict.fromkeys((name for name, _ in enum.values), enum))

    def _prototype(self, node: Any, ctype: CType, index: int, at_file_scope: bool) -> None:
        values, name = self.values, node.name
        function = resolve(ctype)
        if not isinstance(function, Function):
            return
        known = values.functions.get(name)
        has_prototype = getattr(node.type, "args", True) is not None
        if known is None:
            values.functions[name] = (function, has_prototype, index)
        elif has_prototype:
            values.functions[name] = (function, True, known[2])
        if isinstance(node.type, c_ast.FuncDecl):
            self._parameters(node.type)
        if "_Noreturn" in node.funcspec:
            self.noreturn.add(name)
        self._specifiers(node, index)
        if at_file_scope and known is None and "static" not in node.storage and name != "main":
            self._give_c_linkage(index)
        elif not at_file_scope and known is None and not self.c_linkage:
            self.edits.refuse("ACC525", index, name=name)

    def _give_c_linkage(self, index: int) -> None:
        """Put ``extern "C"`` before a function's first declaration, if that stands in the user's file."""
        start = self.unit.declaration_start(index)
        if not self.unit.is_main(start):
            return
        end, alone = self._declarators(start)
        if alone and self.unit.tokens[start] == "extern":
            self.edits.replace(start, start, 'extern "C"')
        elif (span := self.unit.origins[start].span) is not None and self.unit.origins[start].first:
            # Right behind extern "C", variables would not be defined.
            place, text = _before_attributes(self.unit, span.start), 'extern "C" '
            self.edits.insert(place, text if alone else text + "{ ", len(self.edits.source.text))
            if not alone:
                self.edits.wrap(end, end, "", " }")

    def _declarators(self, start: int) -> tuple[int, bool]:
        """The last token of the declaration that starts at a token, and whether it declares but one name."""
        alone, at = True, start
        while at < len(self.unit.tokens) - 1 and self.unit.tokens[at] != ";":
            if self.unit.tokens[at] == "{" and self.unit.tokens[at - 1] == ")":  # the body of a function
                break
            alone = alone and self.unit.tokens[at] != ","
            at = self.unit.pairs[at] + 1 if self.unit.tokens[at] in ("(", "[", "{") else at + 1
        return at, alone

    def _parameters(self, node: c_ast.FuncDecl) -> None:
        """Array parameters: the outermost length goes if C++ does not know it, inner ones must be constant."""
        for parameter in node.args.params if node.args else ():
            if not isinstance(parameter, (c_ast.Decl, c_ast.Typename)):
                continue
            inner = parameter.type
            if isinstance(inner, c_ast.ArrayDecl):
                if inner.dim_quals or self._is_variable(inner.dim):
                    self._open_bracket(parameter)
                inner = inner.type
            for part in _nodes(inner):
                if isinstance(part, c_ast.ArrayDecl) and self._is_variable(part.dim):
                    self.edits.refuse(
                        "ACC505", max(first_token(parameter), 0), name=getattr(parameter, "name", "") or "?"
                    )
                    break
                if isinstance(part, c_ast.FuncDecl):
                    break

    def _open_bracket(self, parameter: Any) -> None:
        name = first_token(parameter) if not getattr(parameter, "name", None) else parameter.coord.line - 1
        bracket = name + 1
        while bracket < len(self.unit.tokens) and self.unit.tokens[bracket] == ")":
            bracket += 1
        if self.unit.tokens[bracket] == "[":
            self.edits.replace(bracket, self.unit.pairs[bracket], "[]")
        else:
            self.edits.refuse("ACC505", name, name=getattr(parameter, "name", "") or "?")

    def _is_variable(self, dim: Any) -> bool:
        """Whether an array length is no constant for C++ either."""
        for part in _nodes(dim) if dim is not None else ():
            if isinstance(part, c_ast.ID) and part.name not in self.values.scope.enumerators:
                known = self.values.scope.variables.get(part.name)
                if known is None or not is_const(known.type):
                    return True
        return False

    def _specifiers(self, node: Any, index: int) -> None:
        inner = node.type
        while not isinstance(inner, c_ast.TypeDecl) and hasattr(inner, "type"):
            inner = inner.type
        words: Any = getattr(inner, "type", None)
        is_int = isinstance(words, c_ast.IdentifierType) and words.names == ["int"] and words.coord is not None
        if is_int and words.coord.line - 1 == index and node.name != "main":
            self.edits.refuse("ACC516", index, name=node.name)

    def _global(self, node: Any, ctype: CType, index: int) -> None:
        """Definitions at file scope: one each, and const ones keep their external linkage."""
        if "extern" in node.storage and node.init is None:
            self.externs.add(node.name)
            return
        if node.name in self.definitions:
            self.edits.refuse("ACC518", index, name=node.name)
        self.definitions[node.name] = index
        const = ctype.const if isinstance(ctype, Pointer) else is_const(ctype)
        if not const or node.name in self.externs or {"static", "extern"} & {*node.storage}:
            return
        start = self.unit.declaration_start(index)
        span = self.unit.origins[start].span
        text = self.values.spell(ctype, self.values.rename.get(node.name, node.name))
        if self.unit.is_main(start) and span is not None and self.unit.origins[start].first:
            place = _before_attributes(self.unit, span.start)
            self.edits.insert(place, f"extern {text}; " if text else "extern ")
        else:
            self.edits.refuse("ACC502" if not self.unit.is_main(start) else "ACC501", index, text=f"extern {text};")

    def _uninitialised(self, node: Any, ctype: CType, index: int) -> None:
        if node.init is not None or "extern" in node.storage:
            return
        const = ctype.const if isinstance(ctype, Pointer) else is_const(ctype)
        plain = self.values.types.complete(resolve(ctype.element if isinstance(ctype, Array) else ctype))
        members = plain.fields or () if isinstance(plain, Record) else ()
        if const or any(
            member.type.const if isinstance(member.type, Pointer) else is_const(member.type) for member in members
        ):
            self.edits.refuse("ACC521", index, name=node.name)

    # Tags.

    def _tags(self, node: Any, enclosing: tuple[str, int] | None = None, place: str = "") -> None:
        """Types that are defined inside records, parameter lists, casts or ``sizeof``; empty and forward ones."""
        if isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum)):
            self._tag(node, enclosing, place)
            if isinstance(node, (c_ast.Struct, c_ast.Union)) and node.decls is not None:
                enclosing, place = (node.name or "a struct without a name", self._brace(node)), ""
        elif isinstance(node, _TYPE_PLACES) and (
            not isinstance(node, c_ast.UnaryOp) or node.op in ("sizeof", "_Alignof")
        ):
            place = {"Cast": "a cast", "UnaryOp": "sizeof", "ParamList": "a parameter list"}[type(node).__name__]
        elif isinstance(node, c_ast.FuncDecl):
            if node.args is not None:
                self._tags(node.args, enclosing, place)
            self._tags(node.type, enclosing, "a result type")
            return
        for _, child in node.children():
            self._tags(child, enclosing, place)

    def _tag(self, node: Any, enclosing: tuple[str, int] | None, place: str) -> None:
        index, values = first_token(node), self.values
        is_enum = isinstance(node, c_ast.Enum)
        body = node.values if is_enum else node.decls
        keyword = type(node).__name__.lower()
        if body is None:
            values.check_nested(f"{keyword} {node.name}", index)
            if is_enum and node.name not in self.enums:
                self.edits.refuse("ACC528", index, name=node.name)
            return
        if is_enum:
            self.enums.add(node.name)
        if place:
            self.edits.refuse("ACC520", index, place=place)
        if not is_enum and not any(isinstance(item, c_ast.Decl) for item in body):
            self.edits.refuse("ACC519", index, name=f"{keyword} {node.name or ''}".strip())
        if enclosing is not None:
            names = [item.name for item in body.enumerators] if is_enum else []
            names += [f"{keyword} {node.name}"] if node.name else []
            for name in names:
                values.nested[name] = (enclosing[0], enclosing[1], self.unit.pairs.get(enclosing[1], 0))
        if not is_enum:
            self._members(body)
        if node.name and self._is_taken(node.name, keyword):
            self.edits.refuse("ACC523", index, name=node.name, what=f"a {keyword} tag and another name")

    def _is_taken(self, tag: str, keyword: str) -> bool:
        """Whether a tag hides, in C++ only, an ordinary name: a variable of an outer scope, or another type."""
        scope = self.values.scope
        if tag in scope.typedefs:
            plain = resolve(scope.typedefs[tag])
            return not (isinstance(plain, (Record, Enum)) and plain.tag == tag)
        return tag in scope.variables and tag not in scope.variables.maps[0]

    def _members(self, members: Sequence[Any]) -> None:
        used: set[str] = set()
        for member in members:
            for part in _nodes(member):
                if isinstance(part, c_ast.IdentifierType):
                    used.update(part.names)
            name = getattr(member, "name", None)
            if name and name in used and name in self.values.scope.typedefs:
                self.edits.refuse("ACC523", first_token(member), name=name, what="a type and a member in one struct")

    def _brace(self, node: Any) -> int:
        index = first_token(node) if node.coord is None else node.coord.line - 1
        while self.unit.tokens[index] != "{":
            index += 1
        return index

    # Functions.

    def _function(self, node: c_ast.FuncDef) -> None:
        self._tags(node.decl)
        if node.param_decls:
            self.edits.refuse("ACC509", node.decl.coord.line - 1, name=node.decl.name)
            return
        self._declare(node.decl, at_file_scope=True)
        function, _, start = self.values.functions[node.decl.name]
        if self.unit.origins[node.decl.coord.line - 1].system:
            return
        self.result = function.result
        self.c_linkage = "static" not in node.decl.storage and node.decl.name != "main" and self.unit.is_main(start)
        outer, self.values.scope = self.values.scope, self.values.scope.enter()
        for parameter in node.decl.type.args.params if node.decl.type.args else ():
            if isinstance(parameter, c_ast.Decl) and parameter.name:
                ctype = self.values.types.parameter(parameter.type, self.values.scope)
                self.values.scope.declare(parameter.name, ctype)
        self._tags(node.body)
        self._items(node.body.block_items or [])
        self.values.scope = outer
        check_jumps(node.body, self.edits)
        if node.decl.name != "main" and not isinstance(resolve(self.result), Void):
            self._end_with_return(node.body)

    def _end_with_return(self, body: c_ast.Compound) -> None:
        """A function with a result must not fall off its end, even where nobody uses the value."""
        if not Ends(self.values.constant, frozenset(self.noreturn)).reached(body):
            return
        close = self.unit.pairs[self._brace(body)]
        span, text = self.unit.raw(close, close), self.edits.source.text
        line = text.rfind("\n", 0, span.start) + 1 if span is not None else 0
        if span is None or text[line : span.start].strip():
            self.edits.wrap(close, close, "return {}; ")
        else:
            self.edits.insert(line, f"{text[line : span.start]}    return {{}};\n")

    def _items(self, nodes: Sequence[Any]) -> None:
        for node in nodes:
            self._statement(node)

    def _scoped(self, *nodes: Any) -> None:
        outer, self.values.scope = self.values.scope, self.values.scope.enter()
        self._items(nodes)
        self.values.scope = outer

    def _statement(self, node: Any) -> None:
        if isinstance(node, (c_ast.Decl, c_ast.Typedef)):
            self._declare(node)
        elif isinstance(node, c_ast.Compound):
            self._scoped(*(node.block_items or []))
        elif isinstance(node, c_ast.For):
            self._for(node)
        elif isinstance(node, c_ast.Return):
            if node.expr is None and not isinstance(self.result and resolve(self.result), Void):
                self.edits.refuse("ACC508", first_token(node), name="return without a value")
            if node.expr is not None:
                self.values.convert(self.result, node.expr, first_token(node) + 1)
        elif isinstance(node, _STATEMENTS):
            for _, child in node.children():
                self._statement(child)
        elif isinstance(node, c_ast.ExprList):
            for item in node.exprs:
                self._statement(item)
        elif not self.values.step_enum(node):
            self.values.value(node)

    def _block(self, index: int) -> CType | None:
        """Walk a statement expression by its token; the type of its value."""
        items = self.blocks.get(index, [])
        outer, self.values.scope = self.values.scope, self.values.scope.enter()
        for item in items:
            self._tags(item)
        self._items(items[:-1])
        is_value = bool(items) and not isinstance(items[-1], _STATEMENTS)
        result = self.values.value(items[-1]) if is_value else None
        self._items(items[-1:] if not is_value else [])
        self.values.scope = outer
        return decayed(result) if result is not None else None

    def _for(self, node: c_ast.For) -> None:
        outer, self.values.scope = self.values.scope, self.values.scope.enter()
        names = [decl.name for decl in node.init.decls] if isinstance(node.init, c_ast.DeclList) else []
        for item in (node.stmt.block_items or []) if isinstance(node.stmt, c_ast.Compound) else ():
            if isinstance(item, c_ast.Decl) and item.name in names:
                what = "a variable of the for statement and one of its body"
                self.edits.refuse("ACC523", item.coord.line - 1, name=item.name, what=what)
        self._items([child for child in (node.init, node.cond, node.next, node.stmt) if child is not None])
        self.values.scope = outer


def check_jumps(body: Any, edits: Edits) -> None:
    """Refuse jumps into the scope of a variable past its initialisation."""
    labels: dict[str, dict[int, str]] = {}
    jumps: list[tuple[Any, str, dict[int, str]]] = []

    def walk(node: Any, live: dict[int, str], switch: dict[int, str]) -> None:
        if isinstance(node, c_ast.Decl):
            if node.init is not None and not {"static", "extern"} & {*node.storage}:
                live[id(node)] = node.name
            return
        if isinstance(node, (c_ast.Case, c_ast.Default)):
            _report_jump(node, live, switch, edits)
        elif isinstance(node, c_ast.Label):
            labels[node.name] = dict(live)
        elif isinstance(node, c_ast.Goto):
            jumps.append((node, node.name, dict(live)))
        elif isinstance(node, c_ast.Switch):
            switch = dict(live)
        if isinstance(node, (c_ast.Compound, c_ast.For)):
            live = dict(live)
        for _, child in node.children():
            walk(child, live, switch)

    walk(body, {}, {})
    for node, label, live in jumps:
        _report_jump(node, labels.get(label, {}), live, edits)


def _report_jump(node: Any, there: dict[int, str], here: dict[int, str], edits: Edits) -> None:
    missed = [name for key, name in there.items() if key not in here]
    if missed:
        edits.refuse("ACC510", first_token(node), name=missed[0])


def _before_attributes(unit: Unit, offset: int) -> int:
    """The start of a raw declaration: words that the preprocessor's output lacks (attributes) belong to it."""
    text = unit.source.text
    start = offset
    while True:
        before = text[:start].rstrip()
        if before.endswith("))") and (at := before.rfind("__attribute__")) >= 0 and "((" in before[at:]:
            if any(mark in before[at:] for mark in ";{}"):
                return start
            start = at
        elif before.endswith("__extension__"):
            start = len(before) - len("__extension__")
        else:
            return start


def _nodes(root: Any) -> Iterator[Any]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(child for _, child in reversed(node.children()))
