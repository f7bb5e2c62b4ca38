"""One picture a figure, of the results in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpu.results import Record, read

Point = tuple[str, float, float]
"""A program with its arguments, and the ratio default / no directive that is predicted and the one that is measured."""


def plot(folder: Path) -> None:
    """Write times.png, and ratios.png, of what bench/cost predicts against times; nothing where there are no times."""
    times = [record for record in read(folder, "times") if "milliseconds" in record]
    if not times:
        return
    import matplotlib  # an extra, which only this needs

    matplotlib.use("Agg")
    _plot_times(times, folder / "times.png")
    _plot_ratios(list(ratios(times, list(read(folder, "predictions")))), folder / "ratios.png")


def curves(times: Sequence[Record], program: str) -> dict[str, list[tuple[float, float]]]:
    """For each column of a program without further options: first argument and milliseconds, in order."""
    found: dict[str, list[tuple[float, float]]] = {}
    for record in times:
        if record["program"] == program and "=" not in record["case"] and record["arguments"]:
            found.setdefault(record["column"], []).append((float(record["arguments"][0]), record["milliseconds"]))
    return {column: sorted(points) for column, points in sorted(found.items())}


def ratios(times: Sequence[Record], predictions: Sequence[Record]) -> Iterator[Point]:
    """A point for each program and size whose times and predictions with and without directives are known."""
    clocks = {(record["program"], record["column"]): record["clocks"] for record in predictions if "clocks" in record}
    known = {record["case"]: record["milliseconds"] for record in times}
    for record in times:
        program, arguments = record["program"], record["arguments"]
        plain = " ".join((program, "none", *arguments))
        both = (program, "default"), (program, "none")
        if record["case"] == " ".join((program, "default", *arguments)) and plain in known and set(both) <= set(clocks):
            predicted = clocks[both[0]] / clocks[both[1]]
            yield " ".join((program, *arguments[:1])), predicted, record["milliseconds"] / known[plain]


def _plot_times(times: Sequence[Record], path: Path) -> None:
    from matplotlib import pyplot

    from accache.l1.plots import layered

    sizes_of = Counter((record["program"], record["column"]) for record in times if "=" not in record["case"])
    names = sorted({program for (program, _), sizes in sizes_of.items() if sizes > 2})
    rows = max(1, -(-len(names) // 3))
    figure, axes = pyplot.subplots(rows, 3, squeeze=False, figsize=(12, 3.2 * rows))
    for axis, name in zip(axes.flat, names, strict=False):
        found = curves(times, name)
        for number, (column, points) in enumerate(found.items()):
            axis.plot(*zip(*points, strict=True), label=column, **layered(number, len(found)))
        axis.set(title=name, xlabel="first argument", ylabel="milliseconds", xscale="log", yscale="log")
        if found:
            axis.legend(fontsize=7)
    for axis in axes.flat[len(names) :]:
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    pyplot.close(figure)


def _plot_ratios(points: Sequence[Point], path: Path) -> None:
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(6, 6))
    for name, predicted, measured in points:
        axis.scatter(predicted, measured, color="C0")
        axis.annotate(name, (predicted, measured), fontsize=7)
    axis.axline((1, 1), slope=1, color="grey", linewidth=1)
    axis.set_xlabel("predicted: clocks of default / clocks without directives")
    axis.set_ylabel("measured: time of default / time without directives")
    axis.set(xscale="log", yscale="log")
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    pyplot.close(figure)
