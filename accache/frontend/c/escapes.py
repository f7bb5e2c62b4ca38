"""Whether the address of a variable's memory stays in the function that has it: nobody else can put it on a device."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from accache.frontend.c.calls import NOT_OURS, called_functions
from accache.frontend.c.derivations import ALLOCATORS
from accache.frontend.c.lengths import changes_in
from accache.frontend.source.gnu import STATEMENT_EXPRESSION

_LASTING = re.compile(r"\b(?:enter|exit|declare|init|set|shutdown)\b")
"""Words of directives that do not end with the function they stand in."""
_COMPARING = ("==", "!=")


class Escapes(Struct, frozen=True):
    """Asks the functions of a file what they do with addresses; those of the ``library`` keep none.

    What functions that are ``returning`` give back may be an address that they were handed.
    """

    functions: dict[str, c_ast.FuncDef]
    library: frozenset[str]
    returning: frozenset[str]
    scalars: frozenset[str]
    directives: dict[str, str | None] = field(default_factory=dict)
    keeping: dict[tuple[str, int], bool] = field(default_factory=dict)

    def stays(self, node: Any, name: str, depth: int) -> bool:
        """Whether below a node the memory of a variable is only accessed, by ``depth`` subscripts, or lent out.

        It is lent to functions of the library, and to those of the file that have no directives and do not keep it.
        """
        if isinstance(node, c_ast.ID):
            return node.name not in (name, STATEMENT_EXPRESSION)
        if isinstance(node, c_ast.UnaryOp) and node.op == "sizeof":
            return True
        if isinstance(node, c_ast.FuncCall):
            return self._is_lent(node, name, depth, is_used=True)
        if isinstance(node, c_ast.Compound):
            items = node.block_items or []
            calls = [item for item in items if isinstance(item, c_ast.FuncCall)]
            rest = [item for item in items if not isinstance(item, c_ast.FuncCall)]
            return all(self._is_lent(item, name, depth, is_used=False) for item in calls) and all(
                self.stays(item, name, depth) for item in rest
            )
        if isinstance(node, c_ast.Assignment) and _is(node.lvalue, name):
            return node.op == "=" and _is_fresh(node.rvalue)
        if isinstance(node, c_ast.Decl) and node.name == name and not isinstance(node.type, c_ast.ArrayDecl):
            return node.init is None or _is_fresh(node.init)
        parts = [child for _, child in node.children()]
        if isinstance(node, c_ast.BinaryOp) and node.op in _COMPARING:
            parts = [part for part in parts if not _is(part, name)]
        elif isinstance(node, c_ast.UnaryOp) and node.op == "!" and _is(node.expr, name):
            return True
        elif isinstance(node, c_ast.UnaryOp) and node.op == "&" and _indices(_whole(node.expr), name) is not None:
            return False
        elif (indices := _indices(node, name)) is not None:
            return len(indices) == depth and all(self.stays(part, name, depth) for part in indices)
        return all(self.stays(part, name, depth) for part in parts)

    def _is_lent(self, call: c_ast.FuncCall, name: str, depth: int, *, is_used: bool) -> bool:
        """Whether a call keeps no address of the variable's memory, and returns none where its value ``is_used``."""
        arguments = call.args.exprs if call.args is not None else []
        lent = [number for number, item in enumerate(arguments) if _is_address(item, name, depth)]
        others = [item for number, item in enumerate(arguments) if number not in lent]
        if not all(self.stays(item, name, depth) for item in (call.name, *others)):
            return False
        if not lent:
            return True
        callee = call.name.name if isinstance(call.name, c_ast.ID) else ""
        gets_function = any(isinstance(item, c_ast.ID) and item.name in self.functions for item in arguments)
        if gets_function or (is_used and callee in self.returning):
            return False
        if callee not in self.functions:
            return callee in self.library
        return self.is_passing(callee) and not any(self._keeps(callee, number) for number in lent)

    def is_quiet(self, name: str) -> bool:
        """Whether a function of the file, with all that it calls, has no directives and does nothing to a device."""
        return self._directives(name) == ""

    def is_passing(self, name: str) -> bool:
        """Whether a function of the file, with all that it calls, leaves no data on a device that was not there."""
        directives = self._directives(name)
        return directives is not None and _LASTING.search(directives) is None

    def _directives(self, name: str) -> str | None:
        """All directives in a function and those that it calls; None if it calls what nobody here knows."""
        if name not in self.directives:
            reached, pending = {name}, [name]
            texts: list[str] = []
            while pending:
                body = self.functions[pending.pop()].body
                texts += _directives(body)
                called = {item for item in called_functions(body) if not item.startswith(NOT_OURS)} - self.library
                pending += called.intersection(self.functions) - reached
                reached |= called
            self.directives[name] = "\n".join(texts) if reached <= self.functions.keys() else None
        return self.directives[name]

    def _keeps(self, name: str, number: int) -> bool:
        """Whether a function may keep the address in one of its arguments."""
        key = name, number
        if key not in self.keeping:
            self.keeping[key] = True
            function = self.functions[name]
            listed = function.decl.type.args.params if function.decl.type.args else ()
            parameter = listed[number] if number < len(listed) else None
            if not isinstance(parameter, c_ast.Decl):
                return True
            depth = self._depth(parameter.type)
            is_alone = declared_once(function, parameter.name)
            self.keeping[key] = not (depth and is_alone and self.stays(function.body, parameter.name, depth))
        return self.keeping[key]

    def _depth(self, declarator: Any) -> int:
        """How many subscripts lead from a parameter to a value; 0 where that is not plain."""
        depth = 0
        while isinstance(declarator, (c_ast.PtrDecl, c_ast.ArrayDecl)):
            if depth and isinstance(declarator, c_ast.PtrDecl):
                return 0
            declarator, depth = declarator.type, depth + 1
        specifiers = declarator.type if isinstance(declarator, c_ast.TypeDecl) else None
        is_scalar = isinstance(specifiers, c_ast.IdentifierType) and self.scalars.issuperset(specifiers.names)
        return depth if is_scalar else 0


def declared_once(function: c_ast.FuncDef, name: str) -> bool:
    """Whether a function, its parameters counted, declares no second variable of a name."""
    pending, found = [function.decl.type.args, function.body, *(function.param_decls or ())], 0
    while pending:
        node = pending.pop()
        if node is not None:
            found += isinstance(node, c_ast.Decl) and node.name == name
            pending += [child for _, child in node.children()]
    return found < 2


def changed_in(node: Any) -> frozenset[str]:
    """The variables that code may give another value."""
    return frozenset(changes_in(node).assigned)


def _directives(node: Any) -> Iterator[str]:
    """The texts of the directives below a node."""
    if isinstance(node, c_ast.Pragma) and str(node.string).split()[:1] == ["acc"]:
        yield str(node.string)
    for _, child in node.children():
        yield from _directives(child)


def _is(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name


def _is_fresh(value: Any) -> bool:
    """Whether a value is new memory, or no address at all."""
    while isinstance(value, c_ast.Cast):
        value = value.expr
    if isinstance(value, c_ast.Constant):
        return bool(value.value == "0")
    return isinstance(value, c_ast.FuncCall) and isinstance(value.name, c_ast.ID) and value.name.name in ALLOCATORS


def _is_address(node: Any, name: str, depth: int) -> bool:
    """Whether an argument is an address in the variable's memory."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.UnaryOp) and node.op == "&":
        return _indices(_whole(node.expr), name) is not None
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        return _is_address(node.left, name, depth) or _is_address(node.right, name, depth)
    indices = _indices(node, name)
    return indices is not None and len(indices) < depth


def _whole(node: Any) -> Any:
    """The structure around a member, or around a member's member; anything else as it is."""
    while isinstance(node, c_ast.StructRef) and node.type == ".":
        node = node.name
    return node


def _indices(node: Any, name: str) -> Sequence[Any] | None:
    """The subscripts by which an expression leads into the variable's memory; None if it does not."""
    if _is(node, name):
        return ()
    if isinstance(node, c_ast.ArrayRef):
        inner = _indices(node.name, name)
        return None if inner is None else (*inner, node.subscript)
    if not isinstance(node, c_ast.UnaryOp) or node.op != "*":
        return None
    if isinstance(node.expr, c_ast.BinaryOp) and node.expr.op in ("+", "-"):
        sides = (node.expr.left, node.expr.right), (node.expr.right, node.expr.left)
        return next(((*found, index) for side, index in sides if (found := _indices(side, name)) is not None), None)
    inner = _indices(node.expr, name)
    return None if inner is None else (*inner, c_ast.Constant("int", "0"))
