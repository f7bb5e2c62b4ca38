"""The model since Volta held against counters of a GPU, and which of its parameters the hit rate depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from accache.l1.gpus import Gpu, gpu_named, with_shared
from accache.l1.measured import HIT_RATE, predicted
from accache.l1.model import Predictor
from accache.l1.modes import PAPER
from accache.l1.tables import movement
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.trace import Trace
from figures.figure import Chart, Figure, Row, Settings
from figures.kernels import of_user, traced
from figures.workbook import SIMULATED, Rates, averages, hit_rates

Errors: TypeAlias = Mapping[str, Sequence[tuple[float, float | None]]]
"""By program, how far the model and a simulator are off for each of its kernels, in points."""
GV100 = gpu_named("v100")
SEED = 1
MEAN = "mean absolute error over programs"
FITTED = frozenset(
    {("atax", 0), ("atax", 1), ("mvt", 0), ("gesummv", 0), ("gemm", 0), ("2DConvolution", 0), ("3DConvolution", 0)}
)
"""The launches, by program and number, whose rates were known when sets and index were chosen."""


def counters(settings: Settings) -> Figure:
    """Hit rates of the user's kernels, predicted and measured, each in its first launch, and the mean errors.

    Without counters nothing is measured, and without programs there are no rows but the means.
    """
    measured, simulated = _published(settings.counters)
    rows: list[Row] = []
    errors: dict[str, dict[str, list[tuple[float, float | None]]]] = {"chosen by": {}, "held out": {}}
    for each in of_user(settings, GV100.multiprocessors):
        launch = each.program, each.number
        part = "chosen by" if launch in FITTED else "held out"
        kernel = each.program, each.name.removeprefix(f"{each.program} ")
        known, other = measured.get(launch, measured.get(kernel)), simulated.get(launch)
        rate = hit_rate(each.trace, GV100) if each.trace is not None else None
        rows.append(
            (each.name, each.number, part, rate, known, _between(rate, known), _between(other, known), each.refused)
        )
        if rate is not None and known is not None:
            errors[part].setdefault(each.program, []).append((rate - known, _between(other, known)))
    for part, programs in (*errors.items(), ("all", _joined(errors))):
        rows.append((MEAN, None, part, None, None, *_means(programs), ""))
    columns = (
        "kernel",
        "launch",
        "index and dealing out",
        "predicted %",
        "measured %",
        "error",
        "PPT-GPU's error",
        "why not",
    )
    said = (
        "not the paper's: counters of a GV100; over 35 programs simulators are off by 5.0 (PPT-GPU), 5.4 "
        "(HyFiSS) and 10.9 points (Accel-Sim)"
    )
    return Figure("L1 hit rates of read sectors", said, columns, tuple(rows), Chart("kernel", columns[5], columns[2]))


def _published(path: Path | None) -> tuple[Rates, Rates]:
    """The rates that were measured and simulated, of a workbook; of a file of averages, which has no simulated ones."""
    if path is None:
        return {}, {}
    return (averages(path), {}) if path.suffix == ".csv" else (hit_rates(path), hit_rates(path, SIMULATED))


def _between(found: float | None, known: float | None) -> float | None:
    return None if found is None or known is None else found - known


def _joined(errors: Mapping[str, Errors]) -> Errors:
    """The errors of all parts together, by program."""
    joined: dict[str, list[tuple[float, float | None]]] = {}
    for programs in errors.values():
        for program, found in programs.items():
            joined.setdefault(program, []).extend(found)
    return joined


def _means(programs: Errors) -> tuple[float | None, float | None]:
    """The mean absolute errors of the model and of the simulator: of each program's kernels, then of programs."""
    if not programs:
        return None, None
    ours = [fmean(abs(error) for error, _ in found) for found in programs.values()]
    others = [[error for _, error in found if error is not None] for found in programs.values()]
    theirs = [fmean(map(abs, found)) for found in others if found]
    return fmean(ours), fmean(theirs) if theirs else None


def tornado(settings: Settings) -> Figure:
    """How far the hit rate moves, in points and on the average over the kernels, with each parameter of the model."""
    traces = list(_traces(settings, one=False))
    packed = dict(_traces(settings, one=True))
    preset = {name: hit_rate(trace, GV100) for name, trace in traces}
    rows: list[Row] = []
    for parameter, value, gpu in _variants():
        moved = [hit_rate(trace, gpu) - preset[name] for name, trace in traces]
        rows.append(_moved(parameter, value, moved))
    shared = [(name, hit_rate(packed[name], GV100) - preset[name]) for name, _ in traces if name in packed]
    rows.append(_moved("multiprocessors", "1", [each for _, each in shared]))
    rows.sort(key=lambda row: -float(row[3] or 0))
    columns = ("parameter", "value", "mean change", "mean absolute change", "largest")
    said = "not the paper's: what of the preset for V100 matters"
    chart = Chart("value", columns[2], columns[0])
    return Figure("parameters of the model since Volta", said, columns, tuple(rows), chart)


def _variants() -> Iterator[tuple[str, str, Gpu]]:
    """The preset with another value of one parameter."""
    for index in ("modulo", "xor"):
        yield "index", index, replace(GV100, index=index)
    for sets in (1, 16, 64):
        yield "sets", str(sets), replace(GV100, sets=sets, ways=GV100.sets * GV100.ways // sets)
    for kb in (32, 64, 96):
        yield "size", f"{128 - kb} KB", with_shared(GV100, kb << 10)
    for writes in ("around", "evict", "allocate"):
        yield "writes", writes, replace(GV100, writes=writes)
    for blocks in (1, 8):
        yield "blocks", str(blocks), replace(GV100, blocks=blocks)
    yield "lanes", "by width", replace(GV100, splits_wide=True)
    yield "sector", "none", replace(GV100, sector_bytes=None)


def latencies(settings: Settings) -> Figure:
    """How far the rates of the model with time move, with each of its parameters; of L2, in the fixed order.

    Misses are requests that L1 does not have, those among them whose line is on its way. L2's rate is the part of what
    L1 gets from L2 that L2 has: it serves those that are looked at, which on a GPU share it with all others.
    """
    tools = compiled_tools(own_process=True) or PLAIN
    traces = [trace for _, trace in _traces(settings)]
    predictors = [Predictor(trace, tools) for trace in traces]
    rows: list[Row] = []
    for rate, variants, rates in (
        (
            "misses of L1",
            _timed(),
            lambda gpu: [_miss_rate(each, gpu) for each in predictors],
        ),
        ("hits of L2", _shares(), lambda gpu: [_l2_rate(trace, gpu) for trace in traces]),
    ):
        preset = rates(GV100)
        for parameter, value, gpu in variants:
            found = zip(rates(gpu), preset, strict=True)
            rows.append((rate, *_moved(parameter, value, [new - old for new, old in found])))
    columns = ("rate", "parameter", "value", "mean change", "mean absolute change", "largest")
    said = "not the paper's: what of latencies, registers and L2's share matters"
    chart = Chart("value", columns[3], columns[1], columns[0])
    return Figure("latencies, registers, and L2 of a multiprocessor", said, columns, tuple(rows), chart)


def _timed() -> Iterator[tuple[str, str, Gpu]]:
    """The preset with another latency, or other registers for lines on their way."""
    for latency in (25, 50, 200, 400):
        yield "latency", str(latency), replace(GV100, latency=latency)
    for deviation in (0.0, 20.0):
        yield "deviation", f"{deviation:.0f}", replace(GV100, deviation=deviation)
    for hit in (20, 37):
        yield "hit latency", str(hit), replace(GV100, hit_latency=hit)
    for mshrs in (64, 256):
        yield "mshrs", str(mshrs), replace(GV100, mshrs=mshrs)
    yield "mshrs of a warp", "6", replace(GV100, warp_mshrs=6)


def _shares() -> Iterator[tuple[str, str, Gpu]]:
    """The preset with a part of L2, down to the one that a multiprocessor of 80 has."""
    for part in (2, 8, 80):
        yield "L2", f"1/{part}", replace(GV100, l2=replace(GV100.l2, size=GV100.l2.size // part))


def _miss_rate(predictor: Predictor, gpu: Gpu) -> float:
    """The part of the requests that L1 does not have, in %."""
    counts = predictor.predict(gpu, PAPER, SEED)
    return 100 * counts.misses / counts.requests


def _l2_rate(trace: Trace, gpu: Gpu) -> float:
    """The part of what L1 gets from L2 that L2 has, in %."""
    total = movement(trace, gpu, compiled_tools(own_process=True) or PLAIN).total
    return 100 * total.in_l2 / total.from_l2 if total.from_l2 else 0.0


def _moved(parameter: str, value: str, changes: list[float]) -> Row:
    mean, absolute = sum(changes) / len(changes), sum(map(abs, changes)) / len(changes)
    return parameter, value, round(mean, 2), round(absolute, 2), round(max(changes, key=abs), 2)


def hit_rate(trace: Trace, gpu: Gpu) -> float:
    """The part of the sectors that loads ask for which L1 has, in %, in the fixed order."""
    return predicted(trace, gpu, compiled_tools(own_process=True) or PLAIN)[HIT_RATE]


def _traces(settings: Settings, *, one: bool = False) -> Iterator[tuple[str, Trace]]:
    """The user's kernels, else the samples', with blocks dealt out to all multiprocessors, or with ``one`` to one."""
    known = of_user if settings.kernels else traced
    for each in known(settings, 1 if one else GV100.multiprocessors):
        if each.trace is not None:
            yield each.name, each.trace
