"""What constructs read of memory that has no value: copies that were only allocated, and private variables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from msgspec.structs import replace

from accache.analysis.first_access import Access, accesses, unset_read
from accache.base.diagnostics import Reporter
from accache.ir.names import user_name
from accache.ir.openacc.lifetimes import Lifetime
from accache.ir.openacc.regions import Private, Program, Region
from accache.ir.tree import For, Stmt
from accache.ir.walk import walk

_BETTER = {"create": "copyin", "copyout": "copy"}


def warn_of_unset(program: Program, reporter: Reporter) -> None:
    """Warn of the first read of each copy that nothing has filled (ACC332), and of each private variable (ACC333)."""
    read = [
        (found, item.clause) for item in program.lifetimes if (found := _of_copy(item, program.regions)) is not None
    ]
    for access, clause in sorted(read, key=lambda pair: (pair[0].location.line, pair[0].location.column)):
        name, action = user_name(clause.subarray.variable), clause.action
        reporter.report("ACC332", access.location, name=name, clause=action, better=_BETTER[action])
    for region in program.regions:
        for item, stmt in _private(region):
            found = unset_read(accesses(stmt, item.name, is_own=not item.is_array))
            if found is not None:
                reporter.report("ACC333", found.location, name=user_name(item.name))


def _of_copy(lifetime: Lifetime, regions: tuple[Region, ...]) -> Access | None:
    """The first access of a copy, if it reads it before anything may have written it."""

    @cache
    def seen(number: int) -> tuple[Access, ...]:
        return _in_region(regions[number], lifetime)

    for visit in lifetime.visits:
        found = seen(visit.construct)
        if all(access.is_read for access in found) and regions[visit.construct].execution.condition is not None:
            continue  # it may read the host's
        if found:
            writers = (access for number in visit.followers for access in seen(number) if not access.is_read)
            may_be_set = visit.may_be_filled or any(writers)
            is_known = (visit.is_first or not may_be_set) and regions[visit.construct].execution.condition is None
            return unset_read(found, may_be_set=may_be_set, changed=visit.changed) if is_known else None
    return None


def _in_region(region: Region, lifetime: Lifetime) -> tuple[Access, ...]:
    """What a construct does with a copy: nothing if it has copies of its own without a value."""
    name = lifetime.clause.subarray.variable
    if any(item.name == name for item in region.private):
        return ()
    started = {*(item.name for item in region.firstprivate), *(item.variable for item in region.reductions)}
    if name in started:
        return (Access(False, False, region.location),)
    return accesses(region.body, name, is_apart=lifetime.is_apart)


def _private(region: Region) -> Iterator[tuple[Private, Stmt]]:
    """What is private, with the statement that starts with such a variable."""
    for item in region.private:
        yield item, region.body
    for node in walk(region.body):
        if isinstance(node, For) and node.loop is not None:
            for item in node.loop.private:
                yield item, replace(node, loop=None)
