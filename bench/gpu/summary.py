"""The results in a folder as tables to read: ``summary.md``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, geometric_mean, median

from banks import settings

from gpu.results import Record, read

COLUMNS = ("none", "default", "rbi", "rbc", "peer", "cublas", "cuda", "preload", "private")
COUNTS = ("instructions", "sectors", "atomic_sectors", "local_sectors", "hit_sectors", "turns", "l2_bytes")
"""What is predicted of launches and counted."""


def summarise(folder: Path) -> None:
    """Write the summary."""
    stages = {stage: list(read(folder, stage)) for stage in ("correctness", "times", "counters", "predictions")}
    parts = (
        _machine(folder / "machine.json"),
        right(stages["correctness"]),
        timed(stages["times"]),
        counted(stages["predictions"], stages["counters"]),
        micro(list(read(folder, "microbenchmarks"))),
    )
    (folder / "summary.md").write_text("\n\n".join("\n".join(part) for part in map(list, parts) if part) + "\n")


def _machine(path: Path) -> Iterator[str]:
    if path.exists():
        known = json.loads(path.read_text())
        yield ", ".join(f"{name} {known[name]}" for name in ("date", "gpu", "nvcc", "commit"))


def right(records: Sequence[Record]) -> Iterator[str]:
    """How many programs computed what they should, and which did not."""
    if not records:
        return
    ends = Counter(_end(record) for record in records)
    yield "## Correctness"
    yield ""
    yield ", ".join(f"{number} {end}" for end, number in sorted(ends.items()))
    for record in records:
        if _end(record) in ("wrong", "failed"):
            yield f"- {record['case']}: {record.get('reason') or record.get('failed')}"


def _end(record: Record) -> str:
    if "right" in record:
        return "right" if record["right"] else "wrong"
    return "refused" if "refused" in record else "failed"


def timed(records: Sequence[Record]) -> Iterator[str]:
    """Milliseconds of programs by columns, and the geometric means of their ratios."""
    rows: dict[str, dict[str, float]] = {}
    peaks: Record = {}
    for record in records:
        if record["case"] == "peaks":
            peaks = record
        elif "milliseconds" in record:
            rows.setdefault(_row(record), {})[record["column"]] = record["milliseconds"]
    if not rows:
        return
    banks = next((record for record in records if record.get("program") == "listing_6"), {})
    known = [column for column in COLUMNS if any(column in row for row in rows.values())]
    yield "## Times"
    yield ""
    yield from (f"- {name}: {value:.4g}" for name, value in peaks.items() if isinstance(value, float))
    for column, base in (("default", "none"), ("default", "peer"), ("preload", "cuda"), ("private", "none")):
        found = [row[column] / row[base] for row in rows.values() if column in row and base in row]
        if found:
            ends = f"{min(found):.2f} to {max(found):.2f}"
            yield f"- {column} / {base}: {geometric_mean(found):.3f} in {len(found)} rows, {ends}"
    yield ""
    yield f"Milliseconds: | {' | '.join(known)} | default / none | default / peer"
    yield f"--- | {' | '.join('---' for _ in known)} | --- | ---"
    for name, row in rows.items():
        cells = [f"{row[column]:.4g}" if column in row else "" for column in known]
        yield f"{name} | {' | '.join(cells)} | {_ratio(row, 'none')} | {_ratio(row, 'peer')}"
    yield from _listing_6(banks.get("launches", ()))


def _listing_6(launches: Sequence[Record]) -> Iterator[str]:
    """Milliseconds of the microbenchmark's forms; none of a CPU, which times it whole."""
    if len(launches) == len(settings()):
        yield ""
        yield "Listing 6: | layout | threads along x | padding | ms"
        yield "--- | --- | --- | --- | ---"
        for each, launch in zip(settings(), launches, strict=True):
            words = (each.ctype, "flat" if each.flat else "2D", "rows" if each.order == "XY" else "columns")
            yield f"{' | '.join(words)} | {each.padding} | {median(launch['milliseconds']):.4g}"


def _row(record: Record) -> str:
    """The case without its column: the program, further options, arguments."""
    words = record["case"].split()
    return " ".join((words[0], *words[2:]))


def _ratio(row: Mapping[str, float], base: str) -> str:
    return f"{row['default'] / row[base]:.2f}" if "default" in row and base in row else ""


def counted(predictions: Sequence[Record], counters: Sequence[Record]) -> Iterator[str]:
    """How what is predicted of launches stands to what is counted: medians and extremes of the ratios.

    Of hits, which may be none, and of what L1 lacks also by how many points of the sectors counted they are off.
    """
    measured = {record["case"]: record["launches"] for record in counters if "launches" in record}
    pairs = [
        (record["case"], each, other)
        for record in predictions
        if "launches" in record and len(measured.get(record["case"], ())) == len(record["launches"])
        for each, other in zip(record["launches"], measured[record["case"]], strict=True)
    ]
    if not pairs:
        return
    yield "## Predicted / counted"
    yield ""
    for name in COUNTS:
        found = [(each[name] / other[name], case) for case, each, other in pairs if each.get(name) and other.get(name)]
        if found:
            (least, low), (most, high) = min(found), max(found)
            ends = f"{least:.3f} ({low}) to {most:.3f} ({high})"
            yield f"- {name}: median {median(ratio for ratio, _ in found):.3f} in {len(found)} launches, {ends}"
    known = [found for found in pairs if all("hit_sectors" in each for each in found[1:]) and found[2]["sectors"]]
    for name, count in (("hit_sectors", _hits), ("sectors that L1 lacks", _missed)):
        if points := [(100 * (count(each) - count(other)) / other["sectors"], case) for case, each, other in known]:
            (least, low), (most, high) = min(points), max(points)
            off = fmean(abs(each) for each, _ in points)
            ends = f"{least:+.1f} ({low}) to {most:+.1f} ({high})"
            yield f"- {name}, in points of sectors: {off:.2f} off in the mean of {len(points)} launches, {ends}"


def _hits(launch: Record) -> float:
    return float(launch["hit_sectors"])


def _missed(launch: Record) -> float:
    """Those of loads that miss, and of stores: whether ptxas makes one load of two that find the same is no matter."""
    return float(launch["sectors"] - launch["hit_sectors"])


def micro(records: Sequence[Record]) -> Iterator[str]:
    """What microbenchmarks found."""
    if not records:
        return
    yield "## Microbenchmarks"
    for record in records:
        yield ""
        yield f"{record['case']}: {record.get('failed') or record.get('milliseconds') or ''}"
        yield from (f"    {line}" for line in record.get("output", "").splitlines())
