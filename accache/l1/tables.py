"""What moves between memory, L2 and L1, in all and by load, array or line of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from accache.base.choices import LoadPolicy
from accache.base.diagnostics import Reporter
from accache.l1.gpus import Gpu
from accache.l1.hierarchy import COLUMNS, SECTOR_BYTES, hierarchy_of
from accache.l1.modes import PAPER
from accache.l1.policies import POLICIES
from accache.l1.requests import make_requests
from accache.l1.setups import setup_of
from accache.l1.streams import fixed_order, side_by_side
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Site, Trace, parts_of

GROUPINGS = ("load", "array", "line")


@dataclass(frozen=True)
class Row:
    """Counts of one load, array or line of the source, or of all of them, in the fixed order.

    ``requests`` of loads, of which for ``hits`` all sectors were in L1; bytes ``asked`` for in sectors, those of them
    ``in_l1``, and ``first`` those asked for the first time; bytes ``from_l2`` to L1, and those of them that were
    ``in_l2`` and not in memory only. ``stores`` are requests, of ``stored`` bytes in sectors.
    """

    name: str
    requests: int
    hits: int
    asked: int
    in_l1: int
    first: int
    from_l2: int
    in_l2: int
    stores: int
    stored: int

    @property
    def from_memory(self) -> int:
        """Bytes that L2 had to get from memory for L1."""
        return self.from_l2 - self.in_l2

    def plus(self, other: Row) -> Row:
        """The sum of two, with the name of this one."""
        _, *own = astuple(self)
        _, *more = astuple(other)
        return Row(self.name, *(one + two for one, two in zip(own, more, strict=True)))


@dataclass(frozen=True)
class Movement:
    """What a launch moves: a row for each site of the trace, the sum, and the bytes that L2 wrote to memory."""

    rows: tuple[Row, ...]
    total: Row
    written: int


def movement(trace: Trace, gpu: Gpu, tools: Tools = PLAIN) -> Movement:
    """Send a trace through L1 and L2 in the fixed order, each load by the policy of its site.

    Where it is of several multiprocessors, each has an L1 of its own, and they share L2.

    Raises:
        CompileError: steps of a thread go back.
        ValueError: a block has more threads than the multiprocessor holds.
    """
    sector_bytes = min(SECTOR_BYTES, gpu.line_bytes)
    active = setup_of(gpu, PAPER, trace.block_threads).active_blocks
    fine = replace(gpu, sector_bytes=sector_bytes)
    stream = side_by_side(
        [
            fixed_order(make_requests(part, fine, tools.coalesce, tools.order, stores=True), active)
            for part in parts_of(trace)
            if len(part.thread)
        ]
    )
    sites = trace.sites or (Site(),) * (int(stream.site.max()) + 1)
    policies = np.array([POLICIES.index(site.policy) for site in sites], np.int8)
    flow = tools.prepare_hierarchy(stream)(hierarchy_of(gpu), policies)
    in_sectors = np.array([name not in ("requests", "hits", "stores") for name in COLUMNS])
    sizes = flow.counts * np.where(in_sectors, sector_bytes, 1)
    order = [COLUMNS.index(name) for name in _ORDER]
    rows = tuple(Row(str(site), *counts) for site, counts in enumerate(sizes[:, order].tolist()))
    return Movement(rows, summed("total", rows), flow.written * sector_bytes)


_ORDER = ("requests", "hits", "sectors", "sector_hits", "first", "fetched", "l2_hits", "stores", "stored")


def grouped(found: Movement, trace: Trace, by: str, name: str) -> tuple[Row, ...]:
    """The rows of a movement, added up by one of GROUPINGS, in the order of the sites that have accesses.

    Raises:
        CompileError: the trace (called ``name``) does not tell what is asked for.
    """
    if trace.site is None:
        raise Reporter().fail("ACC810", name=name, what=by)
    sites = trace.sites or tuple(Site(str(i)) for i in range(len(found.rows)))
    labels = [_label(site, number, by) for number, site in enumerate(sites)]
    groups: dict[str, list[Row]] = {}
    for label, row in zip(labels, found.rows, strict=True):
        if row.requests or row.stores:
            groups.setdefault(label, []).append(row)
    if not any(groups):
        raise Reporter().fail("ACC810", name=name, what=by)
    return tuple(summed(label or "unknown", rows) for label, rows in groups.items())


def summed(name: str, rows: Sequence[Row]) -> Row:
    """The sum of rows."""
    total = Row(name, *[0] * len(_ORDER))
    for row in rows:
        total = total.plus(row)
    return total


def with_policies(trace: Trace, policies: Sequence[tuple[str, LoadPolicy]], name: str) -> Trace:
    """The trace with loads made in another way: pairs of what sites are known by, and a policy; the last one counts.

    Raises:
        CompileError: the trace (called ``name``) has no site of that name, array or place.
    """
    sites = list(trace.sites)
    if trace.site is not None and policies and not sites:
        sites = [Site(str(number)) for number in range(int(trace.site.max()) + 1)]
    for wanted, policy in policies:
        meant = [at for at, site in enumerate(sites) if wanted in (site.name, site.array, _place(site))]
        if not meant:
            raise Reporter().fail("ACC814", name=name, load=wanted)
        for at in meant:
            sites[at] = replace(sites[at], policy=policy)
    return replace(trace, sites=tuple(sites))


def _place(site: Site) -> str:
    return f"{site.file}:{site.line}" if site.file else f"line {site.line}" if site.line else ""


def _label(site: Site, number: int, by: str) -> str:
    """What a site is called in a table; empty if the trace does not say it."""
    place = _place(site)
    if by == "array":
        return site.array
    if by == "line":
        return place
    told = " ".join(filter(None, [site.name or str(number), site.array, place]))
    return told if site.policy == "ca" else f"{told} {site.policy}"
