"""What the model found, as one record and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from accache.l1.gpus import Gpu
from accache.l1.model import Counts
from accache.l1.modes import MODES

_CAUSES = {
    "compulsory": "the line was never asked for before",
    "capacity": "the cache is too small",
    "associativity": "the line's set is too small",
    "latency": "the line is on its way",
    "mshr": "registers for lines on their way ran out",
}


def as_record(counts: Counts, gpu: Gpu, mode: str, seed: int, without: Sequence[str]) -> dict[str, object]:
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


def as_text(record: Mapping[str, object]) -> str:
    """A record as a table: one row for hits, and one for each class of misses."""
    without = record["without"]
    assert isinstance(without, list)
    left_out = f", without {', '.join(without)}" if without else ""
    lines = [f"L1 of {record['gpu']}, {record['mode']} mode, seed {record['seed']}{left_out}"]
    total = _number(record, "requests")
    rows = [("requests", "one a line that a warp's lanes ask for together"), ("hits", "")]
    rows += [("misses", ""), *((f"  {name}", cause) for name, cause in _CAUSES.items())]
    for name, meaning in rows:
        count = _number(record, name.strip())
        lines.append(f"  {name:<17}{count:>12,}{100 * count / total:>8.2f} %  {meaning}".rstrip())
    lines.append(f"  {'miss rate':<29}{100 * _number(record, 'miss_rate'):>8.2f} %")
    if MODES[str(record["mode"])].rate_of_latency is False:
        lines[-1] += "  without latency misses, which fetch nothing"
    return "\n".join(lines) + "\n"


def _number(record: Mapping[str, object], name: str) -> float:
    value = record[name]
    assert isinstance(value, (int, float))
    return value
