"""The model of a whole launch: what hits, what misses, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial

from accache.l1.gpus import Gpu
from accache.l1.modes import Conventions
from accache.l1.requests import make_requests
from accache.l1.setups import Ablation, Distances, Setup, setup_of
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Trace, loading_parts


@dataclass(frozen=True)
class Counts:
    """Requests of a launch, each a hit or a miss of one class; after coalescing, one a line."""

    compulsory: int
    capacity: int
    associativity: int
    latency: int
    mshr: int
    hits: int
    sector: int = 0

    @property
    def misses(self) -> int:
        """Misses of all classes."""
        return self.compulsory + self.capacity + self.associativity + self.latency + self.mshr + self.sector

    @property
    def requests(self) -> int:
        """Hits and misses."""
        return self.hits + self.misses

    def miss_rate(self, conventions: Conventions) -> float:
        """The share of requests that miss; latency misses ask for no data, so the paper's rate has them not."""
        counted = self.misses if conventions.rate_of_latency else self.misses - self.latency
        return counted / self.requests


class Predictor:
    """A trace whose requests are made once for all caches that need the same ones."""

    def __init__(self, trace: Trace, tools: Tools = PLAIN) -> None:
        self._trace, self._tools = trace, tools
        self._runs: dict[tuple[int | None, ...], list[Callable[[Setup, int], Distances]]] = {}

    def prepare(self, gpu: Gpu) -> Sequence[Callable[[Setup, int], Distances]]:
        """What runs the requests that the trace makes of each of its multiprocessors.

        Raises:
            CompileError: steps of a thread go back.
        """
        kind = (gpu.line_bytes, gpu.sector_bytes, gpu.warp_threads)
        if kind not in self._runs:
            self._runs[kind] = [
                self._tools.prepare(make_requests(part, gpu, self._tools.coalesce, self._tools.order))
                for part in loading_parts(self._trace)
            ]
        return self._runs[kind]

    def predict(self, gpu: Gpu, conventions: Conventions, seed: int, without: Sequence[Ablation] = ()) -> Counts:
        """What the L1 caches of the trace's multiprocessors do, added up; ``without`` switches off some of ABLATIONS.

        Raises:
            CompileError: steps of a thread go back.
            ValueError: a block has more threads than the multiprocessor holds.
        """
        setup = setup_of(gpu, conventions, self._trace.block_threads)
        for part in without:
            setup = setup.without(part)
        found = [classify(setup, partial(_seeded, run, seed)) for run in self.prepare(gpu)]
        return Counts(*map(sum, zip(*map(astuple, found), strict=True)))


def _seeded(run: Callable[[Setup, int], Distances], seed: int, setup: Setup) -> Distances:
    return run(setup, seed)


def predict(
    trace: Trace,
    gpu: Gpu,
    conventions: Conventions,
    seed: int,
    *,
    without: Sequence[Ablation] = (),
    tools: Tools = PLAIN,
) -> Counts:
    """What ``Predictor`` says of one cache."""
    return Predictor(trace, tools).predict(gpu, conventions, seed, without)


def classify(setup: Setup, run: Callable[[Setup], Distances]) -> Counts:
    """Give misses their classes by four runs: the model, and the model without each of its three parts.

    Compulsory misses are the infinite distances without latencies, and latency misses those that come with them.
    Associativity and register misses are those that go when every line fits everywhere, and when registers are
    without limit; sector misses are those on lines that are there, and capacity misses the rest. A part without which
    there are more misses has none of its own, and the classes never add up to more than the misses.
    """
    full, one_set, instant, unlimited = (
        run(variant) for variant in (setup, *(setup.without(part) for part in ("associativity", "latency", "mshr")))
    )
    misses = _misses(full, setup)
    rest = misses - full.never - full.sector
    associativity = min(rest, max(0, misses - _misses(one_set, setup)))
    mshr = min(rest - associativity, max(0, misses - _misses(unlimited, setup)))
    return Counts(
        compulsory=instant.never,
        capacity=rest - associativity - mshr,
        associativity=associativity,
        latency=full.never - instant.never,
        mshr=mshr,
        hits=full.near + full.edge + full.far + full.never + full.sector - misses,
        sector=full.sector,
    )


def _misses(distances: Distances, setup: Setup) -> int:
    """The misses of a run, by the convention for a distance that equals the number of ways."""
    edge = 0 if setup.conventions.edge_hits else distances.edge
    return edge + distances.far + distances.never + distances.sector
