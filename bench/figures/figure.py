"""One figure or table of a paper as rows of numbers, written as JSON, CSV and a picture."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Value = str | int | float | None
Row = tuple[Value, ...]


@dataclass(frozen=True)
class Chart:
    """How the rows are drawn: a panel for each value of the column ``panel``, and a series for each of ``series``.

    ``x`` names the column along the axis; empty ``panel`` is one panel. ``lines`` joins the points of numbers ``x``;
    else there are bars. ``log`` is a logarithmic axis of ``y``.
    """

    x: str
    y: str
    series: str
    panel: str = ""
    lines: bool = False
    log: bool = False


@dataclass(frozen=True)
class Figure:
    """What was found: ``columns`` name the values of each row. ``paper`` says what the paper has there, in numbers."""

    title: str
    paper: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    chart: Chart

    def column(self, name: str) -> list[Value]:
        """The values of a column, row by row."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]


@dataclass(frozen=True)
class Settings:
    """What a figure is made with: ``quick`` is for the smallest sizes, which tell that it works and nothing else.

    ``kernels`` are the user's folders of public CUDA programs, and ``programs`` lists of those to take of each, of the
    first ones in their order; of other folders all are taken. ``counters`` is a file of counters of a GPU,
    ``scratch`` a folder for builds.
    """

    quick: bool
    kernels: tuple[Path, ...]
    scratch: Path
    programs: tuple[Path, ...] = ()
    counters: Path | None = None


Maker = Callable[[Settings], Figure]


def write(name: str, figure: Figure, folder: Path, seconds: float) -> None:
    """Write ``NAME.json``, ``NAME.csv`` and ``NAME.png`` into a folder; ``seconds`` of processors made it."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {"name": name, **asdict(figure), "cpu_seconds": round(seconds, 1), "command": command_of(name)}
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    with (folder / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(figure.columns)
        writer.writerows(figure.rows)
    draw(figure, folder / f"{name}.png")


def command_of(name: str) -> str:
    """The command that makes a figure."""
    return f"python bench/papers.py --only {name}"


def as_text(figure: Figure) -> str:
    """A table as Markdown has it."""
    lines = [figure.columns, tuple("---" for _ in figure.columns), *figure.rows]
    return "\n".join("| " + " | ".join(map(shown, line)) + " |" for line in lines)


def shown(value: Value) -> str:
    """A value as tables have it: four digits of a fraction, thousands of a whole number apart.

    >>> shown(1234567), shown(0.123456), shown(2.0), shown(None), shown("rbi")
    ('1,234,567', '0.1235', '2', '-', 'rbi')
    """
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 10000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else value


def draw(figure: Figure, path: Path) -> None:
    """Draw its chart; rows without a number there are left out."""
    from matplotlib.figure import Figure as Picture  # an extra, which only this needs

    chart = figure.chart
    panels = _distinct(figure.column(chart.panel)) if chart.panel else [None]
    picture = Picture(figsize=(max(6.0, 4.2 * len(panels)), 4.2), dpi=80, layout="constrained")
    all_axes = picture.subplots(1, len(panels), squeeze=False)[0]
    for panel, axes in zip(panels, all_axes, strict=True):
        rows = [row for row in figure.rows if not chart.panel or _at(figure, row, chart.panel) == panel]
        (_draw_lines if chart.lines else _draw_bars)(figure, rows, axes)
        axes.set(title="" if panel is None else f"{chart.panel} {panel}", xlabel=chart.x, ylabel=chart.y)
        if chart.log:
            axes.set_yscale("log")
        axes.grid(axis="y", alpha=0.4)
        axes.legend(fontsize="x-small")
    picture.suptitle(figure.title, fontsize="medium")
    picture.savefig(path, format="png")


def _draw_lines(figure: Figure, rows: Sequence[Row], axes: Any) -> None:
    from accache.l1.plots import layered  # which needs the extra, too

    series = _series(figure, rows)
    for number, (name, points) in enumerate(series):
        axes.plot(*zip(*points, strict=True), label=name, **layered(number, len(series)))


def _draw_bars(figure: Figure, rows: Sequence[Row], axes: Any) -> None:
    places = {value: place for place, value in enumerate(_distinct([_at(figure, row, figure.chart.x) for row in rows]))}
    series = _series(figure, rows)
    width = 0.8 / max(1, len(series))
    for number, (name, points) in enumerate(series):
        left = [places[x] + width * (number - (len(series) - 1) / 2) for x, _ in points]
        axes.bar(left, [y for _, y in points], width=width, label=name)
    axes.set_xticks(range(len(places)), [str(value) for value in places], fontsize="small")


def _series(figure: Figure, rows: Sequence[Row]) -> list[tuple[str, list[tuple[Value, float]]]]:
    found: dict[str, list[tuple[Value, float]]] = {}
    for row in rows:
        y = _at(figure, row, figure.chart.y)
        if isinstance(y, int | float):
            found.setdefault(str(_at(figure, row, figure.chart.series)), []).append(
                (_at(figure, row, figure.chart.x), y)
            )
    return list(found.items())


def _at(figure: Figure, row: Row, column: str) -> Value:
    return row[figure.columns.index(column)]


def _distinct(values: Sequence[Value]) -> list[Value]:
    return list(dict.fromkeys(values))
