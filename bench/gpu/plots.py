"""One picture a figure, of the results in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from banks import settings
from cost.chips import SECTORS
from figures.figure import Chart, Figure, Row, draw

from gpu.results import Record, read

Point = tuple[str, str, float, float]
"""A program with its arguments, what is predicted, and the ratio default / no directive, predicted and measured."""
MS = "milliseconds"
PREDICTED: Mapping[str, Callable[[Record], float]] = {
    "bytes": lambda launch: launch["l2_bytes"],
    "wavefronts": lambda launch: launch["turns"] + _sectors(launch) / SECTORS,
    "instructions": lambda launch: launch["instructions"],
}
"""What ratios are predicted of, beside clocks: bytes of L2, wavefronts of L1 and of shared memory, instructions."""


def plot(folder: Path) -> None:
    """Write a picture a figure; nothing of what there are no times of.

    times.png has programs over sizes, ratios.png what bench/cost predicts against times; the others, by their names,
    are what the papers have figures of.
    """
    times = [record for record in read(folder, "times") if "milliseconds" in record]
    micro = [record for record in read(folder, "microbenchmarks") if "milliseconds" in record]
    for name, figure in pictures(times, micro).items():
        if figure.rows:
            draw(figure, folder / f"{name}.png")
    if not times:
        return
    import matplotlib  # an extra, which only this needs

    matplotlib.use("Agg")
    _plot_times(times, folder / "times.png")
    _plot_ratios(list(ratios(times, list(read(folder, "predictions")))), folder / "ratios.png")


def pictures(times: Sequence[Record], micro: Sequence[Record]) -> dict[str, Figure]:
    """Width by scope, write-back against write-through, Listing 6, and ways to bypass L1, in milliseconds."""
    return {
        "width_scope": Figure(
            "width and scope, rbi",
            "",
            ("program", "width, scope", MS),
            tuple(_shared(times)),
            Chart("program", MS, "width, scope", "program"),
        ),
        "writes": Figure(
            "write policies",
            "",
            ("program", "policy", "writes", MS),
            tuple(_written(times)),
            Chart("writes", MS, "policy", "program", lines=True),
        ),
        "listing_6": Figure(
            "Listing 6",
            "",
            ("type", "form", "padding", MS),
            tuple(_banks(times)),
            Chart("padding", MS, "form", "type"),
        ),
        "bypass": Figure(
            "ways to bypass L1",
            "",
            ("program", "way", MS),
            tuple((*record["case"].split(", "), record[MS]) for record in micro),
            Chart("program", MS, "way"),
        ),
    }


def _shared(times: Sequence[Record]) -> Iterator[Row]:
    for record in times:
        chosen = _options(record["case"])
        if chosen.keys() & {"width", "scope"}:
            yield record["program"], f"{chosen.get('width', 'auto')}, {chosen.get('scope', 'auto')}", record[MS]


def _written(times: Sequence[Record]) -> Iterator[Row]:
    for record in times:
        if policy := _options(record["case"]).get("write"):
            yield record["program"], policy, int(record["arguments"][1]), record[MS]


def _banks(times: Sequence[Record]) -> Iterator[Row]:
    """Those of a GPU; a CPU times the program whole."""
    launches = next((record["launches"] for record in times if record["program"] == "listing_6"), ())
    if len(launches) == len(settings()):
        for each, launch in zip(settings(), launches, strict=True):
            form = f"{'flat' if each.flat else '2D'}, {each.order}"
            yield each.ctype, form, each.padding, median(launch[MS])


def _options(case: str) -> dict[str, str]:
    """The options of accache that a case's name has."""
    return dict(word.split("=", 1) for word in case.split() if "=" in word)


def _sectors(launch: Record) -> float:
    return float(sum(launch.get(name, 0) for name in ("sectors", "atomic_sectors", "local_sectors")))


def curves(times: Sequence[Record], program: str) -> dict[str, list[tuple[float, float]]]:
    """For each column of a program without further options: first argument and milliseconds, in order."""
    found: dict[str, list[tuple[float, float]]] = {}
    for record in times:
        if record["program"] == program and "=" not in record["case"] and record["arguments"]:
            found.setdefault(record["column"], []).append((float(record["arguments"][0]), record["milliseconds"]))
    return {column: sorted(points) for column, points in sorted(found.items())}


def ratios(times: Sequence[Record], predictions: Sequence[Record]) -> Iterator[Point]:
    """The points of each program and size whose times and predictions with and without directives are known."""
    counts = {(record["program"], record["column"]): _counts(record) for record in predictions if "clocks" in record}
    known = {record["case"]: record["milliseconds"] for record in times}
    for record in times:
        program, arguments = record["program"], record["arguments"]
        plain = " ".join((program, "none", *arguments))
        both = (program, "default"), (program, "none")
        if record["case"] == " ".join((program, "default", *arguments)) and plain in known and set(both) <= set(counts):
            base = counts[both[1]]
            for what, count in counts[both[0]].items():
                if count and base.get(what):
                    name = " ".join((program, *arguments[:1]))
                    yield name, what, count / base[what], record["milliseconds"] / known[plain]


def _counts(record: Record) -> dict[str, float]:
    """What is predicted of a program: its clocks, and what all of its launches take together."""
    launches = record.get("launches", ())
    return {"clocks": record["clocks"], **{what: sum(map(of, launches)) for what, of in PREDICTED.items()}}


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

    figure, axes = pyplot.subplots(2, 2, figsize=(12, 12))
    for axis, what in zip(axes.flat, ("clocks", *PREDICTED), strict=True):
        for name, _, predicted, measured in (point for point in points if point[1] == what):
            axis.scatter(predicted, measured, color="C0")
            axis.annotate(name, (predicted, measured), fontsize=7)
        axis.axline((1, 1), slope=1, color="grey", linewidth=1)
        axis.set_xlabel(f"predicted: {what} of default / {what} without directives")
        axis.set_ylabel("measured: time of default / time without directives")
        axis.set(xscale="log", yscale="log")
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    pyplot.close(figure)
