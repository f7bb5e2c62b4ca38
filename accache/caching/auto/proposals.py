"""Subarrays that a kernel's references ask for, in closed form, and the loop in front of which a directive could stand.

Before: ``for (i ...) { for (j = i - 1; j <= i + 1; ++j) sum += a[j]; ... }``. After: ``a[i - 1 : 3]`` in front of the
loop over j. Where no constant length covers all references of a loop's body, each uniform sequential loop inside is a
chunk of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from math import prod

from msgspec import Struct

from accache.analysis.loop_context import UseCollector
from accache.analysis.uniformity import written_arrays
from accache.base.architectures import architecture
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import Location
from accache.caching.requests import Request
from accache.caching.sizing.boxes import box_of, subarray_text
from accache.caching.sizing.subarrays import is_used_in_loop, request_for, view_of
from accache.caching.survey import Site, Survey
from accache.ir.build import INT, number
from accache.ir.kernels.simt import ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import Dimension, FreeVariable, Subarray
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof
from accache.ir.tree import Binary, Block, Cache, Declare, Expr, For, Stmt, Unary, Variable
from accache.ir.types import CType, element_type, is_integer, promoted, shape
from accache.ir.walk import declared_variables, nodes_of, used_variables, walk
from accache.mapping.mapped import MappedKernel

MOST_DIMENSIONS = 3
"""Flat arrays are looked at as lines, as rows and columns, and as planes of these."""


class Anchor(Struct, frozen=True):
    """Where a directive stands: in front of the loop at a place, or, ``is_inside``, at the top of its body."""

    loop: Location
    is_inside: bool


class Proposal(Struct, frozen=True):
    """A subarray as a directive would name it, in names of the mapped kernel: a lower bound and length a dimension.

    One that ``is_single`` serves one iteration of a sequential loop, and no loop inside of it.
    """

    anchor: Anchor
    array: str
    lowers: tuple[Polynomial, ...]
    lengths: tuple[int, ...]
    is_single: bool = False

    @property
    def text(self) -> str:
        """The subarray as the user would write it."""
        return subarray_text(self.array, self.lowers, self.lengths)


def proposals(kernel: MappedKernel, options: Options) -> tuple[Proposal, ...]:
    """The subarrays of the arrays that a kernel reads and does not write, in the order of their directives."""
    if kernel.is_routine or any(nodes_of(kernel.source, Cache)):
        return ()
    finder = _Finder(Survey(kernel), options)
    found = [item for body in _thread_bodies(kernel.body, ()) for item in finder.of_body(*body)]
    return tuple(dict.fromkeys(found))


def _thread_bodies(stmt: Stmt, path: tuple[Stmt, ...]) -> Iterator[tuple[Stmt, tuple[Stmt, ...]]]:
    """The bodies of the innermost loops over threads, each with the statements around it."""
    inner = (*path, stmt)
    if isinstance(stmt, ParallelFor) and not any(nodes_of(stmt.body, ParallelFor)):
        yield stmt.body, inner
    else:
        for child in _statements(stmt):
            yield from _thread_bodies(child, inner)


def _statements(stmt: Stmt) -> tuple[Stmt, ...]:
    """The statements right inside of another that a directive could stand among: not those behind a condition."""
    if isinstance(stmt, Block):
        return stmt.items
    return (stmt.body,) if isinstance(stmt, (ParallelFor, For)) else ()


class _Finder(Struct, frozen=True):
    """Finds the proposals of one kernel."""

    survey: Survey
    options: Options

    def of_body(self, body: Stmt, path: tuple[Stmt, ...]) -> Iterator[Proposal]:
        """The proposals in the body of a loop over threads, by the order in which arrays appear."""
        kernel, written = self.survey.kernel, written_arrays(self.survey.kernel.body)
        used = used_variables(body)
        for variable in kernel.region.variables:
            if variable.name in used and variable.name not in written and element_type(variable.type):
                yield from self.of_array(variable, body, path)

    def of_array(self, variable: FreeVariable, body: Stmt, path: tuple[Stmt, ...]) -> Iterator[Proposal]:
        """The proposals for one array in the body of the last loop of a path, or in those of loops inside."""
        if variable.name not in used_variables(body):
            return
        if Site(self.survey, path).meeting_obstacle:
            return
        whole = self.covering(variable, body, path)
        if whole is not None:
            yield whole
            return
        for loop, around in _loops(body, path):
            yield from self.of_array(variable, loop.body, (*around, loop))

    def covering(self, variable: FreeVariable, body: Stmt, path: tuple[Stmt, ...]) -> Proposal | None:
        """The subarray of constant length that holds all references in a loop's body, if its tile would fit."""
        stmt, around, anchor = _lowest(variable.name, body, path)
        site = Site(self.survey, around)
        best: tuple[int, Proposal] | None = None
        flat, _, lengths = shape(variable.type)
        for rank in range(1, MOST_DIMENSIONS + 1) if flat else (len(lengths) + 1,):
            found = self.of_rank(variable, rank, stmt, site, anchor=anchor)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        return best[1] if best is not None else None

    def of_rank(
        self, variable: FreeVariable, rank: int, stmt: Stmt, site: Site, *, anchor: Anchor
    ) -> tuple[int, Proposal] | None:
        """The subarray of so many dimensions, and how many elements a tile for the block has."""
        flat, _, _ = shape(variable.type)
        collector = UseCollector(variable.name, 1 if flat else rank, site.survey.definitions)
        collector.statement(stmt, site.context)
        if collector.other is not None or not collector.uses:
            return None
        view = view_of(tuple(collector.uses), rank if flat else 0, site.survey)
        if view is None:
            return None
        box = box_of(tuple(collector.uses), view[1], site.context)
        if box is None or not self.is_visible(box[0], site):
            return None
        is_single = isinstance(site.path[-1], For) and not is_used_in_loop(stmt, variable.name)
        proposal = Proposal(anchor, variable.name, *box, is_single)
        request = self.request(variable, proposal, stmt, site)
        if request is None:
            return None
        cells = prod(dimension.extent for dimension in request.dimensions)
        if cells * sizeof(request.element) > architecture(self.options.arch).shared_per_block:
            return None
        return cells, proposal

    def is_visible(self, lowers: Iterable[Polynomial], site: Site) -> bool:
        """Whether bounds can be written at a place: all their names are the user's, and declared around it."""
        names = {name for lower in lowers for name in lower.names}
        kernel = self.survey.kernel
        own = declared_variables(kernel.source) | {variable.name for variable in kernel.region.variables}
        outside = {variable.name for variable in kernel.region.variables} | _declared(site.path)
        return names <= own & outside

    def request(self, variable: FreeVariable, proposal: Proposal, stmt: Stmt, site: Site) -> Request | None:
        """What the directive would ask of a method, if the block can share a tile that serves every reference."""
        kernel = self.survey.kernel
        subarray = subarray_of(proposal, variable, types_in(kernel), {})
        asked = request_for(subarray, Cache(stmt.location, (subarray,), stmt), site, self.options, reporter=Reporter())
        if not isinstance(asked, Request) or asked.sharing.obstacle or asked.references.unproved is not None:
            return None
        return asked


def types_in(kernel: MappedKernel) -> dict[str, CType]:
    """The types of the integers that a kernel's subscripts may name."""
    found = {variable.name: variable.type for variable in kernel.region.variables}
    for node in walk(kernel.body):
        if isinstance(node, Declare):
            found[node.name] = node.type
        elif isinstance(node, ParallelFor):
            found[node.loop.variable] = node.loop.type
    return {name: ctype for name, ctype in found.items() if is_integer(ctype)}


def subarray_of(
    proposal: Proposal, variable: FreeVariable, types: dict[str, CType], names: dict[str, str], *, density: float = 0.0
) -> Subarray:
    """A proposal as a directive's subarray, in the user's spelling; ``names`` stand for those of the kernel."""
    where = proposal.anchor.loop
    lowers = [
        lower.substitute({name: Polynomial.symbol(names[name]) for name in lower.names if name in names})
        for lower in proposal.lowers
    ]
    dimensions = tuple(
        Dimension(sum_of(lower, types, where), sum_of(Polynomial.constant(length), types, where))
        for lower, length in zip(lowers, proposal.lengths, strict=True)
    )
    name = user_name(variable.name)
    base = Variable(variable.type, where, variable.name)
    return Subarray(base, name, dimensions, where, proposal.text, density=density)


def _declared(path: tuple[Stmt, ...]) -> set[str]:
    """The names that the statements of a path declare for what stands at its end."""
    found: set[str] = set()
    for stmt in path:
        if isinstance(stmt, ParallelFor):
            found.add(stmt.loop.variable)
        parts = stmt.items if isinstance(stmt, Block) else stmt.init if isinstance(stmt, For) else ()
        found |= {part.name for part in parts if isinstance(part, Declare)}
    return found


def _lowest(array: str, body: Stmt, path: tuple[Stmt, ...]) -> tuple[Stmt, tuple[Stmt, ...], Anchor]:
    """The lowest statement in front of which a directive may stand that holds all references in a loop's body."""
    stmt, around = body, path
    while isinstance(stmt, Block):
        items = [item for item in stmt.items if array in used_variables(item)]
        if len(items) != 1 or not isinstance(items[0], (Block, For)):
            break
        stmt, around = items[0], (*around, stmt)
    if isinstance(stmt, For):
        return stmt, around, Anchor(stmt.location, False)
    return body, path, Anchor(path[-1].location, True)


def _loops(stmt: Stmt, path: tuple[Stmt, ...]) -> Iterator[tuple[For, tuple[Stmt, ...]]]:
    """The sequential loops of a loop's body that no condition and no other loop stands around."""
    if isinstance(stmt, For):
        yield stmt, path
    elif isinstance(stmt, Block):
        for item in stmt.items:
            yield from _loops(item, (*path, stmt))


def sum_of(polynomial: Polynomial, types: Mapping[str, CType], where: Location) -> Expr:
    """The expression of a polynomial whose symbols are variables of these types."""
    terms = sorted(polynomial.terms, key=lambda term: term[1] < 0)
    if not terms:
        return number(0, where)
    total: Expr | None = None
    for monomial, coefficient in terms:
        factors: list[Expr] = [Variable(types.get(name, INT), where, name) for name in monomial]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, number(abs(coefficient), where))
        term = reduce(lambda left, right: _binary("*", left, right), factors)
        if total is not None:
            total = _binary("-" if coefficient < 0 else "+", total, term)
        else:
            total = Unary(term.type, where, "-", term) if coefficient < 0 else term
    assert total is not None
    return total


def _binary(op: str, left: Expr, right: Expr) -> Expr:
    return Binary(promoted(left.type, right.type), left.location, op, left, right)
