"""Where lines of each thread's own would pay (method private), by what a launch did to memory.

They pay where the lines of L1 that all resident threads are in fill it, and where they save bytes: the rule of
``Architecture.threads_that_fill_l1``, with as many lines as the trace has in the place of one a thread and array.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from accache.base.architectures import Architecture
from accache.base.options import Options
from accache.caching.line_streams import HIT
from accache.caching.methods.private import NARROW, line_bytes
from accache.l1.own_records import Scanned, filled, scanned
from accache.l1.tables import Row
from accache.l1.trace import Trace
from accache.workflows.suggest.records import OwnLines


def own_lines(
    trace: Trace, chip: Architecture, resident: int, room: int, *, rows: Mapping[str, Row], barred: Collection[str]
) -> OwnLines | None:
    """What lines of a thread's own would do for the arrays that allow them; None if no array does.

    ``resident`` threads are on a multiprocessor at a time, whose blocks have ``room`` bytes of shared memory left.
    ``rows`` tell what moves without lines. ``barred`` arrays cannot have lines.
    """
    names = [name for name in dict.fromkeys(site.array for site in trace.sites) if name and name not in barred]
    found = [each for each in scanned(trace, names, NARROW) if each.is_own]
    size = line_bytes(Options(arch=chip.name), len(found))
    hit = [each for each in scanned(trace, [each.array for each in found], size) if _gain(each) > 0]
    taken = sorted(hit, key=_gain, reverse=True)[: room // (trace.block_threads * size)]
    if not taken:
        return None
    return OwnLines(
        tuple(each.array for each in taken),
        size,
        resident,
        filled(hit, resident),
        l1_bytes=chip.unified,
        moved=sum(rows[each.array].from_l2 + rows[each.array].stored for each in taken),
        moved_then=size * sum(each.misses for each in taken),
    )


def _gain(found: Scanned) -> int:
    """What a line of each thread saves, as ``line_streams.Stream.gain`` counts it."""
    return HIT * (found.accesses - found.misses) - found.misses
