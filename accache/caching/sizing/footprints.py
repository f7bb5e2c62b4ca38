"""Which elements of an array a kernel is certain to refer to, from the first to the last: its footprint.

Before: ``for (i = 1; i < n; i++) b[i] = a[i - 1] + a[i + 1]``. After: of ``a``, the elements 0 to n. References that a
condition, a jump, or a loop of unknown iterations decides on do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from accache.analysis.canonical import canonical_loop
from accache.analysis.loop_context import EVERYWHERE, LoopContext, subscripts_of
from accache.analysis.ranges import Facts, bounds, is_nonnegative
from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.caching.sizing.extents import Room, room_of
from accache.caching.survey import Survey
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import DataClause, Region
from accache.ir.openacc.sections import SIZED
from accache.ir.polynomial import ONE, ZERO, Polynomial
from accache.ir.tree import (
    Binary,
    Block,
    Cache,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    Jump,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import is_integer, shape
from accache.ir.walk import assigned_variables, children, declared_variables, nodes_of, single_definitions
from accache.mapping.mapped import MappedKernel


class Footprint(Struct, frozen=True):
    """The first and the last of the single elements that references use if all of ``counts`` are positive.

    The launch has seen to it that the numbers of iterations ``launched`` are.
    """

    first: Polynomial
    last: Polynomial
    counts: tuple[Polynomial, ...]
    launched: tuple[Polynomial, ...]
    location: Location

    @property
    def names(self) -> frozenset[str]:
        """The variables from which the launch computes it."""
        return frozenset(name for part in (self.first, self.last, *self.counts) for name in part.names)

    def joined(self, other: Footprint) -> Footprint | None:
        """Both in one, if they are constant numbers of elements apart."""
        ahead, further = (other.first - self.first).constant_value, (other.last - self.last).constant_value
        if ahead is None or further is None or (self.counts, self.launched) != (other.counts, other.launched):
            return None
        first, last = (other.first if ahead < 0 else self.first), (other.last if further > 0 else self.last)
        return Footprint(first, last, self.counts, self.launched, self.location)


def footprints(kernel: MappedKernel, array: str) -> tuple[Footprint, ...]:
    """The footprints of the references of one array, one for all that differ by constants."""
    if any(nodes_of(kernel.body, Jump)):
        return ()
    found: list[Footprint] = []
    for part in _Collector(kernel, array).statement(kernel.body, EVERYWHERE):
        for number, other in enumerate(found):
            both = other.joined(part)
            if both is not None:
                found[number] = both
                break
        else:
            found.append(part)
    return tuple(found)


def hull(kernel: MappedKernel, array: str) -> Footprint | None:
    """The one footprint of all references of an array, each of which is certain to happen; None if there is none.

    What lies between its ends is memory of the array, whoever took it.
    """
    nodes = [node for node in nodes_of(kernel.body, Subscript) if _is_element(node, array)]
    parts = list(_Collector(kernel, array).statement(kernel.body, EVERYWHERE))
    found = footprints(kernel, array)
    is_whole = len(found) == 1 and len(parts) == len(nodes) and not found[0].counts
    return found[0] if is_whole else None


def _is_element(expr: Subscript, array: str) -> bool:
    """Whether an expression is an element of a flat array."""
    return isinstance(expr.base, Variable) and expr.base.name == array


def unproved_footprints(kernel: MappedKernel, array: str, is_fetched: bool) -> tuple[Footprint, ...]:
    """The footprints that may leave what is on the device of an array.

    A fetch, which is clipped to what is there, would hide that: of an array that is fetched, what a clause maps counts
    only where the launch itself sees to it. Of others only those count that may leave the section of a clause, and none
    where no clause has one.
    """
    ctype = next((item.type for item in kernel.region.variables if item.name == array), None)
    room = room_of(array, shape(ctype)[2], Survey(kernel)) if ctype is not None else None
    if room is None or (is_fetched and not room.is_sure):
        return footprints(kernel, array) if is_fetched else ()
    return tuple(part for part in footprints(kernel, array) if not _is_held(part, room))


def warn_of_unmapped(kernel: MappedKernel, reporter: Reporter) -> None:
    """Report arrays of which a kernel uses elements outside of the section that a clause maps.

    It is the construct's own clause, or that of a data construct around. The elements may be on the device all the
    same, if the program has put more of the array there before.
    """
    for clause in _sized_clauses(kernel.region):
        base = clause.subarray.base
        assert isinstance(base, Variable)
        room = room_of(base.name, shape(base.type)[2], Survey(kernel))
        if room is None:
            continue
        first, end = room.elements
        for part in footprints(kernel, base.name):
            ahead, behind = (part.first - first).constant_value, (end - 1 - part.last).constant_value
            is_more_than_one = end - first == ONE and part.last != part.first  # such as a[n] for a[0:n]
            if min(ahead or 0, behind or 0) < 0 or is_more_than_one:
                used, there = _range(part.first, part.last), _range(first, end - 1)
                name = user_name(base.name)
                are = "is" if part.first == part.last else "are"
                told = {"name": name, "used": used, "are": are, "clause": clause.action, "there": there}
                reporter.report("ACC331", part.location, **told)
                break


def _sized_clauses(region: Region) -> Iterator[DataClause]:
    """The clauses that put an array on the device: the construct's own, and those around it that alone name theirs."""
    used = {item.name for item in region.variables}
    named = Counter(clause.subarray.variable for clause in (*region.data, *region.enclosing_data))
    alone = (item for item in region.enclosing_data if named[item.subarray.variable] == 1)
    return (item for item in (*region.data, *alone) if item.action in SIZED and item.subarray.variable in used)


def _range(first: Polynomial, last: Polynomial) -> str:
    """Elements in words, as the user spells the names in them."""
    begin, end = (" ".join(end.to_c().replace("#", " ").split()) for end in (first, last))
    return f"element {begin}" if begin == end else f"elements {begin} to {end}"


def _is_held(part: Footprint, room: Room) -> bool:
    """Whether a footprint is proved to lie in what is on the device."""
    facts = Facts(assumptions=tuple(count - 1 for count in (*part.counts, *part.launched)))
    first, end = room.elements
    return is_nonnegative(part.first - first, facts) and is_nonnegative(end - 1 - part.last, facts)


class _Collector(Struct, dict=True):
    """Collects footprints of one array; each place is one that the kernel is certain to reach if its loops run."""

    kernel: MappedKernel
    array: str

    def __post_init__(self) -> None:
        body = self.kernel.body
        variables = self.kernel.region.variables
        self.definitions = single_definitions(body)
        unchanged = {item.name for item in variables if is_integer(item.type)}
        self.known = frozenset(unchanged - assigned_variables(body) - declared_variables(body))
        self.counted = {loop.variable for loop in self.kernel.shape.counted_loops}
        ctype = next((item.type for item in variables if item.name == self.array), None)
        self.lengths = shape(ctype)[2] if ctype is not None else ()

    def statement(self, stmt: Stmt, context: LoopContext) -> Iterator[Footprint]:
        """The footprints in a statement that runs."""
        if isinstance(stmt, (Block, Cache, Evaluate, Declare)):
            for child in children(stmt):
                yield from self.node(child, context)
        elif isinstance(stmt, (For, ParallelFor)):
            loop = stmt.loop if isinstance(stmt, ParallelFor) else canonical_loop(stmt)
            if isinstance(loop, CanonicalLoop) and abs(loop.step) == 1:
                yield from self.statement(stmt.body, context.inside(stmt, self.definitions))

    def node(self, node: Expr | Stmt, context: LoopContext) -> Iterator[Footprint]:
        """The footprints in what is evaluated."""
        if isinstance(node, Stmt):
            yield from self.statement(node, context)
            return
        if isinstance(node, Subscript):
            yield from self.reference(node, context)
        if isinstance(node, Unary) and node.op == "&":
            return
        first_only = isinstance(node, Conditional) or (isinstance(node, Binary) and node.op in ("&&", "||"))
        for child in children(node)[: 1 if first_only else None]:
            yield from self.node(child, context)

    def reference(self, expr: Subscript, context: LoopContext) -> Iterator[Footprint]:
        """The footprint of a full reference, if the launch can compute it."""
        base, subscripts = subscripts_of(expr)
        if not isinstance(base, Variable) or base.name != self.array or len(subscripts) != len(self.lengths) + 1:
            return
        index = self.flat(subscripts)
        counts = self.counts(context)
        if index is None or counts is None:
            return
        ends = bounds(index, context.facts[0])
        if ends.low is not None and ends.high is not None and ends.low.names | ends.high.names <= self.known:
            yield Footprint(ends.low, ends.high, *counts, expr.location)

    def flat(self, subscripts: tuple[Expr, ...]) -> Polynomial | None:
        """The element's number in an array that lies in one place."""
        index = ZERO
        for subscript, length in zip(subscripts, (None, *self.lengths), strict=True):
            part = index_polynomial(subscript, self.definitions)
            row = index_polynomial(length, self.definitions) if length is not None else ZERO
            if part is None or row is None:
                return None
            index = index * row + part
        return index

    def counts(self, context: LoopContext) -> tuple[tuple[Polynomial, ...], tuple[Polynomial, ...]] | None:
        """How many rounds the loops have that may have none, and those that the launch counts.

        None where that, or their ends, are not all known.
        """
        found: list[Polynomial] = []
        launched: list[Polynomial] = []
        for name, intervals in context.ranges:
            extent = intervals[0].extent if len(intervals) == 1 else None
            if extent is None or not intervals[0].names <= self.known:
                return None
            value = extent.constant_value
            if value is not None and value <= 0:
                return None
            if value is None:
                (launched if name in self.counted else found).append(extent)
        return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(launched))
