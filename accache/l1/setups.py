"""One run of the engine: the cache, and the parts of the model that are switched off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, get_args

from accache.l1.gpus import Gpu
from accache.l1.modes import Conventions
from accache.l1.sets import SetIndex

Ablation: TypeAlias = Literal["associativity", "latency", "mshr", "warp-mshr"]
ABLATIONS: Final[tuple[Ablation, ...]] = get_args(Ablation)
"""The parts of the model that can be switched off; the paper's section 6.1 does so with the first three."""


@dataclass(frozen=True)
class Setup:
    """What the engine needs to know besides requests; None is without limit."""

    conventions: Conventions
    sets: int
    ways: int
    latency: int
    deviation: float
    hit_latency: int
    mshrs: int | None
    warp_mshrs: int | None
    active_blocks: int
    index: SetIndex = "xor"

    def without(self, part: Ablation) -> Setup:
        """The same run with one of ABLATIONS switched off.

        That is: one set with all lines; no latencies; any number of registers; any number of registers for a warp.
        """
        if part == "associativity":
            return replace(self, sets=1, ways=self.sets * self.ways)
        if part == "latency":
            return replace(self, latency=0, deviation=0.0, hit_latency=0)
        if part == "warp-mshr":
            return replace(self, warp_mshrs=None)
        assert part == "mshr", part
        return replace(self, mshrs=None, warp_mshrs=None)


@dataclass(frozen=True)
class Distances:
    """How many requests had a reuse distance d of each kind, where w is the number of ways.

    ``near``: d < w. ``edge``: d = w. ``far``: d > w. ``never``: the line was not in the cache before, d is infinite.
    ``sector``: d < w, but not all sectors asked for are there; such requests are not among the near ones.
    """

    near: int
    edge: int
    far: int
    never: int
    sector: int = 0


def setup_of(gpu: Gpu, conventions: Conventions, block_threads: int) -> Setup:
    """A run of the whole model with blocks of a number of threads; raises ValueError if not even one fits."""
    if block_threads > gpu.threads:
        raise ValueError(f"a block of {block_threads} threads does not fit on {gpu.name}")
    return Setup(
        conventions,
        gpu.sets,
        gpu.ways,
        gpu.latency,
        deviation=gpu.deviation,
        hit_latency=gpu.hit_latency,
        mshrs=gpu.mshrs,
        warp_mshrs=gpu.warp_mshrs,
        active_blocks=min(gpu.threads // block_threads, gpu.blocks),
        index=gpu.index,
    )
