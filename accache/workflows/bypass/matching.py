"""Which loads of a trace are which loads of PTX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from accache.base.choices import LoadPolicy
from accache.base.diagnostics import Reporter
from accache.bypass.report import Left
from accache.l1.trace import Site
from accache.ptx.loads.loads import LoadGroup, Place

_NUMBER = re.compile(r"(?:(?P<function>.+)\+)?(?P<number>\d+)")


@dataclass(frozen=True)
class Candidate:
    """Loads that are decided on together: sites of a trace, and the places in PTX that they are."""

    name: str
    sites: frozenset[int]
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Matched:
    """The candidates, the sites that have another policy than the trace says, and what is left as it is."""

    candidates: tuple[Candidate, ...]
    policies: tuple[tuple[int, LoadPolicy], ...] = ()
    left: tuple[Left, ...] = ()


def candidates_of_trace(sites: Sequence[Site], loads: Sequence[int]) -> Matched:
    """Every site that loads; those of one line and one array, where the trace tells these, together."""
    together: dict[tuple[str, ...], list[int]] = {}
    for load in loads:
        site = sites[load]
        key = (site.file, str(site.line), site.array) if site.line else (site.name, site.array, str(load))
        together.setdefault(key, []).append(load)
    return Matched(tuple(Candidate(_title(sites[found[0]], found[0]), frozenset(found)) for found in together.values()))


def match(
    sites: Sequence[Site], loads: Sequence[int], groups: Sequence[LoadGroup], kernel: str, *, reporter: Reporter
) -> Matched:
    """The groups of a kernel's loads that a trace has, in the order of the program.

    A site whose name is a number, also behind a function's name and a plus, is the instruction of that number; a site
    without name and line is that of its own number. Others are the groups of their line, all of them together if a line
    has several.

    Raises:
        CompileError: none of the sites is in the kernel.
    """
    found: list[tuple[set[int], set[int]]] = []  # sites and groups that belong together
    for load in loads:
        own = _groups_of(sites[load], load, groups, kernel)
        if not own:
            continue
        joined = ({load}, own)
        for other in [pair for pair in found if pair[1] & own]:
            joined = (joined[0] | other[0], joined[1] | other[1])
            found.remove(other)
        found.append(joined)
    known = {site for own, _ in found for site in own}
    if not found:
        raise reporter.fail("ACC966", kernel=kernel)
    if missing := [load for load in loads if load not in known]:
        reporter.report("ACC967", count=len(missing), kernel=kernel)
    return _sorted_out(sorted(found, key=lambda pair: min(pair[1])), groups)


def named_by_ptx(
    sites: Sequence[Site], loads: Sequence[int], groups: Sequence[LoadGroup], kernel: str, *, reporter: Reporter
) -> tuple[Site, ...]:
    """The sites of a trace with the names, lines and policies of the loads that they are in a kernel.

    Raises:
        CompileError: none of them is in the kernel.
    """
    match(sites, loads, groups, kernel, reporter=reporter)
    named = list(sites)
    for load in loads:
        own = [groups[number] for number in sorted(_groups_of(sites[load], load, groups, kernel))]
        if own:
            source = own[0].place.source
            file, line = (source.file, source.line) if source else ("", 0)
            named[load] = replace(
                sites[load], name=_joined_name(own), file=file, line=line, policy=own[0].policy or sites[load].policy
            )
    return tuple(named)


def _sorted_out(found: Sequence[tuple[set[int], set[int]]], groups: Sequence[LoadGroup]) -> Matched:
    """Loads that may bypass are candidates; what must stay is left, and so is what the trace does not have."""
    candidates, policies, left = [], [], []
    seen: set[int] = set()
    for sites, members in found:
        seen |= members
        own = [groups[member] for member in sorted(members)]
        name = _joined_name(own)
        if kept := next((group for group in own if group.kept), None):
            left.append(Left(name, kept.kept))
            policies += [(site, kept.policy) for site in sorted(sites)]
        else:
            candidates.append(Candidate(name, frozenset(sites), tuple(group.place for group in own)))
    left += [
        Left(str(group.place), group.kept or "it is not in the trace")
        for number, group in enumerate(groups)
        if number not in seen
    ]
    return Matched(tuple(candidates), tuple(policies), tuple(left))


def _joined_name(groups: Sequence[LoadGroup]) -> str:
    """The place of several groups: that of the first without its pointer, and how many there are."""
    first = groups[0].place
    return str(first) if len(groups) == 1 else f"{replace(first, root='', call=None)}, {len(groups)} pointers"


def _groups_of(site: Site, load: int, groups: Sequence[LoadGroup], kernel: str) -> set[int]:
    """The groups that a site may be one of."""
    name = site.name or ("" if site.line else str(load))
    if numbered := _NUMBER.fullmatch(name):
        function, number = numbered["function"] or kernel, int(numbered["number"])
        return {
            place for place, group in enumerate(groups) if number in group.numbers and group.place.function == function
        }
    return {
        place
        for place, group in enumerate(groups)
        if (source := group.place.source)
        and source.line == site.line
        and PurePath(source.file).name == PurePath(site.file).name
    }


def _title(site: Site, load: int) -> str:
    where = f"{site.file}:{site.line}" if site.line else site.name or f"load {load}"
    return f"{where}, {site.array}" if site.array else where
