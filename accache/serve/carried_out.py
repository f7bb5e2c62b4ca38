"""A compute construct carried out in Python, one iteration behind the other, with all accesses looked at.

Nothing of the program runs on the machine, so this can be done with programs that strangers wrote. What C has beyond
loops over numbers and arrays is not followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose, prod

from msgspec import Struct

from accache.base.text import Location
from accache.ir.openacc.regions import DataClause, Region, Subarray
from accache.ir.sizes import sizeof
from accache.ir.tree import Assign, Expr, For, Stmt, Subscript, Unary, Variable
from accache.ir.types import Array, is_array, resolve, shape
from accache.ir.walk import walk
from accache.serve.expressions import Frame, Names, UnfollowedError, at, getter
from accache.serve.memory import FaultError, Memory, Value, allocated, element
from accache.serve.statements import Idle, Statements

TURNS = 500_000
"""How many turns of loops are followed."""
COPIED = {"copy": (True, True), "copyin": (True, False), "copyout": (False, True), "create": (False, False)}
"""Which data clauses bring values to the device, and which bring them back."""


class Start(Struct, frozen=True):
    """What a construct starts from: its numbers by their names, and the lengths of its arrays."""

    values: Mapping[str, int]
    lengths: Mapping[str, tuple[int, ...]]


class Carried(Struct, frozen=True):
    """What became of a construct: the host's arrays, and what was noted.

    ``idle`` has of each cached subarray, by its text, how many elements at the ends of each dimension no turn of its
    region uses; ``missed`` tells in words what one uses beside it. A warp takes ``degree`` turns at most for words in
    shared memory, None where no thread reads there what another wrote.
    """

    arrays: Mapping[str, Memory]
    idle: Mapping[str, Idle]
    missed: Mapping[str, str]
    degree: int | None


def start_of(region: Region, values: Mapping[str, int]) -> Start:
    """A start for a construct whose data clauses name whole arrays."""
    frame = Frame(dict(values), {}, TURNS)
    lengths = {}
    for clause in _clauses(region):
        _, end, inner = _section(clause, frame)
        lengths[clause.subarray.variable] = (end // prod(inner), *inner)
    return Start(values, lengths)


def carried_out(region: Region, start: Start) -> Carried:
    """Carry a construct out; raises FaultError of a finding, and UnfollowedError of what is not followed."""
    frame = Frame({**start.values}, {}, TURNS)
    hosts = {name: _filled(name, lengths, number) for number, (name, lengths) in enumerate(start.lengths.items())}
    if region.execution.condition is not None and not getter(region.execution.condition, Names())(frame):
        raise FaultError(f"{at(region.location)}: the if clause keeps the construct from the device")
    raced_for = _raced_for(region.body)
    sections = {}
    for clause in _clauses(region):
        name = clause.subarray.variable
        if name not in hosts or clause.action not in COPIED:
            raise UnfollowedError(f"{at(clause.location)}: {clause.action}({clause.subarray.text})")
        first, end = sections[name] = _held(clause, hosts[name], frame)
        frame.arrays[name] = _device(hosts[name], clause, first, end, is_noted=name in raced_for)
    statements = Statements(region, Names(own=_own(region)))
    statements.doer(region.body)(frame)
    for clause in _clauses(region):
        name = clause.subarray.variable
        first, end = sections[name]
        if COPIED[clause.action][1]:
            hosts[name].cells[first:end] = frame.arrays[name].cells[first:end]
    return Carried(hosts, statements.idle, statements.missed, frame.notes.degree if frame.notes.passed else None)


def difference(found: Carried, wanted: Carried) -> str:
    """The first element of the host's that one construct leaves otherwise than another, in words; '' for none."""
    for name, memory in wanted.arrays.items():
        for number, (value, other) in enumerate(zip(found.arrays[name].cells, memory.cells, strict=True)):
            if not _is_same(value, other):
                where = element(name, memory.indices(number))
                return f"{where} is {_told(value)}, and should be {_told(other)}"
    return ""


def _is_same(value: Value, other: Value) -> bool:
    if isinstance(value, (int, float)) and isinstance(other, (int, float)):
        return value == other or isclose(value, other, rel_tol=1e-6)
    return value is other


def _told(value: Value) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else "not set"


def _clauses(region: Region) -> Iterator[DataClause]:
    """The data clauses of arrays, those of a construct around where the construct itself has none."""
    seen: set[str] = set()
    for clause in (*region.data, *region.enclosing_data):
        name = clause.subarray.variable
        if name not in seen and (clause.subarray.dimensions or is_array(clause.subarray.base.type)):
            seen.add(name)
            yield clause


def _section(clause: DataClause, frame: Frame) -> tuple[int, int, tuple[int, ...]]:
    """The first element of a clause's section and the end, and the lengths of all dimensions but the first."""
    item = clause.subarray
    _, _, dimensions = shape(item.base.type)
    inner = tuple(_length(length, item.location, frame) for length in dimensions)
    plain = resolve(item.base.type)
    whole = _length(plain.length, item.location, frame) if isinstance(plain, Array) and plain.length else None
    row = prod(inner)
    bounds = [_bounds(part, length, item.location, frame) for part, length in _parts(item, (whole, *inner))]
    if any(bound != (0, length) for bound, length in zip(bounds[1:], inner, strict=False)):
        raise UnfollowedError(f"{at(item.location)}: a part of the rows of {item.name}")
    first, count = bounds[0]
    return first * row, (first + count) * row, inner


def _parts(item: Subarray, lengths: tuple[int | None, ...]) -> list[tuple[tuple[Expr | None, Expr | None], int | None]]:
    written = [(part.lower, part.length) for part in item.dimensions] or [(None, None)]
    return list(zip(written, lengths, strict=False))


def _bounds(
    part: tuple[Expr | None, Expr | None], whole: int | None, location: Location, frame: Frame
) -> tuple[int, int]:
    first = int(getter(part[0], Names())(frame)) if part[0] is not None else 0
    if part[1] is None and whole is None:
        raise UnfollowedError(f"{at(location)}: a section without a length")
    return first, int(getter(part[1], Names())(frame)) if part[1] is not None else (whole or 0) - first


def _length(length: Expr | None, location: Location, frame: Frame) -> int:
    if length is None:
        raise UnfollowedError(f"{at(location)}: an array without a length")
    return int(getter(length, Names())(frame))


def _filled(name: str, lengths: tuple[int, ...], number: int) -> Memory:
    """An array of the host's: small integers, no two neighbours alike."""
    memory = allocated(name, lengths, 4)
    memory.cells = [(index * 37 + number * 11) % 251 for index in range(memory.end)]
    return memory


def _held(clause: DataClause, host: Memory, frame: Frame) -> tuple[int, int]:
    """The elements that a clause names; raises FaultError where the array does not have them."""
    first, end, _ = _section(clause, frame)
    if not 0 <= first <= end <= host.end:
        raise FaultError(f"{at(clause.location)}: {clause.subarray.text} names elements that the array does not have")
    return first, end


def _device(host: Memory, clause: DataClause, first: int, end: int, *, is_noted: bool) -> Memory:
    """The copy on the device, with values where the clause copies them."""
    memory = allocated(host.name, host.lengths, sizeof(shape(clause.subarray.base.type)[1]))
    memory.first, memory.end, memory.where = first, end, clause.subarray.text
    memory.is_noted = is_noted
    if COPIED[clause.action][0]:
        memory.cells[first:end] = host.cells[first:end]
    return memory


def _raced_for(body: Stmt) -> frozenset[str]:
    """The arrays whose elements are assigned, but for those that loops reduce: each thread has copies of these."""
    found: set[str] = set()
    reduced: set[str] = set()
    for node in walk(body):
        if isinstance(node, For) and node.loop is not None:
            reduced |= {item.variable for item in node.loop.reductions}
        target = node.target if isinstance(node, Assign) else node.operand if isinstance(node, Unary) else None
        while isinstance(target, Subscript):
            target = target.base
        if isinstance(target, Variable):
            found.add(target.name)
    return frozenset(found - reduced)


def _own(region: Region) -> frozenset[str]:
    """The variables of which gangs have copies, or that the construct reduces."""
    private = {item.name for item in (*region.private, *region.firstprivate)}
    return frozenset(private | {item.variable for item in region.reductions})
