"""Reductions over the threads of a block: which routines a kernel needs, and their texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.emit.expressions import ExpressionPrinter
from accache.ir.regions import Reduction
from accache.ir.simt import BlockReduce
from accache.ir.tree import For, Stmt, While
from accache.ir.walk import children
from accache.mapping.blocks import MAX_THREADS

WORDS = {
    "+": "sum", "*": "product", "min": "minimum", "max": "maximum", "&": "bits_and", "|": "bits_or",
    "^": "bits_xor", "&&": "all", "||": "any",
}  # fmt: skip
IDENTITIES = {"+": "0", "*": "1", "^": "0"}


class ReduceView(Struct, frozen=True):
    """One reduction as the templates print it."""

    name: str
    type: str
    routine: str
    word: str
    operator: str
    combined: str
    own: str
    first: str
    lane: str
    half: int
    takes_part: str
    threads: int
    repeated: bool


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


def reduce_view(
    stmt: BlockReduce, printer: ExpressionPrinter, kernel: str, block: tuple[int, int, int], repeated: bool = False
) -> ReduceView:
    """The routine that combines a value along the statement's axes, and the variable it is called for.

    ``repeated`` if a block may call it more than once.
    """
    extents = dict(zip("xyz", block, strict=True))
    active = [axis for axis in "xyz" if extents[axis] > 1]
    everyone = linear_thread(printer, block)
    ctype = printer.type(stmt.reduction.type)
    if list(stmt.axes) == active:
        group, lane, stride, lanes = "0", everyone, 1, block[0] * block[1] * block[2]
    else:
        axis = stmt.axes[0]
        lane, lanes = printer.symbol(f"@thread.{axis}"), extents[axis]
        stride = {"x": 1, "y": block[0], "z": block[0] * block[1]}[axis]
        group = f"{everyone} - {lane}" if stride == 1 else f"{everyone} - {lane} * {stride}"
    distance = "half" if stride == 1 else f"half * {stride}"
    half = 1
    while half * 2 < lanes:
        half *= 2
    word = WORDS[stmt.reduction.operator]
    along = "" if list(stmt.axes) == active else f"_{''.join(stmt.axes)}"
    return ReduceView(
        name=printer.name(stmt.reduction.variable) if stmt.place is None else printer.expression(stmt.place),
        type=ctype,
        routine=f"{kernel}_{word}{along}_{as_word(ctype)}",
        word=word.replace("_", " "),
        operator=stmt.reduction.operator,
        combined=combine(stmt.reduction.operator, "partial[own]", f"partial[own + {distance}]"),
        own=everyone,
        first=group,
        lane=lane,
        half=half,
        takes_part="lane < half" if lanes == 2 * half else f"lane < half && lane + half < {lanes}",
        threads=block[0] * block[1] * block[2],
        repeated=repeated,
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


def reduce_views(
    body: Stmt, printer: ExpressionPrinter, kernel: str, block: tuple[int, int, int]
) -> tuple[ReduceView, ...]:
    """The routines that a kernel's body calls."""
    found: dict[str, ReduceView] = {}
    for stmt, in_loop in _calls(body, False):
        view = reduce_view(stmt, printer, kernel, block, in_loop)
        again = in_loop or view.routine in found
        found[view.routine] = replace(found.get(view.routine, view), repeated=again)
    return tuple(found.values())


def _calls(stmt: Stmt, in_loop: bool) -> Iterator[tuple[BlockReduce, bool]]:
    """The reductions in a statement, and whether they stand in a loop."""
    if isinstance(stmt, BlockReduce):
        yield stmt, in_loop
    inside = in_loop or isinstance(stmt, (For, While))
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield from _calls(child, inside)


def linear_thread(printer: ExpressionPrinter, block: tuple[int, int, int]) -> str:
    """A thread's number in its block, x fastest."""
    x, y, z = (printer.symbol(f"@thread.{axis}") for axis in "xyz")
    if block[1] == block[2] == 1:
        return x
    text = f"{y} * {block[0]} + {x}"
    return text if block[2] == 1 else f"{z} * {block[0] * block[1]} + {text}"


def initial_value(reduction: Reduction) -> str | None:
    """What a block starts from: the identity, or None where each may start from the value so far."""
    return None if reduction.of_one_gang else IDENTITIES.get(reduction.operator)
