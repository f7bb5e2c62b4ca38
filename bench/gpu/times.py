"""Stage 2: how long kernels take, beside the peaks of the GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import median

from cost.programs import ROOT, Program

from accache.base.options import SCOPES, WIDTHS, Options
from accache.workflows.without_directives import without_cache_directives
from gpu.cases import BY_NAME, Case, Sources, naive_programs
from gpu.results import Record, Results
from gpu.targets import Failed
from gpu.workshop import Workshop

PEAKS = Path(__file__).parent / "peaks.cu"
FIRST = ("none", "default", "peer")
OTHERS = ("rbi", "rbc")
"""Columns that tell less, of programs with cache directives; others have no column ``none`` either."""

# program -> arguments on a GPU, those that tell most first
SIZES: Mapping[str, tuple[tuple[int, ...], ...]] = {
    "gemm": ((4096,), (1024,), (2048,), (512,), (8192,)),
    "nbody": ((65536, 1), (16384, 1), (4096, 1), (262144, 1)),
    "jacobi": ((8192, 8192, 1), (2048, 2048, 1), (512, 512, 1), (16384, 16384, 1)),
    "stencil": ((1 << 25, 1), (1 << 22, 1), (1 << 28, 1)),
    "stencil30": ((1 << 25, 1), (1 << 22, 1), (1 << 28, 1)),
    "transpose": ((8192, 8192), (1024, 1024), (16384, 16384)),
    "histogram": ((1 << 26,), (1 << 22,)),
    "strided": ((1 << 25,), (1 << 21,)),
    "lookup": ((1 << 25, 1000), (1 << 21, 1000)),
    "dot": ((1 << 26,), (1 << 22,), (1 << 28,)),
}
# kernel -> arguments whose arrays L2 does not hold, and ones where an L2 of 50 MB holds them
KERNEL_SIZES: Mapping[str, tuple[int, int]] = {
    "array_sums": (1 << 26, 1 << 22),
    "atomic_counts": (1 << 26, 1 << 23),
    "blend": (1 << 23, 1 << 19),
    "blur_columns": (8192, 2048),
    "box_bytes": (8194, 2050),
    "column_sums": (8192, 2048),
    "convolution1d": (1 << 26, 1 << 22),
    "convolution2d": (8196, 2052),
    "counts": (1 << 26, 1 << 23),
    "covariance": (4096, 1024),
    "distances": (8192, 2048),
    "factors": (1 << 20, 1 << 17),
    "forces": (32768, 8192),
    "heat_change": (8194, 2050),
    "lattice": (2050, 770),
    "life": (8194, 2050),
    "matmul_double": (2048, 1024),
    "matmul_float": (4096, 1024),
    "matmul_transposed": (2048, 1024),
    "normalise": (65536, 4096),
    "padded": (8192, 2048),
    "points3": (1 << 24, 1 << 20),
    "red_black": (8194, 2050),
    "row_sums": (8192, 2048),
    "shades": (8192, 2048),
    "small_products": (1 << 20, 1 << 17),
    "sobel_shorts": (8194, 2050),
    "softmax": (1 << 17, 1 << 14),
    "star3d": (520, 136),
    "stencil2d": (8194, 2050),
    "stencil2d_collapsed": (8194, 2050),
    "stencil3d": (402, 130),
    "transposed": (8192, 2048),
    "tridiagonal": (1 << 21, 1 << 16),
    "wave": (8194, 2050),
}
# programs that accache preload rewrites -> arguments on a GPU
NAIVE_SIZES: Mapping[str, tuple[int, ...]] = {
    "naive/convolution": (4096,),
    "naive/covariance": (2048, 512),
    "naive/frontier": (1 << 21,),
    "naive/gemm": (2048,),
    "naive/mvt": (8192,),
    "naive/stencil": (4096,),
}
RECORDS = Program("records", ROOT / "samples" / "records.c")
SCANS = (("1048576", "32"), ("65536", "256"))
"""Threads, and records of each, for RECORDS: what lines of each thread's own are worth."""
SCAN_DRY = ("64", "8")
NAIVE_DRY: Mapping[str, tuple[int, ...]] = {
    "naive/convolution": (64,),
    "naive/covariance": (64, 16),
    "naive/frontier": (512,),
    "naive/gemm": (48,),
    "naive/mvt": (64,),
    "naive/stencil": (64,),
}
# program -> arguments of a dry run
DRY: Mapping[str, tuple[int, ...]] = {
    "gemm": (48,),
    "nbody": (256, 1),
    "jacobi": (70, 70, 1),
    "stencil": (3000, 1),
    "stencil30": (3000, 1),
    "transpose": (100, 77),
    "histogram": (5000,),
    "strided": (5000,),
    "lookup": (5000, 100),
    "dot": (5000,),
}
WRITTEN = ("write_dense", "write_sparse")
WRITES = ((4194304, 4), (4194304, 16), (4194304, 64), (4194304, 128))
"""Threads, and how often each writes: write-back against write-through (the paper's Figure 8)."""
SHARED_BY = ("gemm", "jacobi", "stencil30")
"""Programs that show what the width of sharing and the way to agree on a range cost (its Figures 6 and 7)."""
LISTING_6 = Program("listing_6", ROOT / "bench" / "listing_6.cu", ("2048", "256"))
"""The paper's microbenchmark of banks: extent, and rounds in shared memory. Its launches are ``banks.settings()``."""


def cases(dry: bool) -> Iterator[Case]:
    """All that is timed, in an order in which what is cut off at the end is missed least."""
    yield from _samples(0, FIRST, dry)
    yield from _of_the_paper(dry)
    yield from _kernels(0, FIRST, dry)
    yield from _rewritten(dry)
    if not dry:
        yield from _kernels(1, FIRST, dry)
    yield from _samples(0, OTHERS, dry)
    if not dry:
        turns = range(1, max(map(len, SIZES.values())))
        for turn in turns:
            yield from _samples(turn, FIRST, dry)
        yield from _kernels(0, OTHERS, dry)
        yield from _kernels(1, OTHERS, dry)
        for turn in turns:
            yield from _samples(turn, OTHERS, dry)


def _of_the_paper(dry: bool) -> Iterator[Case]:
    """What only options tell apart, and Listing 6: the figures of the paper on the cache directive beside its times."""
    for name in SHARED_BY:
        arguments = tuple(map(str, DRY[name] if dry else SIZES[name][0]))
        widths, scopes = ([value for value in values if value != "auto"] for values in (WIDTHS, SCOPES))
        for width, scope in product(widths, scopes):
            yield Case(BY_NAME[name], "rbi", (("width", width), ("scope", scope)), arguments)
    for name in WRITTEN:
        for arguments in (BY_NAME[name].arguments,) if dry else (tuple(map(str, numbers)) for numbers in WRITES):
            for way in ("back", "through"):
                yield Case(BY_NAME[name], "rbi", (("write", way),), arguments)
    yield Case(LISTING_6, "cuda", (), ("32", "4") if dry else LISTING_6.arguments)


def _samples(turn: int, columns: Sequence[str], dry: bool) -> Iterator[Case]:
    for name, sizes in SIZES.items():
        if turn < len(sizes):
            arguments = tuple(map(str, DRY[name] if dry else sizes[turn]))
            yield from _columns(BY_NAME[name], arguments, columns)
            if name == "gemm" and columns == FIRST:
                yield Case(BY_NAME[name], "cublas", (), arguments)


def _kernels(turn: int, columns: Sequence[str], dry: bool) -> Iterator[Case]:
    for name, sizes in KERNEL_SIZES.items():
        arguments = BY_NAME[name].arguments if dry else (str(sizes[turn]),)
        yield from _columns(BY_NAME[name], arguments, columns)


def _columns(program: Program, arguments: tuple[str, ...], columns: Sequence[str]) -> Iterator[Case]:
    """Cases of a program; where there is no directive, only by default and by hand."""
    text = program.path.read_text()
    has_directive = without_cache_directives(text) != text
    for column in columns:
        if has_directive or column in ("default", "peer"):
            yield Case(program, column, (), arguments)


def _rewritten(dry: bool) -> Iterator[Case]:
    """What placement that nobody wrote is worth, and lines of each thread's own."""
    naive = {program.name: program for program in naive_programs()}
    for name, sizes in (NAIVE_DRY if dry else NAIVE_SIZES).items():
        for column in ("cuda", "preload"):
            yield Case(naive[name], column, (), tuple(map(str, sizes)))
    for arguments in (SCAN_DRY,) if dry else SCANS:
        for column in ("none", "private"):
            yield Case(RECORDS, column, (), arguments)


def measure(workshop: Workshop, only: tuple[str, ...]) -> None:
    """Time the peaks of the GPU, then all cases or those of some programs."""
    results = Results(workshop.folder, "times")
    dry = workshop.target.name == "cpu"
    if not dry and not results.has("peaks"):
        results.add("peaks", **peaks(workshop))

    def look(case: Case, executable: Path) -> Record:
        launches = workshop.target.times(executable, case.arguments)
        return {
            "arguments": list(case.arguments),
            "milliseconds": sum(median(launch.milliseconds) for launch in launches),
            "launches": [
                {"kernel": one.kernel, "grid": one.grid, "block": one.block, "milliseconds": one.milliseconds}
                for one in launches
            ],
        }

    chosen = [case for case in cases(dry) if not only or case.program.name in only]
    workshop.record(results, chosen, look, timed=True)


def peaks(workshop: Workshop) -> Record:
    """Bytes and fused multiply-adds a second, as the GPU reaches them; why there are none where it fails."""
    try:
        done = workshop.target.run(build_peaks(workshop), ())
    except Failed as error:
        return {"failed": str(error)}
    return {name: float(value) for name, value in map(str.split, done.output.splitlines())}


def build_peaks(workshop: Workshop) -> Path:
    """The executable that measures them; raises Failed."""
    wanted = Sources(PEAKS, PEAKS.read_text(), "", Options())
    return workshop.kept(workshop.folder / "programs" / "peaks", lambda folder: workshop.target.build(wanted, folder))
