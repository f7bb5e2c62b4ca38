"""Small questions about arrays, references and kernels that cache planning asks."""

from __future__ import annotations

from collections.abc import Iterable

from accache.analysis.calls import acts, points
from accache.analysis.places import ArrayUse
from accache.analysis.walk import used_variables, walk
from accache.ir.builtins import is_pure_call
from accache.ir.polynomial import Polynomial
from accache.ir.simt import ParallelFor, TileDimension
from accache.ir.tree import STEPPING, Assign, Call, Evaluate, Expr, For, Stmt, Unary, While
from accache.ir.types import Array, CType, Pointer, element_type, exceeds_int, integer_promotion, resolve


def first_unproved(
    uses: tuple[ArrayUse, ...],
    indices: tuple[tuple[Polynomial | None, ...], ...],
    dimensions: tuple[TileDimension, ...],
) -> ArrayUse | None:
    """The first use not proved to lie in its thread's subarray."""
    return next((use for use, index in zip(uses, indices, strict=True) if not is_proved(use, index, dimensions)), None)


def is_proved(use: ArrayUse, index: tuple[Polynomial | None, ...], dimensions: tuple[TileDimension, ...]) -> bool:
    """Whether a use is proved to lie in its thread's subarray."""
    for position, dimension in zip(index, dimensions, strict=True):
        if position is None or dimension.limit is not None:
            return False
        below = position - dimension.lower
        above = dimension.lower + (dimension.length - 1) - position
        if not (use.place.proves_nonnegative(below) and use.place.proves_nonnegative(above)):
            return False
    return True


def shape(ctype: CType) -> tuple[bool, CType, tuple[Expr | None, ...]]:
    """Whether an array is flat (a pointer to elements), its element type, and its inner dimensions' lengths."""
    element = element_type(ctype) or ctype
    flat = isinstance(resolve(ctype), Pointer)
    lengths: list[Expr | None] = []
    while isinstance(resolve(element), Array):
        inner = resolve(element)
        assert isinstance(inner, Array)
        flat = False
        lengths.append(inner.length)
        element = inner.element
    return flat and not lengths, element, tuple(lengths)


def has_effect(value: Expr) -> bool:
    """Whether computing a value may do more than that."""
    return any(
        isinstance(node, Assign)
        or (isinstance(node, Call) and not _only_computes(node))
        or (isinstance(node, Unary) and node.op in STEPPING)
        for node in walk(value)
    )


def _only_computes(call: Call) -> bool:
    """Whether a call computes a value: a routine that is handed no address can do nothing else."""
    if call.callee is None:
        return is_pure_call(call.function)
    is_handed_address = any(points(argument.type) for argument in call.arguments)
    return call.callee.level == "seq" and not is_handed_address and not acts(call)


def uses_old_value(body: Stmt, array: str) -> bool:
    """Whether the result of a postfix operator on an element of the array is used."""
    plain = {id(node.expr) for node in walk(body) if isinstance(node, Evaluate)}
    plain |= {id(node.step) for node in walk(body) if isinstance(node, For)}
    return any(
        isinstance(node, Unary)
        and node.op in ("p++", "p--")
        and id(node) not in plain
        and array in used_variables(node)
        for node in walk(body)
    )


def is_used_in_loop(stmt: Stmt, array: str) -> bool:
    """Whether a loop in a statement refers to an array."""
    return any(isinstance(node, (For, While, ParallelFor)) and array in used_variables(node) for node in walk(stmt))


def is_array(ctype: CType) -> bool:
    """Whether a type is an array."""
    return isinstance(resolve(ctype), Array)


def is_wide(indices: Iterable[Expr]) -> bool:
    """Whether one of some indices may have a value that no int has."""
    types = (integer_promotion(resolve(index.type)) for index in indices)
    return any(ctype.unsigned or exceeds_int(ctype) for ctype in types)


def plain(name: str) -> str:
    """The user's spelling of a unique name."""
    return name.partition("#")[0]
