"""Miss rates of a sweep as a picture, in the way of the paper's Figure 12: a coloured series a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from accache.l1.sweeps import Point

_SIZE, _DPI = (6.0, 3.6), 150  # inches, dots an inch
_MARKERS = "os^Dv*"


def draw(path: str, title: str, points: Sequence[Point], records: Sequence[Mapping[str, Any]]) -> None:
    """Draw the miss rate of each point of a sweep, and write it as PNG.

    Raises:
        OSError: the file cannot be written.
    """
    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    labels = {point.value: point.label for point in points}
    places = {value: place for place, value in enumerate(sorted(labels))}
    for number, name in enumerate(dict.fromkeys(point.series for point in points)):
        own = sorted(
            (places[point.value], 100 * record["miss_rate"])
            for point, record in zip(points, records, strict=True)
            if point.series == name
        )
        axes.plot(*zip(*own, strict=True), marker=_MARKERS[number % len(_MARKERS)], label=name)
    axes.set_title(title, fontsize="medium")
    axes.set_ylabel("L1 miss rate [%]")
    axes.set_ylim(0, 100)
    axes.set_xticks(range(len(labels)), [labels[value] for value in sorted(labels)])
    axes.grid(axis="y", alpha=0.4)
    axes.legend(fontsize="small")
    figure.savefig(path, format="png")
