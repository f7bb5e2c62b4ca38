"""The listings of a page: the lines of a program and of the kernels made of it, and what is told of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import prod

from msgspec import Struct

from accache.base.diagnostics import Diagnostic
from accache.base.text import SourceFile
from accache.cpu.findings import Finding
from accache.report.conflicts import lines_of
from accache.report.text import Report
from accache.report.warps import BlockView, LineTraffic, Row

_LINE = re.compile(r'#line (\d+) "((?:[^"\\]|\\.)*)"')
_CACHE = re.compile(r"#\s*pragma\s+acc\s+cache\b")


class SourceLine(Struct, frozen=True):
    """A line of the program: what warps do there, and whether a directive, a message or a finding is about it."""

    number: int
    text: str
    traffic: str
    explanation: str
    is_directive: bool
    messages: tuple[str, ...]
    is_linked: bool
    findings: tuple[str, ...] = ()
    hits: str = ""


class CudaLine(Struct, frozen=True):
    """A line of the kernels, and the line of the program it was made of; 0 for lines of accache's own."""

    number: int
    text: str
    source: int


def cuda_lines(device: str, name: str) -> Iterator[CudaLine]:
    """The kernels, from the first line that a line of the program was made into to the last."""
    rows: list[tuple[str, int]] = []
    following = 0
    for line in device.split("\n"):
        found = _LINE.fullmatch(line)
        if found is None:
            rows.append((line, following))
            if not line.lstrip().startswith("#pragma unroll"):  # which is about the line behind it
                following = 0
        else:
            following = int(found[1]) if re.sub(r"\\(.)", r"\1", found[2]) == name else 0
    places = [number for number, (_, source) in enumerate(rows) if source]
    if not places:
        return
    first, last = places[0], places[-1]
    while first and (rows[first - 1][0].strip() or rows[first][0].startswith(" ")):  # bodies may have empty lines
        first -= 1
    while last + 1 < len(rows) and not rows[last][0].startswith("}"):
        last += 1
    for number, (text, source) in enumerate(rows[first : last + 1], 1):
        yield CudaLine(number, text, source)


def rows_of(device: str, names: Iterable[str]) -> tuple[Row, ...]:
    """The rows of arrays that the kernels declare with several dimensions, all numbers, and what to compare them with.

    Without their padding, where rows have one (``tile[32][32 + 1]``), or else with one element of it.
    """
    found = []
    for name in sorted(names):
        declared = re.search(rf"\b{re.escape(name)}((?:\[\d+(?: \+ \d+)?\]){{2,}});", device)
        if declared is not None:
            sizes = [(int(size), int(pad or 0)) for size, pad in re.findall(r"(\d+)(?: \+ (\d+))?", declared[1])[1:]]
            padding = sizes[-1][1]
            length = prod(size + pad for size, pad in sizes)
            found.append(Row(name, length, length - padding if padding else length + 1))
    return tuple(found)


def copy_lines(source: SourceFile, report: Report) -> frozenset[int]:
    """The lines of directives with tiles in shared memory, at which no statement of the program stands."""
    lines = source.text.splitlines()
    found = {item.line for kernel in report.kernels for item in kernel.subarrays if item.tile and item.shared_bytes}
    return frozenset(line for line in found if 0 < line <= len(lines) and lines[line - 1].lstrip().startswith("#"))


def source_lines(
    source: SourceFile,
    diagnostics: Sequence[Diagnostic],
    blocks: Sequence[BlockView],
    findings: Sequence[Finding],
    *,
    linked: set[int],
) -> Iterator[SourceLine]:
    """The program's lines, with what is told of them; ``linked`` are those that lines of kernels were made of."""
    traffic: dict[int, list[LineTraffic]] = {}
    told_of: dict[int, list[str]] = {}
    found = lines_of(source, findings)
    for block in blocks:
        for row in block.traffic:
            traffic.setdefault(row.line, []).append(row)
            told_of.setdefault(row.line, []).append(_told(row, block))
    messages: dict[int, list[str]] = {}
    for told in diagnostics:
        if told.location is not None and told.location.file == source.name:
            here = messages.setdefault(told.location.line, [])
            here.append(f"{told.severity.value}: {told.message} [{told.code}]")
            here += [f"hint: {told.hint}"] if told.hint else []
    lines = source.text.splitlines()
    for number, text in enumerate(lines, 1):
        rows = traffic.get(number, [])
        yield SourceLine(
            number,
            text,
            _gutter(rows),
            "; ".join(told_of.get(number, ())),
            is_directive=bool(_CACHE.search(text)),
            messages=tuple(messages.get(number, ())),
            is_linked=number in linked,
            findings=found.get(number, ()),
        )


def _gutter(rows: Sequence[LineTraffic]) -> str:
    """The worst of a line in a few characters: sectors a request of global memory, or turns of the banks."""
    worst = [f"{row.sectors / row.requests:.1f} sect" for row in rows if row.sectors]
    turns = [f"{row.turns / row.requests:.1f} turn" for row in rows if row.turns]
    return max(worst, key=_first, default="") or max(turns, key=_first, default="")


def _first(text: str) -> float:
    return float(text.split()[0])


def _told(row: LineTraffic, block: BlockView) -> str:
    """What a warp does at a line to an array, in words."""
    requests = f"{row.requests} {row.access} request{'s' * (row.requests != 1)}"
    where = "the first warp" if block.is_whole else f"the first {block.count:,} memory instructions of the first warp"
    what = f"{row.array or row.memory}: {requests} of {where}"
    if row.sectors:
        share = round(100 * row.used_bytes / (32 * row.sectors))
        return f"{what}, {row.sectors / row.requests:.1f} sectors each, {share} % of their bytes used"
    return f"{what} to shared memory, {row.turns / row.requests:.1f} turns of the banks each"
