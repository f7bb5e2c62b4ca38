"""Which pointers of a function get addresses that are computed from other variables.

Such a pointer may be based on a ``restrict`` pointer (C17 6.7.3.1), and reach what that one reaches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

ALLOCATORS = frozenset(("malloc", "calloc", "aligned_alloc", "alloca", "acc_malloc"))
"""Functions whose results are based on none of their arguments."""


def derived_names(function: c_ast.FuncDef) -> frozenset[str]:
    """The variables, as they are spelled, that a function gives a value which depends on another variable.

    Subscripts, sizes and the arguments of allocations do not count.
    """
    return frozenset(name for name, value in _given(function.body) if any(other != name for other in _names(value)))


def stored_names(function: c_ast.FuncDef) -> frozenset[str]:
    """The variables, as they are spelled, on which what a function stores in memory or hands to others may depend."""
    return frozenset(name for value in _stored(function.body) for name in _names(value))


def _stored(node: Any) -> Iterator[Any]:
    """The values that go into memory, or to other functions."""
    if isinstance(node, c_ast.Assignment) and not isinstance(node.lvalue, c_ast.ID):
        yield node.rvalue
    elif isinstance(node, (c_ast.InitList, c_ast.FuncCall)):
        yield node
    for _, child in node.children():
        yield from _stored(child)


def _given(node: Any) -> Iterator[tuple[str, Any]]:
    """The variables that get values, with these; one whose address is taken may get any."""
    if isinstance(node, c_ast.Decl) and node.init is not None:
        yield node.name, node.init
    elif isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ID):
        yield node.lvalue.name, node.rvalue
    elif isinstance(node, c_ast.UnaryOp) and node.op == "&" and isinstance(node.expr, c_ast.ID):
        yield node.expr.name, c_ast.ID("")
    for _, child in node.children():
        yield from _given(child)


def _names(value: Any) -> Iterator[str]:
    """The variables that an address may be computed from."""
    if isinstance(value, c_ast.ID):
        yield value.name
    elif isinstance(value, c_ast.ArrayRef):
        yield from _names(value.name)
    elif isinstance(value, c_ast.FuncCall):
        is_allocation = isinstance(value.name, c_ast.ID) and value.name.name in ALLOCATORS
        if value.args is not None and not is_allocation:
            yield from _names(value.args)
    elif isinstance(value, c_ast.StructRef):
        yield from _names(value.name)
    elif isinstance(value, c_ast.Cast):
        yield from _names(value.expr)
    elif not (isinstance(value, c_ast.UnaryOp) and value.op == "sizeof"):
        for _, child in value.children():
            yield from _names(child)
