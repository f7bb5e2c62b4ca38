"""The report as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from accache.base.plain import plain
from accache.report.html import report_view
from accache.report.records import (
    ACCESSES,
    BankReport,
    CandidateReport,
    Change,
    DiagnosticReport,
    DimensionReport,
    KernelReport,
    Number,
    ReportData,
    SubarrayReport,
)

MARGIN = "  "
COLUMN = 12
SHOWN_PAIRS = 3
SHOWN_CANDIDATES = 2
ROUNDED = 100
FAST_MATH = """\
fast math
  nvcc -use_fast_math approximates divisions, roots and functions of floats, and takes denormal numbers for 0: results
  on a GPU are not those of the C program to the bit, nor those of a run on a CPU, which computes exactly"""
MAKES_ONE = "'#pragma acc parallel loop' in front of a loop makes one"
_PARENTHESES = re.compile(r"\([^()]*\)")


class Report(ReportData, frozen=True):
    """A report that prints itself: ``str`` is the long form."""

    def __str__(self) -> str:
        parts = [_kernel(kernel) for kernel in self.kernels]
        parts = parts or [f"no compute construct: {MAKES_ONE}"]
        told = {found for kernel in self.kernels for item in kernel.subarrays for found in item.refused}
        others = [found for found in self.diagnostics if found not in told]
        if others:
            parts.append("\n".join(["also reported", *map(_diagnostic, others)]))
        parts += [FAST_MATH] if self.kernels and self.fast_math else []
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """What ``accache explain --json`` prints (docs/explain.md)."""
        record: dict[str, Any] = plain(self)
        return record

    def _repr_html_(self) -> str:
        """For notebooks."""
        return report_view(self, str(self)).html()

    def short(self) -> str:
        """One line a subarray, to stand below the diagnostics: what these tell of it is not told again."""
        lines = [
            f"{self.file}:{item.line}: {_directive(item)}: {summary}"
            for kernel in self.kernels
            for item in kernel.subarrays
            if (summary := _summary(item))
        ]
        return "\n".join(lines)


def _directive(item: SubarrayReport) -> str:
    """The directive; of one that nobody wrote, why it is here."""
    return f"cache({item.written})" + (f", proposed at thread density {item.density:.2f}" if item.density else "")


def _summary(item: SubarrayReport) -> str:
    """What a subarray became, in one line; '' where a diagnostic says it all, or where it was proposed in vain."""
    if item.density and item.is_refused:
        return ""
    reason = item.obstacle or item.reason
    is_told = any(_reason(found) == reason for found in item.refused)
    if is_told and not item.shared_bytes:
        return ""
    size = f", {item.shared_bytes} bytes" if item.shared_bytes else ""
    where = {"block": ", shared by the block", "thread": ", one for each thread"}.get(item.scope, "")
    policy = f", write-{item.policy}" if item.policy else ""
    return f"{item.method}{where}{size}{policy}{'' if is_told else f': {reason}'}"


def _reason(found: DiagnosticReport) -> str:
    """The part of a message that tells why."""
    return found.message.partition(": ")[2]


def _row(label: str, text: str) -> str:
    return f"{MARGIN}{label:<{COLUMN}}{text}".rstrip()


_OTHERWISE = {"sequential": "same kernel, run by one thread", "overlapping": "kernel for arrays that may overlap"}


def _kernel(kernel: KernelReport) -> str:
    """A kernel, and each of its subarrays."""
    return "\n\n".join((kernel_paragraph(kernel), *map(subarray_paragraph, kernel.subarrays)))


def subarray_paragraph(item: SubarrayReport) -> str:
    """What became of a subarray, and why."""
    return "\n".join(_subarray(item))


def kernel_paragraph(kernel: KernelReport) -> str:
    """A kernel: its launch, shared memory, loads and estimates, without its subarrays."""
    x, y, z = kernel.block
    lines = [f"{kernel.function}(), line {kernel.line}: kernel {kernel.name}"]
    if kernel.loops:
        lines.append(_row("parallel", f"over {', '.join(kernel.loops)}"))
    extents = " x ".join(_factor(number.formula) for number in kernel.grid)
    limit = f", {kernel.most_blocks} blocks at most" if kernel.most_blocks and len(kernel.grid) > 1 else ""
    lines.append(_row("launch", f"{x} x {y} x {z} = {_many(kernel.threads, 'thread')} a block; grid {extents}{limit}"))
    lines.append(_row("shared", _shared(kernel)))
    lines += _change("loads", kernel.launch_loads, "in a launch")
    has_tiles = any(item.tile for item in kernel.subarrays)
    other = "kernel with one iteration a thread" if kernel.iterations and not has_tiles else "uncached kernel"
    careful = _OTHERWISE.get(kernel.otherwise, other)
    if kernel.iterations:
        fewer = f" {_times(kernel.fewer)}, of fewer than {kernel.fewest_blocks_of_fewer}" if kernel.fewer else ""
        few = f"; in launches of fewer than {kernel.fewest_blocks} blocks{fewer} one" if kernel.fewest_blocks else ""
        edges = f"; those at the edges of {', '.join(kernel.edges)} one by one" if kernel.edges else ""
        if kernel.is_triangle:
            at_edge = "; those at its edge one by one" if kernel.edges else ""
            edges = f" of the rectangle around a triangle{at_edge}"
        lines.append(_row("iterations", f"{_times(kernel.iterations)} a thread{edges}{few}"))
    elif kernel.warp_an_iteration:
        few = f"in launches of fewer than {kernel.fewest_blocks} blocks, and of longer loops in it, a block"
        lines.append(_row("lanes", f"each iteration of {kernel.loops[0]} has a warp; {few}"))
    elif kernel.fewest_blocks:
        few = f"in launches of fewer than {kernel.fewest_blocks} blocks each has a block"
        lines.append(_row("lanes", f"neighbouring iterations of {kernel.loops[0]} are lanes of a warp; {few}"))
    if kernel.wide_where:
        lines.append(_row("wide", f"neighbouring elements are accessed at once in launches where {kernel.wide_where}"))
    if kernel.kept_rows:
        kept = " and ".join(f"{count} of {array}" for array, count in kernel.kept_rows)
        lines.append(_row("kept", f"in registers, elements that lanes walk again: {kept} a thread"))
    if kernel.columns:
        lines.append(_row("columns", f"in shared memory, a column of {' and '.join(kernel.columns)} for each thread"))
    if kernel.overlap_checks:
        lines.append(_row("overlap", f"{_pairs(kernel.overlap_checks)}, the launch takes the {careful}"))
    for array, first, last in kernel.extent_checks:
        absent = f"unless {array} holds its elements {first} to {last}"
        lines.append(_row("extent", f"{absent}, the launch takes the {other}"))
    for length, most in kernel.length_checks:
        lines.append(_row("length", f"unless {length} is at most {most}, the launch takes the {other}"))
    lines += _candidates(kernel)
    return "\n".join(lines)


def _candidates(kernel: KernelReport) -> Iterator[str]:
    """The forms of a kernel that were tried: what is emitted, those with one iteration a thread, and the quickest."""
    shown = [item for item in kernel.candidates if item.chosen or not item.iterations]
    others = [item for item in kernel.candidates if item not in shown]
    shown += others[:SHOWN_CANDIDATES]
    for number, item in enumerate(sorted(shown, key=lambda item: item.clocks)):
        yield _row("" if number else "estimate", _candidate(item))
    if len(others) > SHOWN_CANDIDATES:
        yield _row("", f"and {_many(len(others) - SHOWN_CANDIDATES, 'other')} of several iterations a thread: --json")
    if kernel.candidates and kernel.obstacle:
        yield _row("", f"no form of several iterations a thread: {kernel.obstacle}")


def _candidate(item: CandidateReport) -> str:
    """What a warp takes in one form of a kernel, what that needs, and why it is emitted or not."""
    form = f"with {', '.join(item.subarrays)} in tiles" if item.subarrays else "without tiles"
    if item.iterations:
        form = f"with {_times(item.iterations)} iterations a thread"
    parts = [form]
    parts += ["in blocks of " + " x ".join(map(str, item.block))] if item.subarrays else []
    parts += [f"{_many(item.shared_bytes, 'byte')} shared"] if item.shared_bytes else []
    parts += [ACCESSES[item.accesses]] if item.accesses else []
    parts += [f"{_many(item.registers, 'register')} for them"] if item.registers else []
    clocks = f"{item.clocks:.1f}" if item.clocks < ROUNDED else f"{item.clocks:.0f}"
    text = f"{clocks} clocks a warp ({item.bound}) {', '.join(parts)}"
    return f"{text}, chosen" if item.chosen else f"{text}: {item.refused}"


def _times(numbers: Iterable[int]) -> str:
    """Numbers with crosses between them: ``8 x 4``."""
    return " x ".join(map(str, numbers))


def _factor(formula: str) -> str:
    """A formula as a factor of a product.

    >>> _factor("ceil((n - 8)/32)"), _factor("-1 + ceil(n/8)")
    ('ceil((n - 8)/32)', '(-1 + ceil(n/8))')
    """
    outside, inner = formula, ""
    while inner != outside:
        inner, outside = outside, _PARENTHESES.sub("", outside)
    return f"({formula})" if " + " in outside or " - " in outside else formula


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    """When arrays overlap that the cached kernel takes for different ones."""
    if len(pairs) > SHOWN_PAIRS:
        return f"if one of {len(pairs)} pairs of arrays overlaps"
    return "if " + " or ".join(f"{a} and {b} overlap" for a, b in pairs)


def _shared(kernel: KernelReport) -> str:
    text = f"{_many(kernel.shared_bytes, 'byte')} a block"
    found = kernel.occupancy
    blocks = f"{_many(found.blocks, 'block')} a multiprocessor, occupancy {found.percent} % (limit: {found.limit})"
    if found.registers is not None:
        return f"{text}; {found.arch} holds {blocks}; a thread has {_many(found.registers, 'register')}"
    return f"{text}; {found.arch} holds at most {blocks}; registers are not counted (--registers)"


def _subarray(item: SubarrayReport) -> Iterator[str]:
    yield f"{MARGIN}line {item.line}: {_directive(item)}"
    same = [found for found in item.refused if _reason(found) == item.reason]
    yield _row("  method", f"{item.method}: {item.reason}{''.join(f' [{found.code}]' for found in same)}")
    if item.tile:
        extents = "".join(f"[{extent}]" for extent in item.extents)
        shared = "one for the block" if item.scope == "block" else "one for each thread"
        padding = f", {item.padding} a row is padding" if item.padding else ""
        place = f", in the place of {' and '.join(item.in_place_of)}" if item.in_place_of else ""
        size = f"{item.shared_bytes} bytes" if item.shared_bytes else "in registers"
        yield _row("  tile", f"{item.tile}{extents}, {shared}, {size}{padding}{place}")
    elif item.line_bytes:
        yield _row("  lines", f"{item.line_bytes} bytes for each thread, as many as the launch finds room for;")
        arrays = (
            f"which of {_many(item.line_arrays, 'array')} have one" if item.line_arrays > 1 else "whether to have one"
        )
        if item.line_calls:
            yield _row("", f"  after {item.line_calls} accesses of its first threads a block decides {arrays};")
        else:
            turn = (
                f"where there are fewer than arrays, this is number {item.line_turn} of {item.line_arrays} to have one"
            )
            yield _row("", f"  what it gains its references tell{f'; {turn}' if item.line_arrays > 1 else ''};")
        yield _row("", f"  {_where_lines_pay(item)}")
    elif item.shared_bytes:
        yield _row("  array", f"one copy a block, {item.shared_bytes} bytes")
    if item.obstacle:
        yield _row("  unshared", item.obstacle)
    for dimension in item.dimensions:
        yield from _dimension(dimension, len(item.dimensions) == 1)
    if item.policy:
        yield _row("  writes", f"write-{item.policy}: {item.policy_reason}{_tracking(item.tracking)}")
    if item.loads is not None:
        yield from _change("  loads", item.loads, "a block")
    if item.banks:
        yield from _banks(item.banks)
    for found in item.refused:
        if found not in same:
            yield _row("  told", f"{found.message} [{found.code}]")


def _where_lines_pay(item: SubarrayReport) -> str:
    """From how many threads of a multiprocessor on."""
    if not item.line_streams:
        return "whether it pays only the run tells: no array is known to hold records of each thread's own"
    if item.line_threads > item.line_most:
        return f"does not pay: L1 holds what the {item.line_most} threads of a multiprocessor are at"
    return (
        f"pays where a multiprocessor holds {item.line_threads} threads or more: the lines of L1 that they are in, of "
        f"{_many(item.line_streams, 'array')}, fill it"
    )


def _tracking(tracking: str) -> str:
    words = {
        "mask": "; a mask marks the elements written",
        "whole": "; all of the tile is written back",
        "owner": "; every thread writes its own element back",
        "flag": "; every thread that wrote writes its own element back",
    }
    return words.get(tracking, "")


def _dimension(item: DimensionReport, alone: bool) -> Iterator[str]:
    following = f"rate {item.rate} in {item.loop}, offset {item.offset}, loop step {item.step}"
    if item.rate is None:
        following = "not linear in one parallel loop"
    elif not item.loop:
        following = "the same for all threads"
    extras = [f"extent {item.extent}"]
    extras += [f"halo {item.halo}"] if item.halo else []
    extras += [f"gap {item.gap}"] if item.gap else []
    yield _row("  range", f"[{item.lower} : {item.length}]: {following}; {', '.join(extras)}")
    if item.full_width > 1:
        how = {"sync": ", by sync (counted at a barrier)", "kernel-args": ", by kernel-args (from the trip count)"}
        found = how.get(item.width, f", {item.width}" if item.width else "")
        several = f", {item.iterations} iterations each" if item.iterations > 1 else ""
        yield _row("  width", f"{item.full_width} threads on {item.axis} in a full block{several}{found}")
    dots = ", ..." if item.full_width > len(item.ranges) or (item.loop and not item.shared_range) else ""
    shared = f"   {item.shared_range}" if item.shared_range else ""
    if item.ranges:
        yield _row("  covers", f"{', '.join(item.ranges)}{dots}{shared}")
    if alone:
        yield from (_row("", f"  {row}") for row in item.strip)


def _change(label: str, change: Change, unit: str) -> list[str]:
    """Loads before and after, and what is saved where both are numbers."""
    before, after = change.before, change.after
    if before == after:
        return [_row(label, f"{before} global loads {unit}"), *(_row("", f"  {note}") for note in _notes(before))]
    saved = ""
    if before.value and after.value is not None:
        percent = round(100 - 100 * after.value / before.value)
        saved = f" ({_hedge(before, after)}{abs(percent)} % {'fewer' if percent >= 0 else 'more'})"
    elif change.verdict:
        saved = f" ({change.verdict})"
    lines = [_row(label, f"{before} global loads {unit} without cache, {after} with it{saved}")]
    return lines + [_row("", f"  {note}") for note in _notes(before, after)]


def _hedge(before: Number, after: Number) -> str:
    """How sure a saving is; empty if it is exact."""
    if before.bound == after.bound == "exact":
        return ""
    return (
        {"at most": "at least ", "at least": "at most "}.get(after.bound, "about ")
        if before.bound == "exact"
        else "about "
    )


def _notes(*numbers: Number) -> list[str]:
    return list(dict.fromkeys(note for number in numbers for note in number.notes))


def _banks(items: tuple[BankReport, ...]) -> Iterator[str]:
    """One line for all references without conflicts, one for each of the others."""
    if all(item.degree == 1 for item in items):
        yield _row("  banks", "no conflicts")
        return
    for item in items:
        found = f"{item.degree} turns a warp" if item.degree is not None else f"not known: {item.reason}"
        yield _row("  banks", f"line {item.line}: {'no conflicts' if item.degree == 1 else found}")


def _diagnostic(found: DiagnosticReport) -> str:
    place = f"line {found.line}: " if found.line is not None else ""
    return f"{MARGIN}{place}{found.severity}: {found.message} [{found.code}]"
