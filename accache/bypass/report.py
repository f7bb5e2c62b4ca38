"""Decisions as a record for programs and as a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accache.bypass.decisions import Outcome

_WAYS = (
    ("cache_all", "caching all"),
    ("bypass_all", "bypassing all"),
    ("algorithm_1", "Algorithm 1"),
    ("ours", "these decisions"),
)


@dataclass(frozen=True)
class Left:
    """Loads that were not decided on, and why: they stay as they are."""

    name: str
    reason: str


def as_record(outcome: Outcome, left: Sequence[Left], settings: dict[str, object]) -> dict[str, object]:
    """The decisions and the predicted traffic in bytes, with what they were computed with."""
    solution = outcome.solution
    return {
        **settings,
        "solver": solution.solver,
        "saved": solution.value,
        "bound": solution.bound,
        "gap": solution.gap,
        "loads": [
            {
                "load": decision.load.name,
                "accesses": decision.load.accesses,
                "hits": decision.load.hits,
                "sectors": decision.load.sectors,
                "weight": decision.weight,
                "decision": "cache" if decision.cached else "bypass",
                "reason": decision.reason,
            }
            for decision in outcome.decisions
        ],
        "edges": [
            {
                "first": outcome.decisions[edge.first].load.name,
                "second": outcome.decisions[edge.second].load.name,
                "weight": edge.weight,
            }
            for edge in outcome.edges
        ],
        "unchanged": [{"load": load.name, "reason": load.reason} for load in left],
        "bytes": {way: getattr(outcome, way) for way, _ in _WAYS},
    }


def as_text(outcome: Outcome, left: Sequence[Left], title: str) -> str:
    """The same as a table: a line a load, then one a way to decide."""
    rows = [("load", "accesses", "hits", "sectors", "weight", "decision", "reason")]
    rows += [
        (
            decision.load.name,
            _number(decision.load.accesses),
            _number(decision.load.hits),
            _number(decision.load.sectors),
            _number(decision.weight),
            "cache" if decision.cached else "bypass",
            decision.reason,
        )
        for decision in outcome.decisions
    ]
    rows += [(load.name, "", "", "", "", "as it is", load.reason) for load in left]
    lines = [title, *_table(rows), ""]
    lines += [f"  {name:<18}{getattr(outcome, way):>16,} bytes from L2 to L1" for way, name in _WAYS]
    solution = outcome.solution
    if solution.gap:
        lines.append(f"  the {solution.solver} solver stopped {100 * solution.gap:.2f} % from a bound of the best")
    return "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows with names and words on the left of their columns, and numbers on the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if 0 < place < 5 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines
