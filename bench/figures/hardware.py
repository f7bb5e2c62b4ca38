"""The model since Volta held against counters of a GPU, and which of its parameters the hit rate depends on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accache.l1.gpus import Gpu, gpu_named, with_shared
from accache.l1.tables import movement
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.trace import Trace
from figures.figure import Chart, Figure, Row, Settings
from figures.kernels import OWN, traced

GV100 = gpu_named("v100")
MEASURED = {
    "atax_kernel1": 87.83,
    "atax_kernel2": 19.68,
    "mvt_kernel1": 87.83,
    "gesummv_kernel": 88.38,
    "gemm_kernel": 93.77,
    "Convolution2D_kernel": 82.22,
    "convolution3D_kernel": 62.81,
    "mvt_kernel2": 19.68,
    "bicg_kernel1": 19.69,
    "bicg_kernel2": 87.83,
    "mm3_kernel1": 93.77,
    "mm3_kernel2": 93.74,
    "mm3_kernel3": 93.65,
    "gramschmidt_kernel1": 0.0,
    "gramschmidt_kernel2": 2.65,
    "gramschmidt_kernel3": 41.06,
}
"""Read sectors of global memory that L1 of a GV100 has, in %, of PolyBench/GPU's kernels as published with HyFiSS
(github.com/RepositoryAnonymous/simulator-apps, figures-paper/compare.xlsx): the first launch of each."""
FITTED = 7
"""The first so many were known when sets and index were chosen; the others were not looked at."""


def counters(settings: Settings) -> Figure:
    """Hit rates of PolyBench/GPU's kernels, predicted and measured; without them there are no rows but the mean."""
    rows: list[Row] = []
    errors: dict[str, list[float]] = {"fitted": [], "held out": []}
    for name, trace in _traces(settings):
        kernel = name.rpartition(" ")[2]
        if kernel in MEASURED:
            part = "fitted" if list(MEASURED).index(kernel) < FITTED else "held out"
            found, known = hit_rate(trace, GV100), MEASURED[kernel]
            errors[part].append(abs(found - known))
            rows.append((kernel, part, round(found, 2), known, round(found - known, 2)))
    for part, found in errors.items():
        rows.append(("mean absolute error", part, None, None, round(sum(found) / len(found), 2) if found else None))
    columns = ("kernel", "of the choice", "predicted %", "measured %", "error")
    said = (
        "not the paper's: counters of a GV100; over more programs simulators are off by 5.0 (PPT-GPU), 5.4 "
        "(HyFiSS) and 10.9 points (Accel-Sim)"
    )
    return Figure("L1 hit rates of read sectors", said, columns, tuple(rows), Chart("kernel", columns[4], columns[1]))


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


def _moved(parameter: str, value: str, changes: list[float]) -> Row:
    mean, absolute = sum(changes) / len(changes), sum(map(abs, changes)) / len(changes)
    return parameter, value, round(mean, 2), round(absolute, 2), round(max(changes, key=abs), 2)


def hit_rate(trace: Trace, gpu: Gpu) -> float:
    """The part of the sectors that loads ask for which L1 has, in %, in the fixed order."""
    total = movement(trace, gpu, compiled_tools(own_process=True) or PLAIN).total
    return 100 * total.in_l1 / total.asked


def _traces(settings: Settings, *, one: bool = False) -> Iterator[tuple[str, Trace]]:
    """The user's kernels, else the samples', with blocks dealt out to all multiprocessors, or with ``one`` to one."""
    for each in traced(settings, 1 if one else GV100.multiprocessors):
        own = any(each.name.startswith("/".join(path.parts[-2:])) for path in OWN)
        if each.trace is not None and (settings.kernels is None or not own):
            yield each.name, each.trace
