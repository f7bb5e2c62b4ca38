"""A report as a page: what stands where, as frozen values that one template shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from accache import __version__
from accache.base.diagnostics import Diagnostic
from accache.base.text import SourceFile
from accache.caching.estimates.candidates import PLAIN
from accache.cpu.findings import Finding
from accache.emit.templates import render_html
from accache.ptx.text.listing import CodeLine
from accache.report.charts import (
    Bars,
    MemoryChart,
    SameElements,
    ThreadMap,
    bars_of,
    memory_chart,
    same_elements,
    thread_maps,
)
from accache.report.conflicts import Conflict, conflicts_of
from accache.report.listings import CudaLine, SourceLine, cuda_lines, source_lines
from accache.report.packed import packed
from accache.report.records import CandidateReport, KernelReport, SubarrayReport
from accache.report.result_page import Bar, cause_bars, order_note, traffic_marks
from accache.report.sweep import Sweep
from accache.report.text import Report
from accache.report.verdicts import element_bytes, sentence_of, verdict_of
from accache.report.warps import BlockView

_SHOWN_CANDIDATES = 12
UNCACHED = "uncached"
_VERSIONS = ("fewer", "single", "sequential", "overlapping", "lengthwise", "unaligned", UNCACHED)
"""What ends the names of versions of a kernel for launches that it does not fit (``emit.regions``)."""


class MachineCode(Struct, frozen=True):
    """The PTX and SASS of a program's kernels; ``reason`` tells why there is no SASS, "" if there is."""

    ptx: tuple[CodeLine, ...]
    sass: tuple[CodeLine, ...] = ()
    reason: str = ""


class Mend(Struct, frozen=True):
    """What to change: in words, the lines as they would be, and the ``line`` that it is told of."""

    title: str
    lines: str
    line: int = 0


class SubarrayView(Struct, frozen=True):
    """A subarray of a directive: the sentence, and its pictures.

    ``report`` is what was decided; ``shown`` is the same or, where no tile was taken, what the tile would be.
    """

    report: SubarrayReport
    shown: SubarrayReport
    sentence: str
    maps: tuple[ThreadMap, ...]
    same: tuple[SameElements, ...]
    bars: Bars | None
    mends: tuple[Mend, ...]


class KernelView(Struct, frozen=True):
    """A kernel, its subarrays, what else was estimated, and its recorded block if there is one.

    ``others`` are the candidates that are folded away; the emitted one may be ``unestimated``, which says what it has.
    ``shared`` is the shared memory of a block in words, ``other_shared`` the bytes of it that are no tile's.
    """

    report: KernelReport
    verdict: str
    subarrays: tuple[SubarrayView, ...]
    candidates: tuple[CandidateReport, ...]
    others: tuple[CandidateReport, ...]
    shared: str
    bars: Bars | None
    block: BlockView | None
    is_as_chosen: bool
    chart: MemoryChart | None = None
    other_shared: int = 0
    unestimated: str = ""


class Modelled(Struct, frozen=True):
    """What the L1 model says of a launch without directives and with them, and the command that says it.

    ``bars`` are its hits and misses by causes without the directives, the ``hint`` says how to read them.
    """

    text: str
    command: str
    bars: tuple[Bar, ...] = ()
    hint: str = ""


class Recorded(Struct, frozen=True):
    """What was seen of a run: blocks by kernel, the report of what was run, and what there is to say if none was.

    The run has the tiles that ``report`` tells of, which may be more than those that were chosen; ``plain`` are the
    blocks of one without the directives, if there are any. ``findings`` are what the checker found in it, and ``check``
    is the command that finds them again. ``lined`` are kernels that had lines for each thread, which their launch would
    have gone without.
    """

    blocks: tuple[BlockView, ...] = ()
    plain: tuple[BlockView, ...] = ()
    report: Report | None = None
    reason: str = ""
    command: str = ""
    findings: tuple[Finding, ...] = ()
    check: str = ""
    lined: tuple[str, ...] = ()


class Page(Struct, frozen=True):
    """A whole page; ``wrong`` is the verdict on what the checker found, "" if that is nothing.

    ``command`` makes it again, ``explained`` its report; ``mends`` are those that belong to no subarray of a kernel.
    """

    title: str
    file: str
    version: str
    arch: str
    command: str
    explained: str
    verdicts: tuple[str, ...]
    source: tuple[SourceLine, ...]
    cuda: tuple[CudaLine, ...]
    kernels: tuple[KernelView, ...]
    messages: tuple[str, ...]
    recorded: Recorded
    mends: tuple[Mend, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    wrong: str = ""
    sweeps: tuple[Sweep, ...] = ()
    l1: Modelled | None = None
    code: MachineCode | None = None

    @property
    def is_of_others(self) -> bool:
        """Whether what was recorded is of kernels with other tiles than those that are shown as CUDA."""
        return any(kernel.block is not None and not kernel.is_as_chosen for kernel in self.kernels)

    @property
    def listings(self) -> tuple[tuple[str, str, tuple[CodeLine, ...]], ...]:
        """The lists of lines beside the program: a short name, a title, and the lines."""
        cuda = tuple(CodeLine(line.text, line.source) for line in self.cuda)
        more = (("ptx", "PTX", self.code.ptx), ("sass", "SASS", self.code.sass)) if self.code else ()
        return (("cuda", "CUDA", cuda), *((name, title, lines) for name, title, lines in more if lines))

    @property
    def sweep_of(self) -> Mapping[str, Sweep]:
        """What else was tried of kernels, by their names."""
        return {sweep.kernel: sweep for sweep in self.sweeps}

    @property
    def data(self) -> str:
        """The recorded blocks and the sweeps as JSON that may stand in a script."""
        found = {"blocks": [packed(block) for block in self.recorded.blocks], "sweeps": self.sweeps}
        return msgspec.json.encode(found).decode().replace("<", "\\u003c")

    def html(self) -> str:
        """One file without anything from elsewhere."""
        return render_html("html/page.html.jinja", page=self).encode("utf-8", "replace").decode()


def make_page(
    source: SourceFile,
    report: Report,
    device: str,
    diagnostics: Sequence[Diagnostic],
    *,
    mends: Mapping[tuple[int, int], tuple[Mend, ...]],
    recorded: Recorded,
    command: str,
    explained: str,
) -> Page:
    """The page of a translation; ``device`` is its CUDA text with #line directives, ``mends`` are those by place.

    ``command`` makes the page, ``explained`` prints the report.
    """
    cuda = tuple(cuda_lines(device, source.name))
    linked = {line.source for line in cuda}
    kernels = tuple(_kernel(kernel, mends, recorded) for kernel in report.kernels)
    placed = {mend for kernel in kernels for view in kernel.subarrays for mend in view.mends}
    unplaced = dict.fromkeys(mend for of_place in mends.values() for mend in of_place if mend not in placed)
    own = [found for found in diagnostics if found.location is None or found.location.file != source.name]
    return Page(
        f"{source.name}: what becomes of its cache directives",
        source.name,
        __version__,
        report.arch,
        command=command,
        explained=explained,
        verdicts=tuple(kernel.verdict for kernel in kernels)
        or ("The program has no compute construct: nothing is cached.",),
        source=tuple(source_lines(source, diagnostics, recorded.blocks, recorded.findings, linked=linked)),
        cuda=cuda,
        kernels=kernels,
        messages=tuple(map(str, own)),
        recorded=recorded,
        mends=tuple(sorted(unplaced, key=lambda mend: mend.line)),
        conflicts=conflicts_of(source, recorded.findings),
        wrong=_wrong(recorded.findings),
    )


def with_l1(page: Page, source: SourceFile, record: Mapping[str, Any], text: str, *, command: str) -> Page:
    """A page with what a model of L1 says; its ``record`` has a table by lines, whose hits and bytes stand at them."""
    marks = {mark.line: mark for mark in traffic_marks(record, source)}
    lines = tuple(
        replace(line, hits=f"L1 without directives: {marks[line.number].gutter}; {marks[line.number].explanation}")
        if line.number in marks
        else line
        for line in page.source
    )
    return replace(page, source=lines, l1=Modelled(text, command, cause_bars(record), order_note(record)))


def _wrong(found: Sequence[Finding]) -> str:
    """What the checker found, in a sentence."""
    kinds = Counter(each.kind for each in found)
    told = ", ".join(f"{kind} ({count} times)" if count > 1 else kind for kind, count in kinds.items())
    return f"The program is wrong: its run on this CPU has findings: {told}." if told else ""


def _kernel(kernel: KernelReport, mends: Mapping[tuple[int, int], tuple[Mend, ...]], recorded: Recorded) -> KernelView:
    versions = (kernel.name, *(f"{kernel.name}_{version}" for version in _VERSIONS))
    block, plain = (
        next((found for name in versions for found in blocks if found.kernel == name), None)
        for blocks in (recorded.blocks, recorded.plain if kernel.subarrays else ())
    )
    others = recorded.report.kernels if recorded.report is not None else ()
    other = next((found for found in others if found.name == kernel.name), kernel)
    shown = {(item.line, item.column): item for item in other.subarrays}
    views = tuple(
        _subarray(item, shown.get((item.line, item.column), item), mends.get((item.line, item.column), ()))
        for item in kernel.subarrays
    )
    is_as_chosen = all(view.report.tile == view.shown.tile for view in views)
    loads = bars_of("Global loads of a block", kernel.block_loads, _element_bytes(kernel))
    candidates = _first_candidates(kernel.candidates)
    emitted = next((item for item in kernel.candidates if item.chosen), None)
    return KernelView(
        kernel,
        verdict_of(kernel, [view.shown for view in views]),
        views,
        candidates,
        others=tuple(item for item in kernel.candidates if item not in candidates),
        shared=_shared(kernel),
        bars=loads if kernel.block_loads.before != kernel.block_loads.after else None,
        block=block,
        is_as_chosen=is_as_chosen,
        chart=memory_chart(plain, block, has_directives=bool(views)) if block is not None else None,
        other_shared=kernel.shared_bytes - emitted.shared_bytes if emitted is not None else 0,
        unestimated=_lines(kernel) if emitted is None else "",
    )


def _lines(kernel: KernelReport) -> str:
    """The lines that threads have for themselves; "" if they have none."""
    sizes = sorted({item.line_bytes for item in kernel.subarrays if item.line_bytes})
    return f"lines of {' or '.join(map(str, sizes))} bytes for each thread" if sizes else ""


def _shared(kernel: KernelReport) -> str:
    """The shared memory of a block; what lines take the launch decides."""
    lines = _lines(kernel)
    known = f"{kernel.shared_bytes:,} bytes a block"
    more = f"{lines}, as many as the launch finds room for"
    return f"{known}, and {more}" if lines and kernel.shared_bytes else more if lines else known


def _element_bytes(kernel: KernelReport) -> int:
    """The bytes of an element of all tiles of a kernel; 0 where they differ or there is none."""
    sizes = {element_bytes(item) for item in kernel.subarrays if item.tile}
    return sizes.pop() if len(sizes) == 1 else 0


def _first_candidates(found: Sequence[CandidateReport]) -> tuple[CandidateReport, ...]:
    """The candidates to look at first: the emitted, the plain and the cheapest one, the best with tiles, and others.

    Of those with tiles also the best one in which a thread has one iteration. They stay in their order.
    """
    tiled = [item for item in found if item.subarrays]
    wanted = [item for item in found if item.chosen or item.name == PLAIN]
    wanted += [*tiled[:1], *[item for item in tiled if not item.iterations][:1]]
    wanted = list(dict.fromkeys([*wanted, *found]))[:_SHOWN_CANDIDATES]
    return tuple(item for item in found if item in wanted)


def _subarray(item: SubarrayReport, shown: SubarrayReport, mends: tuple[Mend, ...]) -> SubarrayView:
    bars = (
        bars_of(f"Global loads of {item.written}", shown.loads, element_bytes(shown))
        if shown.loads is not None
        else None
    )
    return SubarrayView(
        item,
        shown,
        sentence_of(item, shown),
        maps=tuple(thread_maps(shown)),
        same=tuple(same_elements(shown)),
        bars=bars,
        mends=mends,
    )
