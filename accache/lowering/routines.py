"""Routines to what the device runs (OpenACC 3.3, section 2.15).

A seq routine is run by each thread for itself: its loops are plain loops. The others are run by all threads of a
block together, as the body of a kernel is: their loops are spread over threads and gangs, whatever the shape
of the block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.base.architectures import STATIC_SHARED_BYTES
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import Location, Span
from accache.caching.cached import without_caches
from accache.caching.routine_caches import report_alone, report_together
from accache.caching.shared_parts import routine_parts
from accache.caching.uncached import without_directives
from accache.ir.kernels.shared_layout import SharedLayout, SharedPart
from accache.ir.kernels.simt import BlockReduce, SharedArray
from accache.ir.openacc.directives import Directive
from accache.ir.openacc.regions import ConstructText, Region
from accache.ir.openacc.routines import Routine
from accache.ir.tree import Block, Expr, For, Stmt
from accache.ir.walk import rewrite, walk
from accache.lowering.placement import room_for_arrays
from accache.lowering.reuse import lower
from accache.mapping.data.atomics import settled
from accache.mapping.data.copies import Copies, counters
from accache.mapping.loops.switches import with_plain_switches
from accache.mapping.mapped import MappedKernel, with_routine_parts
from accache.mapping.mapping import map_routine

NOWHERE = Span(0, 0)


class LoweredRoutine(Struct, frozen=True):
    """A routine ready to print; ``shared``, ``names`` and ``generated`` as in LoweredKernel."""

    routine: Routine
    body: Stmt | None
    shared: tuple[SharedArray, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    generated: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()

    @property
    def shared_parts(self) -> tuple[SharedPart, ...]:
        """What it takes of a block's shared memory itself."""
        nodes = walk(self.body) if self.body is not None else ()
        return routine_parts(self.shared, (node for node in nodes if isinstance(node, BlockReduce)))


def lower_routine(routine: Routine, taken: frozenset[str], options: Options, reporter: Reporter) -> LoweredRoutine:
    """Lower one routine; reports cache directives in it, which change nothing."""
    if routine.body is None:
        return LoweredRoutine(routine, None)
    if routine.level == "seq":
        report_alone(routine.body, options, reporter)
        body = with_plain_switches(sequential(without_directives(routine.body), reporter), reporter)
        return LoweredRoutine(routine, settled(body, routine.used))
    return _collective(routine, taken, options, reporter)


def _collective(routine: Routine, taken: frozenset[str], options: Options, reporter: Reporter) -> LoweredRoutine:
    """Lower a routine that all threads of a block run together."""
    assert routine.body is not None
    where, directive = routine.location, Directive("routine", (), routine.location)
    region = Region(
        "parallel",
        routine.name,
        where,
        routine.body,
        data=(),
        variables=routine.used,
        text=ConstructText(NOWHERE, NOWHERE, NOWHERE),
        directive=directive,
    )
    mapped = map_routine(region, routine.level, reporter)
    report_together(mapped, options, reporter)
    cached = without_caches(mapped)
    lowered = lower(cached, taken, options, room_for_arrays(cached, options.arch), reporter=reporter)
    body = lowered.body
    while isinstance(body, Block) and len(body.items) == 1 and isinstance(body.items[0], Block):
        body = body.items[0]
    result = LoweredRoutine(routine, body, lowered.shared, lowered.names, lowered.generated, lowered.references)
    _check_size(result.shared_parts, where, reporter)
    return result


def _check_size(parts: tuple[SharedPart, ...], where: Location, reporter: Reporter) -> None:
    """Routines declare what they take, so that it has a limit (ACC349)."""
    size = SharedLayout(called=parts).most
    if size > STATIC_SHARED_BYTES:
        reporter.report("ACC349", where, bytes=size, limit=STATIC_SHARED_BYTES)


def sequential(body: Stmt, reporter: Reporter) -> Stmt:
    """A body whose loops all run one iteration after another; private variables are the iterations' own."""
    copies = Copies(reporter)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        return replace(node, loop=None, body=copies.inside(node.loop.private, node.body, counters(node), node.step))

    return rewrite(body, change)


def with_routines(kernel: MappedKernel, routines: Sequence[LoweredRoutine], reporter: Reporter) -> MappedKernel:
    """A kernel that knows how much shared memory the routines take that it calls (ACC349)."""
    by_symbol = {lowered.routine.symbol: lowered for lowered in routines}
    called = _called(kernel.body, by_symbol)
    parts = tuple(part for symbol in sorted(called) for part in by_symbol[symbol].shared_parts)
    _check_size(parts, kernel.region.location, reporter)
    return with_routine_parts(kernel, parts) if parts != kernel.routine_parts else kernel


def _called(body: Stmt, by_symbol: Mapping[str, LoweredRoutine]) -> frozenset[str]:
    """The routines of this file that a body calls, and those that they call."""
    found: set[str] = set()
    pending = [body]
    while pending:
        for call in collective_calls(pending.pop()):
            assert call.callee is not None
            lowered = by_symbol.get(call.callee.symbol)
            if lowered is not None and call.callee.symbol not in found:
                found.add(call.callee.symbol)
                pending += [lowered.body] if lowered.body is not None else []
    return frozenset(found)
