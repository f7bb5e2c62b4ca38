"""Stage 2: how long kernels take, beside the peaks of the GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from cost.launches import without_cache
from cost.programs import KERNELS, all_programs

from accache.base.options import SCOPES, WIDTHS, Options
from gpu.cases import BY_NAME, Case, Sources
from gpu.results import Results
from gpu.targets import Failed
from gpu.workshop import Workshop

PEAKS = Path(__file__).parent / "peaks.cu"
COLUMNS = ("none", "rbc", "rbi", "default", "peer")
"""Those of programs with cache directives; others have the last two."""

# program -> arguments on a GPU, those that tell most first
SIZES: Mapping[str, tuple[tuple[int, ...], ...]] = {
    "gemm": ((4096,), (1024,), (2048,), (512,), (8192,)),
    "nbody": ((65536, 1), (16384, 1), (4096, 1), (262144, 1)),
    "jacobi": ((8192, 8192, 1), (2048, 2048, 1), (512, 512, 1), (16384, 16384, 1)),
    "stencil": ((1 << 26, 1), (1 << 22, 1), (1 << 28, 1)),
    "stencil30": ((1 << 26, 1), (1 << 22, 1), (1 << 28, 1)),
    "transpose": ((8192, 8192), (1024, 1024), (16384, 16384)),
    "histogram": ((1 << 26,), (1 << 22,)),
    "dot": ((1 << 26,), (1 << 22,), (1 << 28,)),
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
    "dot": (5000,),
}
# write-back against write-through: how often threads write differs (the paper's Figure 8)
WRITTEN: Mapping[str, tuple[str, str]] = {"write_dense": ("4194304", "64"), "write_sparse": ("4194304", "64")}
SHARED_BY = ("gemm", "jacobi", "stencil30")
"""Programs that show what the width of sharing and the way to agree on a range cost (its Figures 6 and 7)."""


def cases(dry: bool) -> Iterator[Case]:
    """All that is timed, in an order in which what is cut off at the end is missed least."""
    for turn in range(max(map(len, SIZES.values()))):
        for name, sizes in SIZES.items():
            if turn < len(sizes) and not (dry and turn):
                arguments = tuple(map(str, DRY[name] if dry else sizes[turn]))
                yield from _columns(name, arguments)
                if name == "gemm" and not dry:  # there is no cuBLAS for a CPU
                    yield Case(BY_NAME[name], "cublas", (), arguments)
    for name in SHARED_BY:
        arguments = tuple(map(str, DRY[name] if dry else SIZES[name][0]))
        for option, values in (("width", WIDTHS), ("scope", SCOPES)):
            forced = (value for value in values if value != "auto")
            yield from (Case(BY_NAME[name], "rbi", ((option, value),), arguments) for value in forced)
    for name, large in WRITTEN.items():
        for way in ("back", "through"):
            arguments = BY_NAME[name].arguments if dry else large
            yield Case(BY_NAME[name], "rbi", (("write", way),), arguments)
    for program in all_programs():
        if program.path.parent == KERNELS and not dry:
            yield from (Case(program, column, (), program.arguments) for column in ("none", "default", "peer"))


def _columns(name: str, arguments: tuple[str, ...]) -> Iterator[Case]:
    text = BY_NAME[name].path.read_text()
    for column in COLUMNS if without_cache(text) != text else COLUMNS[-2:]:
        yield Case(BY_NAME[name], column, (), arguments)


def measure(workshop: Workshop, only: tuple[str, ...]) -> None:
    """Time the peaks of the GPU, then all cases or those of some programs."""
    results = Results(workshop.folder, "times")
    dry = workshop.target.name == "cpu"
    if not dry and not results.has("peaks"):
        results.add("peaks", **peaks(workshop))

    def look(case: Case, executable: Path) -> dict[str, object]:
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


def peaks(workshop: Workshop) -> dict[str, object]:
    """Bytes and fused multiply-adds a second, as the GPU reaches them; why there are none where it fails."""
    folder = workshop.folder / "peaks"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        program = workshop.target.build(Sources(PEAKS, PEAKS.read_text(), "", Options()), folder)
        done = workshop.target.run(program, ())
    except Failed as error:
        return {"failed": str(error)}
    return {name: float(value) for name, value in map(str.split, done.output.splitlines())}
