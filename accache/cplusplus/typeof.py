"""Types that C++ would take otherwise from an expression: those of ``typeof`` and ``__auto_type``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycparser import c_ast

from accache.cplusplus.output import Edits
from accache.frontend.source.alignment import Unit
from accache.frontend.source.gnu import TYPEOF
from accache.frontend.source.tokens import tokenise

_SMALLER = frozenset(("!", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "?"))


def check_deduced_types(unit: Unit, tree: Any, edits: Edits) -> None:
    """Refuse types of characters, truth values and conditionals, which may be smaller in C++, and of enumerations.

    Arithmetic on a variable of an enumeration's type gets casts in C++, which one of a deduced type would lack.
    """
    enumerations: frozenset[str] | None = None
    for index, text in enumerate(unit.tokens):
        if text != TYPEOF or not unit.is_main(index):
            continue
        operand = _operand(unit, index)
        if enumerations is None:
            enumerations = _enumerations(tree)
        if _may_be_smaller(operand):
            edits.refuse("ACC511", index, what="the type of a character, a truth value or a conditional")
        elif not enumerations.isdisjoint(operand):
            edits.refuse("ACC508", index, name="the type of an enumeration, by an expression")


def _enumerations(tree: Any) -> frozenset[str]:
    """The names that variables, parameters, members and functions of enumerations have anywhere."""
    types: set[str] = set()
    found: set[str] = set()
    stack = [tree] if tree is not None else []
    while stack:
        node = stack.pop()
        if isinstance(node, (c_ast.Typedef, c_ast.Decl)) and node.name and _is_enumeration(node.type, types):
            (types if isinstance(node, c_ast.Typedef) else found).add(node.name)
        stack += [child for _, child in reversed(node.children())]
    return frozenset(found)


def _is_enumeration(node: Any, types: set[str]) -> bool:
    """Whether a declarator leads to an enumeration."""
    while isinstance(node, (c_ast.TypeDecl, c_ast.PtrDecl, c_ast.ArrayDecl, c_ast.FuncDecl)):
        node = node.type
    return isinstance(node, c_ast.Enum) or (isinstance(node, c_ast.IdentifierType) and not types.isdisjoint(node.names))


def _operand(unit: Unit, index: int) -> Sequence[str]:
    """The tokens that the type at a token is taken from."""
    span = unit.origins[index].span
    if span is None:
        return ()
    written = [token.text for token in tokenise(unit.source, span.start, span.end)]
    if written != ["__auto_type"]:
        return written[2:-1]
    start = index
    while unit.tokens[start] not in ("=", ";"):
        start += 1
    return unit.tokens[start + 1 : unit.end(start + 1) + 1]


def _may_be_smaller(tokens: Sequence[str]) -> bool:
    """Whether an expression may be an int to C and a char, a bool or a short to C++.

    What stands in subscripts and arguments is not looked at.
    """
    inner: list[bool] = []  # of each open bracket, whether it is a subscript or argument list
    before = ""
    for text in tokens:
        if text in ("(", "["):
            inner.append(text == "[" or before.isidentifier())
        elif text in (")", "]") and inner:
            inner.pop()
        elif not any(inner) and (text in _SMALLER or text.startswith("'")):
            return True
        before = text
    return False
