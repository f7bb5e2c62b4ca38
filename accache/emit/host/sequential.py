"""The sequential program that ``accache run --compare`` holds a translated one against, and what its arrays hold."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from accache.ir.arrays import inner_lengths, innermost
from accache.ir.constants import constant
from accache.ir.layout import Layout, layout
from accache.ir.names import user_name
from accache.ir.openacc.regions import DataClause, Program, Region
from accache.ir.tree import For
from accache.ir.types import Array, CType, Pointer, element_type, resolve
from accache.ir.walk import nodes_of

DEFER = "accache_cpu_defer();"
SETTLE = "accache_cpu_settle();"
DECLARATIONS = "extern void accache_cpu_defer(void), accache_cpu_settle(void);\n"


class Named(Struct, frozen=True):
    """How an element lies in memory of what a directive of one ``line`` calls ``name``.

    ``lengths`` are those of an array's inner dimensions, where they are constants.
    """

    line: int
    name: str
    layout: Layout
    lengths: tuple[int, ...] = ()


class Results(Struct, frozen=True):
    """The variables that the construct of a line reduces, in the order of its clauses."""

    line: int
    names: tuple[str, ...]


class Sequential(Struct, frozen=True):
    """The host's part of a program whose constructs run on the host; each calls its stub first, to tell of its data.

    ``fetched`` are the lines of directives with the names of what comes back to the host at their end.
    """

    host: str
    elements: tuple[Named, ...]
    results: tuple[Results, ...]
    fetched: tuple[tuple[int, str], ...]


def elements(program: Program) -> tuple[Named, ...]:
    """All that directives name, by what is most like the element: rows before the table of pointers to them."""
    found = [named for line, name, ctype in _mentioned(program) for named in _depths(line, name, ctype)]
    return tuple(dict.fromkeys(found))


def fetched(program: Program) -> tuple[tuple[int, str], ...]:
    """What comes back to the host at the end of constructs, as their clauses say, or without a clause OpenACC."""
    found: list[tuple[int, str]] = []
    for region in program.regions:
        named = {clause.subarray.variable for clause in (*region.data, *region.enclosing_data, *region.attached)}
        own = {item.name for item in (*region.private, *region.firstprivate)}
        implied = [
            user_name(item.name) for item in region.variables if item.comes_back and item.name not in named | own
        ]
        found += [(region.location.line, name) for name in (*_copied(region.data), *implied)]
    for construct in program.data:
        if construct.kind == "data":
            found += [(construct.location.line, name) for name in _copied(construct.data)]
    return tuple(dict.fromkeys(found))


def _copied(clauses: tuple[DataClause, ...]) -> list[str]:
    return [clause.subarray.name for clause in clauses if clause.action in ("copy", "copyout")]


def results(program: Program) -> tuple[Results, ...]:
    """What each construct reduces."""
    return tuple(Results(region.location.line, names) for region in program.regions if (names := _reduced(region)))


def _reduced(region: Region) -> tuple[str, ...]:
    """The variables of the host's function that a construct or a loop in it reduces."""
    own = {variable.name for variable in region.variables}
    loops = [part.loop for part in nodes_of(region.body, For) if part.loop is not None]
    clauses = [*region.reductions, *(reduction for loop in loops for reduction in loop.reductions)]
    return tuple(dict.fromkeys(user_name(item.target) for item in clauses if item.target in own))


def _mentioned(program: Program) -> Iterator[tuple[int, str, CType]]:
    for region in program.regions:
        for clause in (*region.data, *region.attached):
            yield region.location.line, clause.subarray.name, clause.subarray.base.type
        for variable in region.variables:
            yield region.location.line, user_name(variable.name), variable.type
    for construct in program.data:
        for clause in construct.data:
            yield construct.location.line, clause.subarray.name, clause.subarray.base.type


def _depths(line: int, name: str, ctype: CType) -> list[Named]:
    """The elements that a name of this type may have on the device, the innermost first."""
    found: list[Named] = []
    current: CType | None = ctype
    while current is not None:
        lengths = inner_lengths(current) if isinstance(resolve(current), Array | Pointer) else []
        constants = [length for length in map(constant, lengths) if length is not None]
        inner = innermost(current)
        own = layout(inner)
        is_array = isinstance(resolve(current), Array)
        if own is not None:
            found.append(
                Named(line, name, own, tuple(constants) if is_array and len(constants) == len(lengths) else ())
            )
        following = element_type(inner)
        if following is not None and isinstance(resolve(following), Array):
            own = layout(innermost(following))
            if own is not None and len(constants) == len(lengths):
                found.append(Named(line, name, own, tuple(constants)))
        current = following
    return found[::-1]
