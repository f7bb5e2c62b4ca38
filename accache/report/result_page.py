"""Pages of results that belong to lines of a source: findings of a run, hits of a cache, decisions about loads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from accache import __version__
from accache.base.diagnostics import Diagnostic
from accache.base.text import SourceFile
from accache.cpu.findings import Finding
from accache.emit.templates import render_html
from accache.l1.parameters import shown
from accache.ptx.text.names import kernel_name
from accache.report.conflicts import Conflict, conflicts_of, line_of, lines_of
from accache.report.html import Table
from accache.report.networks import Network, network_of, signed

_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+)(?::\d+)?(?:,.*)?")
_CAUSES = {
    "hits": "hits",
    "compulsory": "compulsory misses: nobody asked for the line before",
    "capacity": "capacity misses: even a cache whose ways are all one set would have lost the line",
    "associativity": "associativity misses: the set of the line was full",
    "latency": "latency misses: the line was on its way",
    "mshr": "misses for want of a register for lines on their way",
    "sector": "sector misses: the line was there, and not this part of it",
}


class Mark(Struct, frozen=True):
    """What there is to say about a line: a few characters beside it, more in words, and messages below it."""

    line: int
    gutter: str = ""
    explanation: str = ""
    messages: tuple[str, ...] = ()


class Bar(Struct, frozen=True):
    """A share of a whole, as a bar with its numbers in words; one ``is_ours``, to be held against the others."""

    label: str
    percent: float
    text: str
    is_ours: bool = False


class ResultPage(Struct, frozen=True):
    """A page: verdicts, the source with its marks, bars and tables; ``tag`` says how its numbers were found.

    The program ``is_wrong`` if that is what the verdicts say. The ``hint`` says how to read the bars.
    """

    brand: str
    title: str
    verdicts: tuple[str, ...]
    command: str
    tag: str
    source: SourceFile | None = None
    marks: tuple[Mark, ...] = ()
    bars: tuple[Bar, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    network: Network | None = None
    is_wrong: bool = False
    hint: str = ""
    version: str = __version__

    @property
    def lines(self) -> Iterator[tuple[int, str, Mark | None]]:
        """Each line of the source with its number, and its mark if it has one."""
        marks = {mark.line: mark for mark in self.marks}
        texts = self.source.text.splitlines() if self.source is not None else ()
        return ((number, text, marks.get(number)) for number, text in enumerate(texts, 1))

    def html(self) -> str:
        """One file without anything from elsewhere."""
        return render_html("html/result_page.html.jinja", page=self).encode("utf-8", "replace").decode()


def run_page(
    source: SourceFile, found: Sequence[Finding], told: Sequence[Diagnostic], what: str, *, command: str
) -> ResultPage:
    """What a run found; ``told`` has all of it as messages, ``found`` what is known of the accesses.

    ``what`` says what the run looked for.
    """
    count = len(told)
    verdict = f"{what}: {'nothing was found' if not told else '1 finding' if count == 1 else f'{count} findings'}."
    messages: dict[int, list[str]] = {}
    for each in told:
        if line := line_of(each.location, source):
            messages.setdefault(line, []).append(f"{each.severity.value}: {each.message} [{each.code}]")
    accesses = {access.line for each in conflicts_of(source, found) for access in each.accesses}
    seen = lines_of(source, found)
    marks = tuple(
        Mark(
            line,
            "finding" if line in messages else "other",
            "; ".join(seen.get(line, ())),
            tuple(messages.get(line) or seen[line]),
        )
        for line in sorted({*messages, *accesses} - {0})
    )
    return ResultPage(
        "accache run",
        f"{source.name}: what the run found",
        (verdict,),
        command,
        tag="measured",
        source=source,
        marks=marks,
        conflicts=conflicts_of(source, found),
        is_wrong=bool(told),
        notes=tuple(str(each) for each in told if not line_of(each.location, source)),
    )


def model_page(
    name: str,
    source: SourceFile | None,
    record: Mapping[str, Any],
    text: str,
    *,
    told: Sequence[Diagnostic],
    command: str,
) -> ResultPage:
    """What a modelled cache does with a launch; ``record`` has a table by lines, ``text`` is all of it."""
    traffic = record["traffic"]
    verdict = (
        f"L1 of {record['gpu']}: {record['requests']:,} requests, {100 * record['miss_rate']:.1f} % miss; "
        f"{traffic['from_l2']:,} bytes come from L2, {traffic['asked']:,} were asked for."
    )
    heads = ("line", "requests", "hits", "bytes asked for", "bytes from L2", "bytes from memory", "bytes stored")
    rows = tuple(
        (
            Path(row["name"]).name,
            *(row[key] for key in ("requests", "hits", "asked", "from_l2", "from_memory", "stored")),
        )
        for row in record["by_line"]
    )
    tags = tuple((key, shown(each["value"]), each["source"]) for key, each in record["parameters"].items())
    return ResultPage(
        "accache model",
        f"{name}: what L1 does with a launch",
        (verdict,),
        command,
        tag="model",
        source=source,
        marks=traffic_marks(record, source),
        bars=cause_bars(record),
        hint=order_note(record),
        tables=(
            Table("By line, in the fixed order", heads, rows),
            Table("Parameters", ("parameter", "value", "known from"), tags),
        ),
        notes=(text, *map(str, told)),
    )


def sweep_page(
    name: str,
    labels: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    *,
    axis: str,
    told: Sequence[Diagnostic],
    command: str,
) -> ResultPage:
    """Miss rates of several caches, each with a label, the last part of which is a value of ``axis``."""
    rates = [100 * record["miss_rate"] for record in records]
    best = min(range(len(rates)), key=rates.__getitem__)
    forms = f"{len(records)} form{'s' * (len(records) > 1)}"
    verdict = f"L1 of {records[0]['gpu']} in {forms}: {_extremes(labels, rates)}."
    causes = tuple(key for key in _CAUSES if key != "hits")
    rows = tuple(
        (label, record["requests"], record["hits"], *(record[key] for key in causes), f"{rate:.2f} %")
        for label, record, rate in zip(labels, records, rates, strict=True)
    )
    heads = (f"cache, by {axis}", "requests", "hits", *causes, "miss rate")
    bars = (
        Bar(label, rate, f"{rate:.1f} % miss", rate == rates[best]) for label, rate in zip(labels, rates, strict=True)
    )
    return ResultPage(
        "accache model",
        f"{name}: what other caches do with a launch",
        (verdict,),
        command,
        tag="model",
        bars=tuple(bars),
        tables=(Table("The caches", heads, rows),),
        notes=tuple(map(str, told)),
    )


def _extremes(labels: Sequence[str], rates: Sequence[float]) -> str:
    """Which caches have the fewest and the most misses, in per cent, as far as that can be told from one digit."""
    told = [f"{rate:.1f} %" for rate in rates]
    fewest, most = (chosen(range(len(rates)), key=rates.__getitem__) for chosen in (min, max))
    if told[fewest] == told[most]:
        return f"{'all ' if len(rates) > 1 else ''}miss {told[most]}"
    ties = [label for label, rate in zip(labels, told, strict=True) if rate == told[fewest]]
    who = f"{ties[0]} has" if len(ties) == 1 else f"{len(ties)} have"
    return f"{who} the fewest misses, {told[fewest]}; {labels[most]} has {told[most]}"


def order_note(record: Mapping[str, Any]) -> str:
    """Why there are other hits by line than in all; "" where they are as many."""
    by_line = sum(row["hits"] for row in record["by_line"])
    if by_line == record["hits"]:
        return ""
    return (
        f"At the lines {by_line:,} requests hit, and here {record['hits']:,}. What stands at lines is counted in a "
        "fixed order of requests, in which nothing takes time: a line of L1 that is on its way is a hit there, and a "
        "latency miss here."
    )


def cause_bars(record: Mapping[str, Any]) -> tuple[Bar, ...]:
    """The hits of a modelled cache, and its misses by their causes."""
    requests = max(1, record["requests"])
    return tuple(
        Bar(
            label,
            100 * record[key] / requests,
            f"{record[key]:,} ({100 * record[key] / requests:.1f} %)",
            key == "hits",
        )
        for key, label in _CAUSES.items()
        if record[key]
    )


def traffic_marks(record: Mapping[str, Any], source: SourceFile | None) -> tuple[Mark, ...]:
    """What a modelled cache does at each line of a program; ``record`` has a table by lines."""
    return tuple(_traffic_mark(row, source) for row in record["by_line"] if _line_of(row["name"], source))


def _traffic_mark(row: Mapping[str, Any], source: SourceFile | None) -> Mark:
    asked = f"{row['asked']:,} bytes asked for, {row['from_l2']:,} from L2" if row["requests"] else ""
    stored = f"{row['stored']:,} bytes stored" if row["stores"] else ""
    hits = f"{100 * row['hits'] / row['requests']:.0f} % hit" if row["requests"] else "store"
    return Mark(_line_of(row["name"], source), hits, "; ".join(filter(None, (asked, stored))))


def _line_of(place: str, source: SourceFile | None) -> int:
    """The line of the source that a name such as ``prog.cu:25:9, param 1`` begins with; 0 if there is none."""
    found = _PLACE.fullmatch(place)
    if source is None or found is None or Path(found["file"]).name != Path(source.name).name:
        return 0
    return int(found["line"])


def _goes(count: int) -> str:
    return "goes" if count == 1 else "go"


def bypass_page(
    source: SourceFile | None, record: Mapping[str, Any], text: str, told: Sequence[Diagnostic], *, command: str
) -> ResultPage:
    """What was decided for each load of a kernel; ``record`` is what --json prints, ``text`` the report."""
    moved, loads = record["bytes"], record["loads"]
    counts = {decision: sum(each["decision"] == decision for each in loads) for decision in ("cache", "bypass")}
    cached, past = counts["cache"], counts["bypass"]
    verdict = f"{kernel_name(record['kernel'])} on {record['gpu']}: of {len(loads)} load{'s' * (len(loads) != 1)}, "
    verdict += f"{cached} {_goes(cached)} through L1 and {past} {_goes(past)} past it."
    if moved:
        verdict += f" {moved['ours']:,} bytes move from L2 to L1; {moved['cache_all']:,} if all loads are cached."
    largest = max(moved.values(), default=1) or 1
    bars = tuple(
        Bar(key.replace("_", " "), 100 * value / largest, f"{value:,} bytes", key == "ours")
        for key, value in moved.items()
    )
    decided: dict[int, list[Mapping[str, Any]]] = {}
    for each in loads:
        if line := _line_of(each["load"], source):
            decided.setdefault(line, []).append(each)
    marks = tuple(
        Mark(line, " ".join(each["decision"] for each in of_line), "; ".join(each["reason"] for each in of_line))
        for line, of_line in sorted(decided.items())
    )
    heads = ("load", "decision", "accesses", "hits", "sectors", "bytes that caching saves", "reason")
    keys = ("load", "decision", "accesses", "hits", "sectors", "weight", "reason")
    rows = tuple(tuple(each[key] for key in keys) for each in loads)
    edges = tuple((edge["first"], edge["second"], signed(edge["weight"])) for edge in record["edges"])
    return ResultPage(
        "accache bypass",
        f"{record['input']}: which loads bypass L1",
        (verdict,),
        command,
        tag="model",
        source=source,
        marks=marks,
        bars=bars,
        tables=(Table("Loads", heads, rows), Table("Edges of the graph", ("load", "and", "bytes"), edges)),
        network=network_of(loads, record["edges"]),
        notes=(text, *map(str, told)),
    )
