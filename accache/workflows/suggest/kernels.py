"""From the launch of a kernel to what should be copied: density, profit, rules against, and the selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from accache.base.architectures import KEPLER
from accache.density.measure import Density
from accache.density.selection import Candidate, Option, select
from accache.l1.gpus import Gpu
from accache.l1.hierarchy import SECTOR_BYTES
from accache.l1.tables import Row
from accache.l1.tools import Tools
from accache.ptx.replay.names import plain_name
from accache.workflows.suggest.arrays import Used, arrays_used, named_arrays
from accache.workflows.suggest.decided import Decided
from accache.workflows.suggest.hazards import hazards
from accache.workflows.suggest.launches import Launched
from accache.workflows.suggest.own_lines import own_lines
from accache.workflows.suggest.profit import Profit, passing_l1
from accache.workflows.suggest.records import KernelSuggestions, Suggestion
from accache.workflows.tracing import trace_launch

_ABOUT_ONE = 0.9
_UNCOALESCED = 2


@dataclass(frozen=True)
class _Choice:
    """A region of an array, the bytes of its copy, and what it alone saves."""

    density: Density
    shared: int
    saved: int


def suggestions(
    launched: Launched, gpu: Gpu, threshold: float, tools: Tools, *, decided: Decided | None = None
) -> KernelSuggestions | None:
    """What of a kernel's arrays to copy, from a thread density of ``threshold`` on; None if it loads nothing.

    What the planner has ``decided`` of a C program's directives is not gone against.

    Raises:
        CompileError: the PTX machine cannot execute the launch, or it is too long for a trace.
    """
    launch = launched.captured.launch
    arrays = named_arrays(launched.captured)
    trace = passing_l1(trace_launch(launched.module, launch, arrays=arrays, home=launched.name), gpu)
    if not (trace.direction == 0).any():
        return None
    own = launched.usage.shared + launch.shared_bytes
    chip = gpu.unified.architecture if gpu.unified is not None else KEPLER
    left = chip.shared_room(trace.block_threads, own, launched.usage.registers)
    blocks = chip.resident_blocks(trace.block_threads, own, launched.usage.registers)
    profit = Profit(trace, replace(gpu, blocks=max(1, blocks)), own, launch.kernel, tools)
    rows = profit.rows()
    used = arrays_used(trace, left)
    against = hazards(launched.module, launch, arrays)
    grid = -(-prod(launch.grid) // gpu.multiprocessors)
    resident = min(max(1, blocks), grid) * trace.block_threads
    lines = own_lines(trace, chip, resident, left, rows=rows, barred=against) if gpu.unified is not None else None
    judged = [
        _judged(each, rows[each.array], against.get(each.array, ""), threshold, left=left, profit=profit)
        for each in used
    ]
    if decided is not None:
        judged = [(own, rule or decided.rule(each.array)) for each, (own, rule) in zip(used, judged, strict=True)]
    chosen, saved, shared = _selected(used, judged, left, profit)
    found = [
        replace(
            _suggestion(each, rows[each.array], choices, rule, taken=taken),
            directive=decided.directive(each.array) if decided is not None and taken is None else None,
        )
        for each, (choices, rule), taken in zip(used, judged, chosen, strict=True)
    ]
    return KernelSuggestions(
        plain_name(launch.kernel),
        launch.block,
        int(trace.thread.max()) // trace.block_threads * trace.block_threads + trace.block_threads,
        launched.usage.registers,
        blocks=blocks,
        room=left,
        shared=shared,
        saved=saved,
        suggestions=tuple(sorted(found, key=_rank)),
        own_lines=lines,
        directives=decided.directives if decided is not None else (),
    )


def _judged(
    used: Used, row: Row, hazard: str, threshold: float, *, left: int, profit: Profit
) -> tuple[tuple[_Choice, ...], str]:
    """The regions that may be copied with profit, or, without any, the one that comes nearest; and the rule against."""
    whole = used.densities[0]
    regions = [each for each in used.densities if _is_dense(each, row, threshold)]
    fitting = [each for each in regions if each.padded_bytes <= left]
    usable = [each for each in fitting if used.is_uniform or each is whole]
    plain = (
        "written"
        if used.is_written
        else hazard or ("irregular" if not used.is_regular else "" if regions else "sparse")
    )
    rule = plain or ("" if usable else "not uniform" if fitting else "does not fit")
    choices = [_choice(used.array, each, row, profit) for each in (usable or fitting or regions or used.densities)]
    if rule:
        return (max(choices, key=lambda choice: (choice.density.density, -choice.shared)),), rule
    worth = [choice for choice in choices if choice.saved > 0]
    return (tuple(worth), "") if worth else ((max(choices, key=lambda choice: choice.saved),), "saves nothing")


def _is_dense(found: Density, row: Row, threshold: float) -> bool:
    """Whether a region is a candidate: threads share its elements, or its loads move far more sectors than it needs."""
    useful = found.touched * found.element_bytes
    return found.density >= threshold or (found.density >= _ABOUT_ONE and row.asked >= _UNCOALESCED * useful)


def _choice(array: str, found: Density, row: Row, profit: Profit) -> _Choice:
    """A region with what its copy saves; where copies move more than the loads do, L1 need not be asked."""
    saved = row.from_l2 - SECTOR_BYTES * found.copied
    if saved > 0:
        saved = profit.saved({array: found.copied}, found.padded_bytes)
    return _Choice(found, found.padded_bytes, saved)


def _selected(
    used: Sequence[Used], judged: Sequence[tuple[Sequence[_Choice], str]], left: int, profit: Profit
) -> tuple[tuple[int | None, ...], int, int]:
    """The choice for each array, the bytes that all together save, and their shared memory.

    The knapsack's values are those of each copy alone. Together they may save less, because each takes some of L1;
    should the best of them alone save more, or the first that fit, those are made.
    """
    phases, choices = _phases(used), [own for own, _ in judged]
    options = [
        Candidate(() if rule else tuple(Option(each.saved, each.shared) for each in own), alive)
        for (own, rule), alive in zip(judged, phases, strict=True)
    ]
    ways = dict.fromkeys((select(options, left), _best_alone(judged, left), _first_fit(judged, left)))
    made = [(way, *_together(used, choices, way, phases, profit=profit)) for way in ways]
    return max(made, key=lambda way: way[1])


def _best_alone(judged: Sequence[tuple[Sequence[_Choice], str]], left: int) -> tuple[int | None, ...]:
    """The one copy that saves most without others."""
    fitting = [
        (each.saved, at, number)
        for at, (own, rule) in enumerate(judged)
        for number, each in enumerate(own)
        if not rule and each.shared <= left
    ]
    _, best, taken = max(fitting, default=(0, -1, -1), key=lambda each: each[0])
    return tuple(taken if at == best else None for at in range(len(judged)))


def _first_fit(judged: Sequence[tuple[Sequence[_Choice], str]], left: int) -> tuple[int | None, ...]:
    """What compilers take: of each array, in the order of their loads, the first copy that still fits."""
    taken = list[int | None]()
    for own, rule in judged:
        number = next((number for number, each in enumerate(own) if not rule and each.shared <= left), None)
        left -= 0 if number is None else own[number].shared
        taken.append(number)
    return tuple(taken)


def _together(
    used: Sequence[Used],
    choices: Sequence[Sequence[_Choice]],
    taken: Sequence[int | None],
    phases: Sequence[frozenset[int]],
    *,
    profit: Profit,
) -> tuple[int, int]:
    """What copies save together, and the most shared memory that is alive at a time."""
    copied: dict[str, int] = {}
    loads: dict[int, int] = {}
    for each, own, number, alive in zip(used, choices, taken, phases, strict=True):
        if number is not None:
            copied[each.array] = own[number].density.copied
            for phase in alive:
                loads[phase] = loads.get(phase, 0) + own[number].shared
    shared = max(loads.values(), default=0)
    return (profit.saved(copied, shared) if copied else 0), shared


def _rank(item: Suggestion) -> tuple[bool, bool, int, float, str]:
    """What is to be copied comes first, then what a directive keeps, each by the bytes that a copy saves."""
    return not item.is_chosen, item.directive is None, -item.saved, -item.density.density, item.array


def _phases(used: Sequence[Used]) -> tuple[frozenset[int], ...]:
    """The phases in which each array is loaded: one begins where the first load of an array does."""
    begins = sorted({each.steps[0] for each in used})
    return tuple(
        frozenset(phase for phase, begin in enumerate(begins) if each.steps[0] <= begin <= each.steps[1])
        for each in used
    )


def _suggestion(used: Used, row: Row, choices: Sequence[_Choice], rule: str, *, taken: int | None) -> Suggestion:
    choice = choices[taken] if taken is not None else max(choices, key=lambda choice: choice.saved)
    return Suggestion(
        used.array,
        used.lines,
        choice.density,
        row.asked // SECTOR_BYTES,
        with_l1=row.from_l2 // SECTOR_BYTES,
        with_copy=choice.density.copied,
        shared=choice.shared,
        saved=choice.saved,
        rule=rule or ("" if taken is not None else "outdone"),
    )
