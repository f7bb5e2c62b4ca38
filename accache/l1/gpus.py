"""The caches that can be modelled: one row a preset, and where each of its numbers comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from accache.base.architectures import Architecture, architecture
from accache.l1.sets import SetIndex

KB = 1024


@dataclass(frozen=True)
class L2:
    """The cache behind L1: bytes, and ways of a set."""

    size: int
    ways: int


@dataclass(frozen=True)
class Unified:
    """One memory for L1 and shared memory, as an architecture has it; shared memory has ``chosen`` bytes of it."""

    architecture: Architecture
    chosen: int = 0

    @property
    def size(self) -> int:
        """The bytes of both."""
        return self.architecture.unified

    @property
    def choices(self) -> tuple[int, ...]:
        """How many of them shared memory may have."""
        return self.architecture.carveouts

    @property
    def reserved(self) -> int:
        """What the system takes of them for each block."""
        return self.architecture.reserved_per_block


@dataclass(frozen=True)
class Gpu:
    """One multiprocessor as the model sees it.

    A line has sectors of ``sector_bytes``, None if it is always fetched whole; both extents are powers of two.
    ``index``, one of ``sets.INDEXES``, chooses the set. ``writes`` is one of ``policies.WRITES``.

    ``splits_wide`` says that accesses of more than 4 bytes a lane are served by halves or quarters of a warp, as CUDA's
    C programming guide has it for Fermi (G.4.2); Accel-Sim's configurations since Volta take all lanes together.

    ``latency`` and ``deviation`` are in ticks of the model, not in cycles of the chip: a miss takes
    ``latency + |round(N(0, deviation))|`` (paper, section 4.2). ``mshrs`` lines can be in flight at a time,
    ``warp_mshrs`` of them for one warp; None is without limit. A multiprocessor holds ``threads`` threads and
    ``blocks`` blocks at a time, whose threads have ``registers`` registers (0: not known, and enough). The blocks of a
    launch are dealt out to ``multiprocessors`` such, one after the other.
    Shared memory is carved out of ``unified`` memory, or has ``shared`` bytes, which this cache leaves it.
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
    splits_wide: bool = True
    threads: int = 1536
    blocks: int = 8
    registers: int = 0
    multiprocessors: int = 1
    index: SetIndex = "xor"
    writes: str = "around"
    l2: L2 = L2(768 * KB, 16)
    unified: Unified | None = None
    shared: int = 0

    def __post_init__(self) -> None:
        """Refuse extents for which bits of an address do not tell the line and the sector."""
        for extent in (self.line_bytes, self.sector_bytes or self.line_bytes):
            if extent < 1 or extent & (extent - 1):
                raise ValueError(f"{extent} bytes of a line or a sector are not a power of two")

    @property
    def size(self) -> int:
        """The bytes the cache holds."""
        return self.sets * self.ways * self.line_bytes


def _since_volta(name: str, arch: str, multiprocessors: int, l2: L2) -> Gpu:
    """A cache of four sets with all that shared memory leaves: sets and registers are those of public simulators.

    What chooses the set is not published. By counters of a GV100 (docs/model.md) lines at strides of powers of two use
    all of the cache, which they do if all bits of the address take part.
    """
    unified = Unified(architecture(arch))
    return Gpu(
        name,
        sets=4,
        ways=unified.size // (4 * 128),
        sector_bytes=32,
        mshrs=512,
        warp_mshrs=None,
        splits_wide=False,
        threads=unified.architecture.threads_per_sm,
        blocks=unified.architecture.blocks_per_sm,
        index="fold",
        writes="through",
        multiprocessors=multiprocessors,
        l2=l2,
        unified=unified,
    )


GPUS: tuple[Gpu, ...] = (
    Gpu("fermi-16k", sets=32, ways=4, shared=48 * KB),
    Gpu("fermi-48k", sets=64, ways=6, shared=16 * KB),
    _since_volta("v100", "sm_70", 80, L2(6 * 1024 * KB, 16)),
    _since_volta("a100", "sm_80", 108, L2(40 * 1024 * KB, 16)),
    replace(_since_volta("h100", "sm_90", 132, L2(50 * 1024 * KB, 16)), writes="allocate"),
    replace(_since_volta("h200", "sm_90", 132, L2(50 * 1024 * KB, 16)), writes="allocate"),
)

KEPLER = Gpu("kepler", sets=32, ways=4, sector_bytes=32, threads=2048, blocks=16, index="modulo", l2=L2(1536 * KB, 16))
"""A GPU whose global loads pass L1 by, as NVIDIA's tuning guide for Kepler says; no preset of ``accache model``, since
the timed model knows nothing but L1. Threads, blocks and the bytes of L2 are those of NVIDIA's GK110 whitepaper."""


def gpu_named(name: str) -> Gpu:
    """The preset of a name; raises KeyError if there is none."""
    return {gpu.name: gpu for gpu in GPUS}[name]


def with_shared(gpu: Gpu, shared: int) -> Gpu:
    """The cache that is left if shared memory gets a number of bytes; its sets stay, and have fewer ways.

    Raises:
        ValueError: shared memory cannot have as many.
    """
    unified = gpu.unified
    if unified is None:
        raise ValueError(f"the L1 cache of {gpu.name} does not change with shared memory, as it does since v100")
    if shared not in unified.choices:
        choices = ", ".join(f"{choice // KB}k" for choice in unified.choices)
        raise ValueError(f"{gpu.name} cannot have {shared} bytes of shared memory, but {choices}")
    ways = (unified.size - shared) // (gpu.sets * gpu.line_bytes)
    return replace(gpu, ways=ways, unified=replace(unified, chosen=shared))


def with_blocks_of(gpu: Gpu, shared: int, block_threads: int, registers: int = 0) -> Gpu:
    """The cache that blocks leave which need a number of bytes of shared memory each, and as many blocks as fit.

    Shared memory gets the fewest bytes that do for all blocks that fit otherwise, as the driver is assumed to choose.
    Of Fermi the preset has chosen. ``registers`` are those of a thread; where they are not known (0), they are enough.

    Raises:
        ValueError: not even one block fits.
    """
    unified = gpu.unified
    each = shared + (unified.reserved if unified else 0)
    wanted = min(gpu.blocks, gpu.threads // block_threads)
    if unified is not None and registers:
        wanted = min(wanted, unified.architecture.resident_blocks(block_threads, 0, registers))
    if unified is None:
        return replace(gpu, blocks=_fitting(wanted, each, gpu.shared, block_threads))
    chosen = next((choice for choice in unified.choices if choice >= wanted * each), unified.choices[-1])
    return replace(with_shared(gpu, chosen), blocks=_fitting(wanted, each, chosen, block_threads))


def with_registers(gpu: Gpu, block_threads: int, registers: int) -> Gpu:
    """The cache for blocks whose threads have so many registers, which may leave room for fewer of them.

    Raises:
        ValueError: not even one block fits, or it is not known how many registers a multiprocessor has.
    """
    if gpu.unified is None:
        raise ValueError(f"the model does not know the registers of {gpu.name}, as it does since v100")
    fitting = gpu.unified.architecture.resident_blocks(block_threads, 0, registers)
    if fitting == 0:
        raise ValueError(f"a block of {block_threads} threads with {registers} registers each does not fit")
    return replace(gpu, blocks=min(gpu.blocks, fitting), registers=registers)


def _fitting(wanted: int, each: int, shared: int, block_threads: int) -> int:
    """How many of the blocks that are wanted find ``each`` bytes of shared memory; raises ValueError if none does."""
    blocks = min(wanted, shared // each) if each else wanted
    if blocks == 0:
        raise ValueError(f"a block of {block_threads} threads with {each} bytes of shared memory does not fit")
    return blocks
