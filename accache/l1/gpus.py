"""The caches that can be modelled: one row a preset, every parameter with its source in docs/model.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class L2:
    """The cache behind L1: bytes, and ways of a set."""

    size: int
    ways: int


@dataclass(frozen=True)
class Gpu:
    """One multiprocessor as the model sees it.

    A line has sectors of ``sector_bytes``, None if it is always fetched whole. ``hashed`` sets are chosen by the
    exclusive or of the paper's section 5.1, others by the low bits of the line's address. ``writes`` is one of
    ``policies.WRITES``.

    ``latency`` and ``deviation`` are in ticks of the model, not in cycles of the chip: a miss takes
    ``latency + |round(N(0, deviation))|`` (paper, section 4.2). ``mshrs`` lines can be in flight at a time,
    ``warp_mshrs`` of them for one warp; None is without limit. A multiprocessor holds ``threads`` threads and
    ``blocks`` blocks at a time.
    """

    name: str
    sets: int
    ways: int
    line_bytes: int = 128
    sector_bytes: int | None = None
    mshrs: int | None = 64
    warp_mshrs: int | None = 6
    latency: int = 100
    deviation: float = 5.0
    hit_latency: int = 0
    warp_threads: int = 32
    threads: int = 1536
    blocks: int = 8
    hashed: bool = True
    writes: str = "around"
    l2: L2 = L2(768 * 1024, 16)

    @property
    def size(self) -> int:
        """The bytes the cache holds."""
        return self.sets * self.ways * self.line_bytes


GPUS: tuple[Gpu, ...] = (Gpu("fermi-16k", sets=32, ways=4), Gpu("fermi-48k", sets=64, ways=6))


def gpu_named(name: str) -> Gpu:
    """The preset of a name; raises KeyError if there is none."""
    return {gpu.name: gpu for gpu in GPUS}[name]
