"""The first and last tokens of expressions, which pycparser's nodes do not have."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from accache.frontend.source.alignment import Unit, first_token

_ALWAYS_ENCLOSED = (c_ast.TernaryOp, c_ast.Assignment, c_ast.ExprList)


def operand_extent(unit: Unit, node: Any) -> tuple[int, int] | None:
    """First and last token of an operand of a unary or binary operator; None where they cannot be told.

    A conditional, an assignment and a comma expression are operands only in parentheses, which are included.
    """
    if isinstance(node, _ALWAYS_ENCLOSED):
        return _enclosing(unit, node)
    if isinstance(node, (c_ast.ID, c_ast.Constant)):
        return first_token(node), first_token(node)
    if isinstance(node, (c_ast.ArrayRef, c_ast.StructRef, c_ast.FuncCall)):
        return _postfix(unit, node)
    if isinstance(node, c_ast.UnaryOp) and not isinstance(node.expr, c_ast.Typename):
        return _unary(unit, node)
    if isinstance(node, c_ast.Cast):
        inner = _opened(unit, operand_extent(unit, node.expr))
        return inner and (first_token(node), inner[1])
    return None


def _postfix(unit: Unit, node: Any) -> tuple[int, int] | None:
    base = _closed(unit, operand_extent(unit, node.name))
    if base is None:
        return None
    following = base[1] + 1
    if isinstance(node, c_ast.StructRef):
        return base[0], following + 1
    return (base[0], unit.pairs[following]) if unit.tokens[following] in ("[", "(") else None


def _unary(unit: Unit, node: c_ast.UnaryOp) -> tuple[int, int] | None:
    inner = operand_extent(unit, node.expr)
    if node.op.startswith("p"):
        base = _closed(unit, inner)
        return base and (base[0], base[1] + 1)
    operand = _opened(unit, inner)
    return (operand[0] - 1, operand[1]) if operand and unit.tokens[operand[0] - 1] == node.op else None


def _closed(unit: Unit, extent: tuple[int, int] | None) -> tuple[int, int] | None:
    """An expression before a postfix operator, with its parentheses."""
    while extent is not None and unit.tokens[extent[1] + 1] == ")":
        extent = _wider(unit, extent)
    return extent


def _opened(unit: Unit, extent: tuple[int, int] | None) -> tuple[int, int] | None:
    """An expression behind a prefix operator or a cast, with its parentheses."""
    while extent is not None and unit.tokens[extent[0] - 1] == "(":
        extent = _wider(unit, extent)
    return extent


def _wider(unit: Unit, extent: tuple[int, int]) -> tuple[int, int] | None:
    start, end = extent
    return (start - 1, end + 1) if unit.pairs.get(start - 1) == end + 1 else None


def _enclosing(unit: Unit, node: Any) -> tuple[int, int] | None:
    """The parentheses right around an expression."""
    last = _last_token(node)
    for index in range(first_token(node) - 1, -1, -1):
        if unit.tokens[index] in (";", "{", "}"):
            return None
        if unit.tokens[index] == "(" and unit.pairs.get(index, 0) > last:
            return index, unit.pairs[index]
    return None


def _last_token(node: Any) -> int:
    """The last token in an expression that a node has its place at."""
    own = node.coord.line - 1 if node.coord else 0
    return max([own, *(_last_token(child) for _, child in node.children())])
