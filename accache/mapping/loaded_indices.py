"""Integers that a kernel loads from memory that it does not write, as variables: each may be any number.

Before: ``b[i] = a[at[i]]``, whose subscript is no polynomial. After: ``b[i] = a[<loaded 0>]``. Of one iteration equal
variables have equal values; those of two iterations differ. This is for analyses, and nothing of it is emitted.
"""

from __future__ import annotations

from accache.analysis.uniformity import written_arrays
from accache.ir.openacc.atomics import same
from accache.ir.tree import Assign, Expr, Stmt, Subscript, Unary, Variable
from accache.ir.types import Array, is_integer, resolve
from accache.ir.walk import nodes_of, rewrite

_LOADED = "<loaded "


def with_loaded_indices(kernel: Stmt) -> Stmt:
    """A kernel with variables for the integers that it only reads."""
    written = written_arrays(kernel)
    known: list[Expr] = []
    places = {id(node.operand) for node in nodes_of(kernel, Unary) if node.op == "&"}
    places |= {id(node.target) for node in nodes_of(kernel, Assign)}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, Subscript) or id(node) in places or not is_integer(node.type):
            return node
        if isinstance(resolve(node.type), Array) or _array(node) in ("", *written):
            return node
        place = next((place for place, other in enumerate(known) if same(node, other)), len(known))
        if place == len(known):
            known.append(node)
        return Variable(node.type, node.location, f"{_LOADED}{place}>")

    result = rewrite(kernel, change)
    assert isinstance(result, Stmt)
    return result


def is_loaded(name: str) -> bool:
    """Whether a variable stands for an integer that is loaded."""
    return name.startswith(_LOADED)


def _array(expr: Expr) -> str:
    """The variable that an element's subscripts begin at; '' if there is none."""
    while isinstance(expr, Subscript):
        expr = expr.base
    return expr.name if isinstance(expr, Variable) else ""
