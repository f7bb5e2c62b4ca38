"""Directives that nobody wrote, for the kernels of a construct: proposed, planned as if written, kept where they serve.

What ``--auto-cache`` plans and what ``suggest --apply`` writes is decided here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.caching.auto.densities import density_of
from accache.caching.auto.insertion import Proposed, with_directives
from accache.caching.auto.proposals import proposals
from accache.caching.cached import CachedKernel
from accache.caching.caching import plan_caches
from accache.caching.choice import Key
from accache.caching.decisions import Decision
from accache.caching.requests import Request
from accache.caching.sizing.subarrays import request_for
from accache.caching.survey import Site, Survey
from accache.ir.openacc.regions import Region
from accache.ir.tree import Cache, Stmt
from accache.ir.walk import children, nodes_of
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import map_region

OF_DIRECTIVES = frozenset(
    (*(f"ACC{number}" for number in range(402, 410)), "ACC416", "ACC419", "ACC420", "ACC422", "ACC423")
)
"""What is reported of a directive that is not worth a warning where nobody wrote it."""
FOR_ONE_ITERATION = "its tile would be for one iteration of the loop around, with two barriers in each; tile the loop"
Preparing = Callable[[MappedKernel, Reporter], MappedKernel]
"""What is done to a mapped kernel before it is planned."""


class Placed(Struct, frozen=True):
    """A construct's kernels with the directives that were decided for them.

    ``refused`` are the decisions on ``candidates`` that were left out, by the number of their kernel.
    """

    kernels: tuple[MappedKernel, ...]
    kept: tuple[Proposed, ...] = ()
    refused: tuple[tuple[int, Decision], ...] = ()
    candidates: tuple[Proposed, ...] = ()


def plan_construct(
    region: Region,
    kernels: tuple[MappedKernel, ...],
    options: Options,
    names: frozenset[str],
    *,
    prepare: Preparing,
    reporter: Reporter,
) -> tuple[CachedKernel, ...]:
    """Decide every cache directive of a construct's kernels, with ``auto_cache`` those too that nobody wrote.

    What becomes of the latter is no warning, but the kernels' decisions tell of it.
    """
    chosen = placed(region, kernels, options, names, prepare=prepare) if options.auto_cache else Placed(kernels)
    planned = []
    for number, kernel in enumerate(chosen.kernels):
        local = Reporter()
        cached = plan_caches(prepare(kernel, local), options, names, local)
        own = is_proposed(kernel)
        reporter.include(found for found in local.diagnostics if not (own and found.code in OF_DIRECTIVES))
        left_out = tuple(item for where, item in chosen.refused if where == number)
        planned.append(replace(cached, decisions=(*cached.decisions, *left_out)) if left_out else cached)
    return tuple(planned)


def placed(
    region: Region, kernels: tuple[MappedKernel, ...], options: Options, names: frozenset[str], *, prepare: Preparing
) -> Placed:
    """The kernels with directives for the candidates that the planner serves; the kernels themselves without any.

    A kernel in which the user has written a directive is left as it is.
    """
    found = tuple(Proposed(item) for kernel in kernels for item in proposals(kernel, options))
    candidates = dense = tuple(_dense(_mapped(region, found), found, options)) if found else ()
    refused: list[tuple[int, Decision]] = []
    while dense:
        mapped = _mapped(region, dense)
        if len(mapped) != len(kernels):
            break
        planned = [plan_caches(prepare(kernel, Reporter()), options, names, Reporter()) for kernel in mapped]
        single = {item.key for item in dense if item.proposal.is_single}
        lost = [
            (number, item)
            for number, (kernel, cached) in enumerate(zip(mapped, planned, strict=True))
            if is_proposed(kernel)
            for item in _unserved(cached, single)
        ]
        refused += lost
        gone = {(item.location, item.text) for _, item in lost}
        kept = tuple(item for item in dense if item.key not in gone)
        if len(kept) == len(dense):
            return Placed(mapped, kept, tuple(refused), candidates)
        dense = kept
    return Placed(kernels, (), tuple(refused), candidates)


def is_proposed(kernel: MappedKernel) -> bool:
    """Whether a kernel's directives are accache's own."""
    directives = nodes_of(kernel.source, Cache)
    return any(subarray.density for node in directives for subarray in node.subarrays)


def _mapped(region: Region, proposed: tuple[Proposed, ...]) -> tuple[MappedKernel, ...]:
    return map_region(with_directives(region, proposed), Reporter())


def _unserved(cached: CachedKernel, single: set[Key]) -> Iterator[Decision]:
    """The decisions by which data stays where it is; a tile for a ``single`` iteration of a loop is none that helps."""
    for item in cached.decisions:
        if item.tile is not None and (item.location, item.text) in single:
            yield replace(item, method="none", reason=FOR_ONE_ITERATION, tile=None, share_obstacle="")
        elif item.tile is None and not item.stays_in_registers:
            yield item


def _dense(kernels: tuple[MappedKernel, ...], found: tuple[Proposed, ...], options: Options) -> Iterator[Proposed]:
    """The proposals that are worth a copy by their thread density in the kernels that they were put into."""
    by_key = {item.key: item.proposal for item in found}
    for kernel in kernels:
        survey = Survey(kernel)
        for stmt, path in _directives(kernel.body, ()):
            site = Site(survey, path)
            for subarray in stmt.subarrays:
                proposal = by_key.get((subarray.location, subarray.text))
                request = request_for(subarray, stmt, site, options, reporter=Reporter())
                if proposal is None or not isinstance(request, Request):
                    continue
                density = density_of(request, stmt.body, site)
                if density.is_candidate(options.density):
                    yield Proposed(proposal, density.density)


def _directives(stmt: Stmt, path: tuple[Stmt, ...]) -> Iterator[tuple[Cache, tuple[Stmt, ...]]]:
    """The directives in a statement, each with the statements around it."""
    if isinstance(stmt, Cache):
        yield stmt, path
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield from _directives(child, (*path, stmt))
