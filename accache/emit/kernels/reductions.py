"""Reductions over the threads of a block: the routines that kernels and routines call."""

from __future__ import annotations

import re

from msgspec import Struct

from accache.base.architectures import MAX_THREADS
from accache.emit.expressions import ExpressionPrinter
from accache.ir.arrays import innermost
from accache.ir.kernels.combining import combination
from accache.ir.kernels.simt import BlockReduce
from accache.ir.openacc.regions import Reduction

WORDS = {
    "+": "sum", "*": "product", "min": "minimum", "max": "maximum", "&": "bits_and", "|": "bits_or",
    "^": "bits_xor", "&&": "all", "||": "any",
}  # fmt: skip
FUNCTORS = {
    "+": "plus", "*": "multiplies", "min": "minimum", "max": "maximum", "&": "bit_and", "|": "bit_or",
    "^": "bit_xor", "&&": "logical_and", "||": "logical_or", "last": "last",
}  # fmt: skip
IDENTITIES = {"+": "0", "*": "1", "^": "0"}


class ReduceView(Struct, frozen=True):
    """A reduction over threads as the templates print it: the variable, and the routine that is called for it."""

    name: str
    routine: str
    is_array: bool = False


def as_word(ctype: str) -> str:
    """The text of a type as a part of a name.

    >>> as_word("accache_complex<double>")
    'complex_double'
    """
    return re.sub(r"\W+", "_", ctype.removeprefix("accache_")).strip("_")


def combine(operator: str, left: str, right: str) -> str:
    """Two values combined by a reduction operator."""
    if operator in ("min", "max"):
        return f"{right} {'<' if operator == 'min' else '>'} {left} ? {right} : {left}"
    return f"{left} {operator} {right}"


def functor(operator: str, ctype: str) -> str:
    """The structure that combines two values of a type."""
    return f"accache_{FUNCTORS[operator]}<{ctype}>"


def reduce_view(stmt: BlockReduce, printer: ExpressionPrinter, block: tuple[int, int, int]) -> ReduceView:
    """The routine of the run-time library that combines a value along the statement's axes."""
    along = combination(stmt.axes, block)
    shape = block[: 3 if block[2] > 1 or along.axis == "z" else 2 if block[1] > 1 or along.axis else 1]
    ctype = printer.type(innermost(stmt.reduction.type))
    arguments = ", ".join((functor(stmt.reduction.operator, ctype), *map(str, shape)))
    words = ("accache_reduce", *([along.axis] if along.axis else ()), *(["each"] if stmt.reduction.is_array else ()))
    return ReduceView(
        name=printer.name(stmt.reduction.variable) if stmt.place is None else printer.expression(stmt.place),
        routine=f"{'_'.join(words)}<{arguments}>",
        is_array=stmt.reduction.is_array,
    )


class RoutineReduceView(Struct, frozen=True):
    """The same in a routine, which blocks of any shape run."""

    name: str
    type: str
    routine: str
    word: str
    combined: str
    own: str
    first: str
    lane: str
    lanes: str
    threads: int
    is_array: bool = False


def routine_reduce_view(stmt: BlockReduce, printer: ExpressionPrinter, routine: str) -> RoutineReduceView:
    """The device function that combines a value along the statement's axes in blocks of any shape."""
    x, y = printer.symbol("@thread.x"), printer.symbol("@thread.y")
    wide, high = printer.symbol("@extent.x"), printer.symbol("@extent.y")
    own = f"{y} * {wide} + {x}"
    lane, lanes, first, distance = own, f"{wide} * {high}", "0", "half"
    if stmt.axes == ("x",):
        lane, lanes, first = x, wide, f"{y} * {wide}"
    elif stmt.axes == ("y",):
        lane, lanes, first, distance = y, high, x, f"half * {wide}"
    operator, ctype = stmt.reduction.operator, printer.type(stmt.reduction.type)
    along = "" if len(stmt.axes) > 1 else f"_{stmt.axes[0]}"
    return RoutineReduceView(
        name=printer.name(stmt.reduction.variable) if stmt.place is None else printer.expression(stmt.place),
        type=ctype,
        routine=f"{routine}_{WORDS[operator]}{along}_{as_word(ctype)}",
        word=WORDS[operator].replace("_", " "),
        combined=combine(operator, "partial[own]", f"partial[own + {distance}]"),
        own=own,
        first=first,
        lane=lane,
        lanes=lanes,
        threads=MAX_THREADS,
    )


def initial_value(reduction: Reduction) -> str | None:
    """What a block starts from: the identity, or None where each may start from the value so far."""
    return None if reduction.of_one_gang else IDENTITIES.get(reduction.operator)
