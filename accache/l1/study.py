"""All that ``accache model`` is asked about a trace: one record for each cache, made on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial

from accache.base.progress import counted, working
from accache.l1.carving import Tile, Tiled, Verdict, judged, verdict
from accache.l1.gpus import Gpu
from accache.l1.histograms import histogram
from accache.l1.model import Predictor
from accache.l1.modes import MODES, Mode
from accache.l1.parameters import parameters
from accache.l1.report import as_record
from accache.l1.setups import Ablation
from accache.l1.tables import grouped, movement
from accache.l1.tools import PLAIN, Tools, compiled_tools
from accache.l1.trace import Trace

Record = dict[str, object]


@dataclass(frozen=True)
class Question:
    """What is asked: the counts of the timed model, and whatever else is chosen.

    ``traffic`` asks for what moves between the caches, ``by`` for the same by one of ``tables.GROUPINGS``, and
    ``distances`` for the histogram of reuse distances. ``tiles`` asks whether they pay, and ``tiled``
    whether each directive of a program does. ``name`` is that of the trace, for messages.
    """

    name: str
    mode: Mode
    seed: int
    without: tuple[Ablation, ...] = ()
    traffic: bool = False
    by: str | None = None
    distances: bool = False
    tiles: tuple[Tile, ...] = ()
    tiled: Tiled | None = None


def answers(trace: Trace, gpus: Sequence[Gpu], question: Question, tools: Tools = PLAIN) -> list[Record]:
    """The record of each cache.

    Raises:
        CompileError: the trace does not tell what is asked for, or its steps go back.
    """
    if len(gpus) == 1:
        with working("modelling the cache"):
            return [answer(trace, gpus[0], question, tools)]
    workers = min(len(gpus), os.cpu_count() or 1)
    if tools.in_threads:
        predictor = Predictor(trace, tools)
        for gpu in gpus:
            predictor.prepare(gpu)
        ask: Callable[[Gpu], Record] = partial(answer, trace, question=question, tools=tools, predictor=predictor)
        pool: Executor = ThreadPoolExecutor(workers)
    else:
        ask, pool = partial(answer, trace, question=question, tools=tools), ProcessPoolExecutor(workers)
    with pool:
        return list(counted("modelling caches", pool.map(ask, gpus), len(gpus)))


def answer_anywhere(trace: Trace, gpu: Gpu, question: Question) -> Record:
    """The record of a cache, on another machine with the tools that are there."""
    return answer(trace, gpu, question, compiled_tools() or PLAIN)


def answer(
    trace: Trace, gpu: Gpu, question: Question, tools: Tools = PLAIN, *, predictor: Predictor | None = None
) -> Record:
    """The record of one cache.

    Raises:
        CompileError: the trace does not tell what is asked for, or its steps go back.
    """
    ready = predictor or Predictor(trace, tools)
    counts = ready.predict(gpu, MODES[question.mode], question.seed, question.without)
    record = as_record(counts, gpu, question.mode, question.seed, without=question.without)
    record["looked_at"] = len(trace.blocks_of) or 1
    if question.traffic or question.by:
        moved = movement(trace, gpu, tools)
        record["traffic"] = {
            **{name: value for name, value in asdict(moved.total).items() if name != "name"},
            "from_memory": moved.total.from_memory,
            "written": moved.written,
        }
        if question.by:
            rows = grouped(moved, trace, question.by, question.name)
            record[f"by_{question.by}"] = [{**asdict(row), "from_memory": row.from_memory} for row in rows]
    if question.distances:
        found = histogram(trace, gpu, tools)
        record["distances"] = {
            "sets": found.sets,
            "never": found.never,
            "ranges": [list(each) for each in found.ranges()],
            "hits_by_ways": {str(ways): found.hits(ways) for ways in _doubling(len(found.counts))},
        }
    if question.tiles:
        compared = verdict(trace, gpu, question.tiles, question.name, tools=tools)
        record["tiles"] = _verdict(compared)
    if question.tiled is not None:
        record["kernel"] = question.tiled.kernel
        record["directives"] = [
            {
                **asdict(each.directive),
                "requests": each.requests,
                "requests_then": each.requests_then,
                "verdict": {**_verdict(each.verdict), "pays": each.pays} if each.verdict else None,
            }
            for each in judged(trace, gpu, question.tiled, question.name, tools=tools)
        ]
    record["parameters"] = {each.name: {"value": each.value, "source": each.source} for each in parameters(gpu)}
    return record


def _verdict(found: Verdict) -> dict[str, object]:
    return {**asdict(found), "saved": found.saved, "pays": found.pays}


def _doubling(largest: int) -> list[int]:
    """1, 2, 4, ... up to the first that is not below the largest."""
    found = [1]
    while found[-1] < largest:
        found.append(2 * found[-1])
    return found
