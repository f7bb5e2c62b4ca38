"""What the model found, as one record and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from accache.l1.gpus import Gpu
from accache.l1.model import Counts
from accache.l1.modes import MODES, Mode
from accache.l1.parameters import Parameter, as_lines

Record = Mapping[str, Any]

_CAUSES = {
    "compulsory": "the line was never asked for before",
    "capacity": "the cache is too small",
    "associativity": "the line's set is too small",
    "latency": "the line is on its way",
    "mshr": "registers for lines on their way ran out",
    "sector": "the line is there, but not all of its sectors",
}
_MOVED = {
    "asked": "loads ask for, in sectors",
    "first": "of that, for the first time",
    "in_l1": "of that, L1 has",
    "from_l2": "L1 gets from L2",
    "in_l2": "of that, L2 has",
    "from_memory": "of that, L2 gets from memory",
    "stored": "stores pass to L2",
    "written": "L2 writes to memory",
}


def as_record(counts: Counts, gpu: Gpu, mode: Mode, seed: int, *, without: Sequence[str]) -> dict[str, object]:
    """The counts with their sums, and what they were computed with."""
    return {
        "gpu": gpu.name,
        "size": gpu.size,
        "ways": gpu.ways,
        "line": gpu.line_bytes,
        "mshrs": gpu.mshrs,
        "mode": mode,
        "seed": seed,
        "without": sorted(set(without)),
        "requests": counts.requests,
        **asdict(counts),
        "misses": counts.misses,
        "miss_rate": counts.miss_rate(MODES[mode]),
    }


def as_text(record: Record) -> str:
    """A record as tables: rows for hits and for each class of misses, and one for each thing more that was asked."""
    lines = _classes(record)
    if "traffic" in record:
        lines += _traffic(record["traffic"])
    for what in ("load", "array", "line"):
        if rows := record.get(f"by_{what}"):
            lines += _by(what, rows)
    if "distances" in record:
        lines += _distances(record["distances"], record["requests"])
    if "tiles" in record:
        arrays = ", ".join(record["tiles"]["arrays"])
        lines += [f"  tiles in shared memory for {arrays}, in bytes and the fixed order", *_tiles(record["tiles"])]
    if "directives" in record:
        lines += [f"  cache directives of {record['kernel']}, in bytes and the fixed order"]
        lines += [line for found in record["directives"] for line in _directive(found)]
    found = [Parameter(name, **value) for name, value in record["parameters"].items()]
    lines += ["  parameters", *(f"    {line}" for line in as_lines(found))]
    return "\n".join(lines) + "\n"


def _classes(record: Record) -> list[str]:
    without = record["without"]
    left_out = f", without {', '.join(without)}" if without else ""
    count, all_of_them = record["looked_at"], record["parameters"]["multiprocessors"]["value"]
    several = f", {count} of {all_of_them} multiprocessors" if count > 1 else ""
    lines = [f"L1 of {record['gpu']}, {record['mode']} mode, seed {record['seed']}{left_out}{several}"]
    rows = [("requests", "one a line that a warp's lanes ask for together"), ("hits", "")]
    rows += [("misses", ""), *((f"  {name}", cause) for name, cause in _CAUSES.items())]
    if record["parameters"]["sector"]["value"] is None:
        rows.pop()
    for name, meaning in rows:
        count = record[name.strip()]
        lines.append(f"  {name:<17}{count:>12,}{_percent(count, record['requests'])}  {meaning}".rstrip())
    lines.append(f"  {'miss rate':<29}{100 * record['miss_rate']:>8.2f} %")
    if not MODES[record["mode"]].rate_of_latency:
        lines[-1] += "  without latency misses, which fetch nothing"
    return lines


def _traffic(moved: Record) -> list[str]:
    lines = ["  bytes moved, in the fixed order"]
    return lines + [f"    {meaning:<30}{moved[name]:>16,}" for name, meaning in _MOVED.items()]


def _by(what: str, rows: Sequence[Record]) -> list[str]:
    width = max(len(what), *(len(row["name"]) for row in rows))
    heads = ("requests", "hits", "asked", "L2->L1", "memory", "stored")
    lines = [f"  {'by ' + what:<{width + 2}}" + "".join(f"{head:>14}" for head in heads)]
    for row in rows:
        hits = f"{100 * row['hits'] / row['requests']:.2f} %" if row["requests"] else "-"
        numbers = [f"{row['requests']:,}", hits]
        numbers += [f"{row[name]:,}" for name in ("asked", "from_l2", "from_memory", "stored")]
        lines.append(f"    {row['name']:<{width}}" + "".join(f"{number:>14}" for number in numbers))
    return lines


def _distances(found: Record, requests: int) -> list[str]:
    lines = [f"  reuse distances in {found['sets']} sets, in the fixed order"]
    for low, high, count in found["ranges"]:
        span = str(low) if low == high else f"{low}-{high}"
        lines.append(f"    {span:<15}{count:>12,}{_percent(count, requests)}")
    lines.append(f"    {'infinite':<15}{found['never']:>12,}{_percent(found['never'], requests)}")
    lines.append("  hits with as many sets, and ways")
    for ways, hits in found["hits_by_ways"].items():
        lines.append(f"    {ways:<15}{hits:>12,}{_percent(hits, requests)}")
    return lines


def _directive(found: Record) -> list[str]:
    size = f", {found['shared']:,} bytes a block" if found["shared"] else f": {found['reason']}"
    head = f"    line {found['line']}: cache({found['written']}): {found['method']}{size}"
    if found["verdict"] is None:
        unused = [f"      the launch does not load {found['array']}"] if found["shared"] else []
        return [head, *unused]
    requests = {
        f"requests to L1 for {found['array']} now": found["requests"],
        "requests of its tiles": found["requests_then"],
    }
    if found["by_lines"]:
        return [head, *(f"  {line}" for line in _tiles(found["verdict"], what="lines"))]
    return [head, *(f"  {line}" for line in _tiles(found["verdict"], requests, estimate=found["estimate"]))]


def _tiles(
    found: Record, more: Mapping[str, int] | None = None, what: Literal["tiles", "lines"] = "tiles", estimate: str = ""
) -> list[str]:
    arrays = ", ".join(found["arrays"])
    rows = {
        **(more or {}),
        f"L1 gets from L2 for {arrays} now": found["served"],
        f"{what} would fetch": found["fetched"],
        f"L1 gets for others now, {_caches(found, '')}": found["others"],
        f"and then, {_caches(found, '_then')}": found["others_then"],
    }
    if what == "lines":
        rows |= {f"L2 gets of stores to {arrays} now": found["stored"], "and with lines": found["stored_then"]}
    width = max(map(len, rows))
    lines = [f"    {meaning:<{width}}{count:>16,}" for meaning, count in rows.items()]
    return [*lines, f"    {_end(found, what, estimate)}"]


def _end(found: Record, what: str, estimate: str) -> str:
    """The last words of a verdict, and why: in bytes, and in clocks where the planner has chosen by these."""
    saved = found["saved"]
    if estimate:
        bytes_moved = f"save {saved:,}" if saved > 0 else f"cost {-saved:,}" if saved else "save no"
        return f"go: {what} {bytes_moved} bytes; {estimate}"
    if found["pays"]:
        return f"go: {what} save {saved:,} bytes"
    if saved > 0:
        parts = f"{found['filled'] // 1024} of {found['l1_bytes'] // 1024} KB"
        return f"no-go: what threads are at fills {parts} of L1; lines save {saved:,} bytes, and cost instructions"
    return f"no-go: {what} cost {-saved:,} bytes" if saved else f"no-go: {what} save no bytes"


def _caches(found: Record, when: str) -> str:
    return f"{found['l1_bytes' + when] // 1024} KB and {found['blocks' + when]} blocks"


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:>8.2f} %"
