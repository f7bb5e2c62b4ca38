"""Paper 002, the L1 model: Figures 3, 7 and 12, the classes of misses, and the ablations of section 6.1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from accache.l1.gpus import gpu_named
from accache.l1.model import Counts, Predictor
from accache.l1.modes import PAPER
from accache.l1.sweeps import points
from accache.l1.tools import PLAIN, Tools, compiled_tools
from accache.l1.trace import Trace, trace_of
from figures.figure import Chart, Figure, Row, Settings
from figures.kernels import traced

FERMI = gpu_named("fermi-16k")
SEED = 1
BASE = 1 << 20
COUNTS = (4, 8, 16, 32, 64, 128)
ABLATIONS = {"associativity": 9.6, "latency": 12.1, "mshr": 7.1}
"""The parts of the model that section 6.1 leaves out, and the mean absolute error in % that it then has."""


@cache
def _tools() -> Tools:
    return compiled_tools(own_process=True) or PLAIN


def _loads(thread: np.ndarray, address: np.ndarray, block: int) -> Trace:
    return trace_of((block, 1, 1), (thread, np.zeros_like(thread), address, np.full_like(thread, 4)))


def registers(settings: Settings) -> Figure:
    """Figure 3: a block copies rows of floats, a row a thread: in an ordered round robin, and by the model."""
    width = 64 if settings.quick else 1024
    rows: list[Row] = []
    for threads in (32, 64, 128, 256, 512, 1024):
        thread, column = np.repeat(np.arange(threads), width), np.tile(np.arange(width), threads)
        predictor = Predictor(_loads(thread, BASE + 4 * (width * thread + column), threads), _tools())
        for name, without in (("round robin", ("latency", "associativity")), ("modelled", ("warp-mshr",))):
            counts = predictor.predict(FERMI, PAPER, SEED, without)
            rows.append((threads, name, round(100 * counts.miss_rate(PAPER), 1)))
    said = (
        "a picture; by the text, what is measured is worse than the ordered round robin for 64 and 128 threads, and "
        "better for 256 to 1024"
    )
    columns = ("threads", "schedule", "miss rate %")
    return Figure(
        "a row a thread: why registers matter", said, columns, tuple(rows), Chart("threads", columns[2], columns[1])
    )


def strides(settings: Settings) -> Figure:
    """Figure 7: a warp loads so many lines at a stride twice: half of the loads miss, or all do."""
    rows: list[Row] = []
    for bit in range(7, 21):
        rates = []
        for count in COUNTS:
            line = np.tile(np.arange(count), 2)
            trace = _loads(np.zeros_like(line), BASE + (line << bit), 32)
            rates.append(round(100 * Predictor(trace, _tools()).predict(FERMI, PAPER, SEED).miss_rate(PAPER)))
        rows += [(f"2^{bit}", count, rate, rates.count(50) - 1) for count, rate in zip(COUNTS, rates, strict=True)]
    said = (
        "a picture of 100 % and 50 %; by the text, a stride of 2^12 and 128 loads vary four hashed bits, "
        "13, 14, 15 and 17"
    )
    columns = ("stride", "loads", "miss rate %", "bits that vary")
    return Figure("strided loads, twice", said, columns, tuple(rows), Chart("stride", columns[2], "loads"))


def sweep(settings: Settings) -> Figure:
    """Figure 12: ways, size, line and registers by 1/4 to 4, one at a time."""
    rows: list[Row] = []
    for name, trace in _traces(settings):
        predictor = Predictor(trace, _tools())
        for point in points(FERMI, (("paper", ()),)):
            rate = predictor.predict(point.gpu, PAPER, SEED).miss_rate(PAPER)
            rows.append((name, point.series, point.value, round(100 * rate, 1)))
    said = (
        "pictures of six kernels of Parboil; by the text, ways matter little, size most for two kernels, lines of "
        "128 or 256 bytes are best, and 16 or 32 registers are better than 64 for two kernels"
    )
    columns = ("kernel", "parameter", "factor", "miss rate %")
    chart = Chart("factor", columns[3], "parameter", "kernel", lines=True)
    return Figure("ways, size, line and registers by 1/4 to 4", said, columns, tuple(rows), chart)


def classes(settings: Settings) -> Figure:
    """Figure 10: misses by their classes, in % of the requests, for 16 KB."""
    rows: list[Row] = []
    names = ("compulsory", "capacity", "associativity", "mshr", "latency")
    for name, trace in _traces(settings):
        counts = _counts(trace, ())
        rows += [(name, each, round(100 * getattr(counts, each) / counts.requests, 2)) for each in names]
    said = (
        "pictures; by the text, most kernels have almost no associativity misses, some of PolyBench/GPU many, and none "
        "misses by registers"
    )
    columns = ("kernel", "class", "% of requests")
    return Figure("misses by class, 16 KB", said, columns, tuple(rows), Chart("class", columns[2], "kernel"))


def ablations(settings: Settings) -> Figure:
    """Section 6.1: the miss rate without a part of the model, and how far that is from the rate with it."""
    rows: list[Row] = []
    apart: dict[str, list[float]] = {part: [] for part in ABLATIONS}
    for name, trace in _traces(settings):
        whole = 100 * _counts(trace, ()).miss_rate(PAPER)
        rows.append((name, "whole", round(whole, 2), 0.0, None))
        for part, away in apart.items():
            rate = 100 * _counts(trace, (part,)).miss_rate(PAPER)
            away.append(abs(rate - whole))
            rows.append((name, f"without {part}", round(rate, 2), round(away[-1], 2), None))
    for part, away in apart.items():
        rows.append(("mean", f"without {part}", None, round(sum(away) / len(away), 2), round(ABLATIONS[part] - 6.4, 1)))
    said = (
        "the error against a GPU is 6.4 % with all parts, 9.6 without associativity, 12.1 without latencies, 7.1 with "
        "any number of registers; the last column is what these are more than 6.4"
    )
    columns = ("kernel", "model", "miss rate %", "away from whole", "the paper: more error")
    return Figure("parts of the model left out", said, columns, tuple(rows), Chart("kernel", columns[3], "model"))


def _traces(settings: Settings) -> Iterator[tuple[str, Trace]]:
    for each in traced(settings):
        if each.trace is not None:
            yield each.name, each.trace


def _counts(trace: Trace, without: tuple[str, ...]) -> Counts:
    return Predictor(trace, _tools()).predict(FERMI, PAPER, SEED, without)
