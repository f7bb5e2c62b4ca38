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
from accache.analysis.ranges import Facts, Interval, is_nonnegative
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
from accache.mapping.data.extremes import extremes

INT_BYTES = 4


class _Reach(Struct, frozen=True):
    """The elements one reference touches: from ``low`` to ``high``, both included.

    ``loops`` are the ranges of the loops around it, outermost first, which have iterations exactly if all of ``counts``
    are positive. ``facts`` hold where it happens. It is not ``is_certain`` if a condition decides whether it does.
    """

    low: Polynomial
    high: Polynomial
    loops: tuple[tuple[str, Interval], ...]
    counts: tuple[Polynomial, ...]
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
    stable, least = _stable(region), _least_values(region)
    found = [_reach(use, definitions, stable, least) for use in collector.uses]
    known = [reach for reach in found if reach is not None]
    return known if collector.other is None and len(known) == len(found) else None


def _least_values(region: Region) -> tuple[Polynomial, ...]:
    """What is not negative because counters of loops around a region hold a number or more."""
    found = ((item.name, item.least) for item in region.variables)
    return tuple(Polynomial.symbol(name) - least for name, least in found if least is not None)


def _reach(
    use: ArrayUse, definitions: Mapping[str, Expr], stable: frozenset[str], least: tuple[Polynomial, ...]
) -> _Reach | None:
    """What a reference touches, where its index is linear in the variables of loops that each run over one range."""
    index = index_polynomial(use.subscripts[0], definitions)
    counters = frozenset(name for name, _ in use.context.ranges)
    loops = tuple((name, intervals[0]) for name, intervals in use.context.ranges)
    if index is None or any(len(intervals) != 1 for _, intervals in use.context.ranges):
        return None
    if any(sum(name in counters for name in monomial) > 1 for monomial, _ in index.terms):
        return None
    found = extremes(index, loops, least)
    if found is None or any(not part.names <= stable for part in (found.low, found.high, *found.counts)):
        return None
    width = resolve(use.subscripts[0].type)
    if found.high.total_degree > 1 and not (isinstance(width, Arithmetic) and width.size == INT_BYTES):
        return None
    facts = use.context.facts[0].assuming(*least, *(count - 1 for count in found.counts))
    sizes = (Polynomial.symbol(name) for name in sorted(found.low.names | found.high.names))
    facts = facts.assuming(*(size for size in sizes if is_nonnegative(size, facts)))  # products of two prove more
    return _Reach(found.low, found.high, loops, found.counts, facts=facts, is_certain=use.guard != "if")


def _section(reaches: list[_Reach], where: Location) -> Dimension | None:
    """From the first to the last element that references in a loop and around it touch, if all others lie between."""
    for within in (reach for reach in reaches if reach.is_certain):
        nest = within.loops
        touching = [reach for reach in reaches if reach.is_certain and nest[: len(reach.loops)] == reach.loops]
        low = _least([reach.low for reach in touching], within.facts)
        high = _least([-reach.high for reach in touching], within.facts)
        if low is None or high is None or not all(_holds(low, -high, reach) for reach in reaches):
            continue
        extent = 1 - high - low
        doubtful = _doubtful(within.counts, extent)
        if not all(reach.loops[: len(nest)] == nest or _implies(reach, doubtful) for reach in reaches):
            continue
        lower = None if low == Polynomial.constant(0) else formula(low, where)
        return Dimension(lower, _length(extent, doubtful, where))
    return None


def _implies(reach: _Reach, counts: tuple[Polynomial, ...]) -> bool:
    """Whether trip counts are positive where a reference happens."""
    return all(is_nonnegative(count - 1, reach.facts) for count in counts)


def _least(values: list[Polynomial], facts: Facts) -> Polynomial | None:
    """The least of some values, if it is known."""
    return next((one for one in values if all(is_nonnegative(other - one, facts) for other in values)), None)


def _holds(low: Polynomial, high: Polynomial, reach: _Reach) -> bool:
    """Whether a reference touches elements from ``low`` to ``high`` only."""
    return all(is_nonnegative(part, reach.facts) for part in (reach.low - low, high - reach.high))


def _doubtful(counts: tuple[Polynomial, ...], extent: Polynomial) -> tuple[Polynomial, ...]:
    """The trip counts of loops that may have no iteration though ``extent`` is positive."""
    facts = Facts.of({}, [extent - 1])
    return tuple(count for count in dict.fromkeys(counts) if not is_nonnegative(count - 1, facts))


def _length(extent: Polynomial, doubtful: tuple[Polynomial, ...], where: Location) -> Expr:
    """How many elements are touched: none if a loop has no iteration."""
    length, none = formula(extent, where), number(0, where)
    if extent.constant_value is not None and not doubtful:
        return length
    tests = [Binary(INT, where, ">", formula(count, where), none) for count in doubtful or (extent,)]
    condition = reduce(lambda left, right: Binary(INT, where, "&&", left, right), tests)
    return Conditional(INT, where, condition, length, none)
