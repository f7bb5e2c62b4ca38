"""The numbers that docs/evaluation.md shows: bench/results/papers.json, which ``papers.py --keep`` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from figures.figure import Figure

PATH = Path(__file__).parents[1] / "results" / "papers.json"
Row = Mapping[str, Any]


def keep(name: str, figure: Figure, seconds: float, path: Path = PATH) -> None:
    """Put the rows of a figure in the place of those that are kept, a line each."""
    known = json.loads(path.read_text()) if path.exists() else {}
    made = datetime.now(UTC).date().isoformat()
    known[name] = {"made": made, "cpu_seconds": round(seconds), "columns": figure.columns, "rows": figure.rows}
    path.write_text("{\n" + ",\n".join(_lines(known[each], each) for each in sorted(known)) + "\n}\n")


def _lines(record: Mapping[str, Any], name: str) -> str:
    head = json.dumps({key: value for key, value in record.items() if key != "rows"})
    rows = ",\n".join(f"  {json.dumps(row)}" for row in record["rows"])
    return f'"{name}": {head[:-1]}, "rows": [\n{rows}\n]}}'


@dataclass(frozen=True)
class Kept:
    """The rows of each figure, by the names of their columns, and the seconds of processors that it took."""

    rows: Mapping[str, Sequence[Row]]
    seconds: Mapping[str, int]


def kept(path: Path = PATH) -> Kept:
    """All that are kept."""
    known = json.loads(path.read_text())
    rows = {
        name: [dict(zip(record["columns"], row, strict=True)) for row in record["rows"]]
        for name, record in known.items()
    }
    return Kept(rows, {name: record["cpu_seconds"] for name, record in known.items()})


def the(rows: Iterable[Row], **wanted: object) -> Row:
    """The one row that has these values; ``_`` in a name is a blank of the column's."""
    (found,) = [row for row in rows if all(row[name.replace("_", " ")] == value for name, value in wanted.items())]
    return found
