"""What becomes of one construct: the passes from its kernels on, which know nothing of the program's other constructs.

A construct is planned by itself wherever one has changed alone (``accache cc``), and one after the other by the driver.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.caching.auto.decision import Preparing, plan_construct
from accache.caching.cached import CachedKernel
from accache.caching.sizing.footprints import warn_of_unmapped
from accache.emit.program import RegionText, print_region
from accache.ir.openacc.regions import Program, Region
from accache.launching.plan import plan_region
from accache.launching.versions import LoweredRegion, lower_region
from accache.lowering.routines import LoweredRoutine, lower_routine, with_routines
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import map_region
from accache.mapping.worker_warps import with_a_warp_a_worker


class ConstructPasses(Struct, frozen=True):
    """What the constructs of a program are planned and lowered by."""

    options: Options
    names: frozenset[str]
    prepare: Preparing

    def reached(self, region: Region, kernels: tuple[MappedKernel, ...], reporter: Reporter) -> PlannedConstruct:
        """What becomes of a construct's kernels."""
        planned = plan_construct(region, kernels, self.options, self.names, prepare=self.prepare, reporter=reporter)
        return PlannedConstruct(planned, lower_region(planned, self.names, self.options, reporter))


class PlannedConstruct(Struct, frozen=True):
    """What became of a construct."""

    planned: tuple[CachedKernel, ...]
    lowered: LoweredRegion


def planned_construct(
    region: Region, kernels: tuple[MappedKernel, ...], passes: ConstructPasses, reporter: Reporter
) -> PlannedConstruct:
    """What becomes of a construct; its workers are warps where larger ones would wait for threads that never come.

    Nor are there directives that nobody wrote where threads would have to wait for their sake.
    """
    first = Reporter(list(reporter.diagnostics))
    found = passes.reached(region, kernels, first)
    if first.has_errors and passes.options.auto_cache:
        passes = replace(passes, options=replace(passes.options, auto_cache=False))
        first = Reporter(list(reporter.diagnostics))
        found = passes.reached(region, kernels, first)
    waiting = next((item for item in first.diagnostics if item.code == "ACC320"), None)
    narrow = with_a_warp_a_worker(region) if waiting is not None else None
    if waiting is not None and narrow is not None:
        other = Reporter(list(reporter.diagnostics))
        instead = passes.reached(narrow, map_region(narrow, Reporter()), other)
        if not other.has_errors:
            other.report("ACC366", waiting.location)
            found, first = instead, other
    reporter.include(first.diagnostics)
    return found


class Alone(Struct, frozen=True):
    """The texts of a construct of a program without routines.

    ``found`` is what was reported of it: as it was mapped, of what it does not map, and as it was planned.
    """

    text: RegionText
    found: tuple[tuple[Diagnostic, ...], ...]


def translate_construct(region: Region, names: frozenset[str], options: Options) -> Alone | None:
    """Translate one construct of a program without routines; None if that cannot be.

    What becomes of it depends on nothing else: of other constructs only the ``names`` matter, which are taken.
    """
    reporter, passes, parts = Reporter(), ConstructPasses(options, names, preparing(())), [0]
    try:
        kernels = map_region(region, reporter)
        parts.append(len(reporter.diagnostics))
        for kernel in kernels:
            warn_of_unmapped(kernel, reporter)
        parts.append(len(reporter.diagnostics))
        end = planned_construct(region, kernels, passes, reporter)
        reporter.stop_on_errors()
    except CompileError:
        return None
    text = print_region(plan_region(end.lowered), options.line)
    found = [tuple(reporter.diagnostics[first:last]) for first, last in zip(parts, [*parts[1:], None], strict=True)]
    return Alone(text, tuple(found))


def lowered_routines(program: Program, options: Options, reporter: Reporter) -> tuple[LoweredRoutine, ...]:
    """The routines of a program as the device runs them."""
    return tuple(lower_routine(routine, program.names, options, reporter) for routine in program.routines)


def preparing(routines: tuple[LoweredRoutine, ...]) -> Preparing:
    """What tells a kernel of the shared memory of the routines that it calls."""
    return lambda kernel, reporter: with_routines(kernel, routines, reporter)
