"""Miss rates of a sweep as a picture, in the way of the paper's Figure 12: a coloured series a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from accache.l1.sweeps import Point

_SIZE, _DPI = (7.6, 3.6), 150  # inches, dots an inch
_MARKERS = "os^Dv*P"  # with the ten colours 70 series that look different
_DASHES = ("-", "--", "-.", ":")
_WIDER, _WIDEST = 1.8, 9.0  # points that a line may be wider than the one above it, and than the last
_LARGER, _LARGEST = 3.0, 15.0  # the same of markers


def draw(path: str, title: str, points: Sequence[Point], records: Sequence[Mapping[str, Any]]) -> None:
    """Draw the miss rate of each point of a sweep, and write it as PNG.

    Raises:
        OSError: the file cannot be written.
    """
    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    labels = {point.value: point.label for point in points}
    places = {value: place for place, value in enumerate(sorted(labels))}
    series = list(dict.fromkeys(point.series for point in points))
    for number, name in enumerate(series):
        own = sorted(
            (places[point.value], 100 * record["miss_rate"])
            for point, record in zip(points, records, strict=True)
            if point.series == name
        )
        style = layered(number, len(series))
        axes.plot(*zip(*own, strict=True), label=name, clip_on=False, **style)
    axes.set_title(title, fontsize="medium")
    axes.set_xlabel(points[0].axis)
    axes.set_ylabel("L1 miss rate [%]")
    axes.set_ylim(0, 100)
    axes.set_xticks(range(len(labels)), [labels[value] for value in sorted(labels)])
    axes.grid(axis="y", alpha=0.4)
    figure.legend(loc="outside right upper", fontsize="small")  # it would cover points inside
    figure.savefig(path, format="png")


def layered(number: int, count: int) -> dict[str, Any]:
    """How one of several lines is drawn so that it can be seen below those that come later, even if they are the same.

    Later lines are thinner, and their hollow markers smaller. Series that have one colour differ in marker or dashes.
    """
    above, others = count - 1 - number, max(count - 1, 1)
    return {
        "linewidth": 1.2 + above * min(_WIDER, _WIDEST / others),
        "markersize": 5 + above * min(_LARGER, _LARGEST / others),
        "markerfacecolor": "none",
        "marker": _MARKERS[number % len(_MARKERS)],
        "linestyle": _DASHES[number % len(_DASHES)],
    }
