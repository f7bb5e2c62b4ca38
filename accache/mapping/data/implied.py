"""What a region touches of a pointer's target without a clause for it, where its loops say exactly that.

OpenACC leaves the target of such a pointer to the program, which must have put it on the device. Where it has not, a
copy of the elements touched does what the program does without directives.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from msgspec import Struct

from accache.analysis.canonical import canonical_loop
from accache.analysis.loop_context import ArrayUse, LoopContext, UseCollector
from accache.analysis.ranges import Facts, Interval, bounds, is_nonnegative
from accache.base.text import Location
from accache.ir.arrays import innermost, is_unbounded
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import INT, formula, number
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.openacc.regions import DataClause, Dimension, FreeVariable, Region, Subarray
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Conditional, Expr, For, Jump, Label, Stmt, Switch, Variable, While
from accache.ir.types import Arithmetic, Complex, CType, element_type, is_scalar, resolve
from accache.ir.walk import assigned_variables, single_definitions, walk
from accache.mapping.data.data_model import memory_variables

INT_BYTES = 4


class _Reach(Struct, frozen=True):
    """The elements one reference touches: from ``low`` to ``high``, both included.

    ``loops`` are the ranges of the loops around it, outermost first. ``facts`` hold where it happens. It is not
    ``is_certain`` if a condition decides whether it does.
    """

    low: Polynomial
    high: Polynomial
    loops: tuple[Interval, ...]
    facts: Facts
    is_certain: bool


def implied_clause(region: Region, variable: FreeVariable, *, is_written: bool) -> DataClause | None:
    """A clause for all that a region touches of an array of unknown length; None if that is not known exactly."""
    target = element_type(variable.type)
    is_named = any(clause.subarray.variable == variable.name for clause in region.enclosing_data)
    if target is None or not is_unbounded(variable.type) or region.default == "present" or is_named:
        return None
    if not isinstance(resolve(innermost(target)), (Arithmetic, Complex)) or not _is_counted(region.body):
        return None
    reaches = _reaches(region, variable, target) if variable.name not in assigned_variables(region.body) else None
    where = region.location
    section = _section(reaches, where) if reaches else None
    if section is None:
        return None
    base = Variable(variable.type, where, variable.name)
    subarray = Subarray(base, variable.name, (section,), where, variable.name)
    return DataClause("copy" if is_written else "copyin", subarray, where)


def _is_counted(body: Stmt) -> bool:
    """Whether all loops step by one to their end, and nothing but conditions and loops leads elsewhere."""
    for node in walk(body):
        if isinstance(node, (While, Jump, Label, Switch)):
            return False
        if isinstance(node, For):
            loop = canonical_loop(node)
            if not isinstance(loop, CanonicalLoop) or abs(loop.step) != 1:
                return False
    return True


def _stable(region: Region) -> frozenset[str]:
    """The variables that have one value in a region, the host's."""
    scalars = {item.name for item in region.variables if is_scalar(item.type) and element_type(item.type) is None}
    private = {item.name for item in region.private}
    return frozenset(scalars - private - assigned_variables(region.body)) - memory_variables(region)


def _reaches(region: Region, variable: FreeVariable, target: CType) -> list[_Reach] | None:
    """What each reference of an array touches; None if that of one is not known, or there is another use of it."""
    rank, row = 1, target
    while (inner := element_type(row)) is not None:
        rank, row = rank + 1, inner
    definitions = single_definitions(region.body)
    collector = UseCollector(variable.name, rank, definitions)
    collector.statement(region.body, LoopContext())
    stable = _stable(region)
    found = [_reach(use, definitions, stable) for use in collector.uses]
    known = [reach for reach in found if reach is not None]
    return known if collector.other is None and len(known) == len(found) else None


def _reach(use: ArrayUse, definitions: Mapping[str, Expr], stable: frozenset[str]) -> _Reach | None:
    """What a reference touches, where its index is linear in the variables of loops that each run over one range."""
    index = index_polynomial(use.subscripts[0], definitions)
    counters = frozenset(name for name, _ in use.context.ranges)
    loops = tuple(intervals[0] for _, intervals in use.context.ranges)
    if index is None or any(len(intervals) != 1 for _, intervals in use.context.ranges):
        return None
    if any(sum(name in counters for name in monomial) > 1 for monomial, _ in index.terms):
        return None
    found = bounds(index, use.context.facts[0])
    if found.low is None or found.high is None or not found.names <= stable:
        return None
    if any(loop.extent is None or not loop.names <= stable for loop in loops):
        return None
    width = resolve(use.subscripts[0].type)
    if found.high.total_degree > 1 and not (isinstance(width, Arithmetic) and width.size == INT_BYTES):
        return None
    return _Reach(found.low, found.high, loops, use.context.facts[0], use.guard != "if")


def _section(reaches: list[_Reach], where: Location) -> Dimension | None:
    """From the first to the last element that references under the same loops touch, if all others lie between."""
    for nest in dict.fromkeys(reach.loops for reach in reaches if reach.is_certain):
        inside = [reach for reach in reaches if reach.is_certain and reach.loops == nest]
        low = _least([reach.low for reach in inside], inside[0].facts)
        high = _least([-reach.high for reach in inside], inside[0].facts)
        if low is None or high is None or not all(_holds(Interval(low, -high), reach) for reach in reaches):
            continue
        extent = 1 - high - low
        doubtful = _doubtful(nest, extent)
        if doubtful and not all(reach.loops[: len(nest)] == nest for reach in reaches):
            continue
        lower = None if low == Polynomial.constant(0) else formula(low, where)
        return Dimension(lower, _length(extent, doubtful, where))
    return None


def _least(values: list[Polynomial], facts: Facts) -> Polynomial | None:
    """The least of some values, if it is known."""
    return next((one for one in values if all(is_nonnegative(other - one, facts) for other in values)), None)


def _holds(hull: Interval, reach: _Reach) -> bool:
    """Whether a reference touches elements of a hull only."""
    return all(
        is_nonnegative(part, reach.facts) for end in (reach.low, reach.high) for part in hull.nonnegative(end)[:2]
    )


def _doubtful(nest: tuple[Interval, ...], extent: Polynomial) -> tuple[Polynomial, ...]:
    """The trip counts of loops that may have no iteration though ``extent`` is positive."""
    facts = Facts.of({}, [extent - 1])
    counts = dict.fromkeys(count for loop in nest if (count := loop.extent) is not None)
    return tuple(count for count in counts if not is_nonnegative(count - 1, facts))


def _length(extent: Polynomial, doubtful: tuple[Polynomial, ...], where: Location) -> Expr:
    """How many elements are touched: none if a loop has no iteration."""
    length, none = formula(extent, where), number(0, where)
    if extent.constant_value is not None and not doubtful:
        return length
    tests = [Binary(INT, where, ">", formula(count, where), none) for count in doubtful or (extent,)]
    condition = reduce(lambda left, right: Binary(INT, where, "&&", left, right), tests)
    return Conditional(INT, where, condition, length, none)
