"""Stage 4: what this GPU's L1 is like, and what four ways to bypass it are worth."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median

from cost.programs import ROOT

from gpu.results import Results
from gpu.targets import TIMER_FLAGS, Failed, Target, call, compile_timer
from gpu.workshop import Workshop

MICRO = ROOT / "samples" / "micro"
SPMV = ROOT / "samples" / "bypass" / "spmv.cu"
ROWS = "4194304"
# the solutions that the paper on bypassing compares: two of nvcc's own, its Algorithm 1, and accache's
BY_NVCC: Mapping[str, tuple[str, ...]] = {"cache all": (), "bypass all": ("-Xptxas", "-dlcm=cg")}
BY_ACCACHE: Mapping[str, tuple[str, ...]] = {
    "Algorithm 1": ("--solver", "heuristic", "--weights", "paper"),
    "accache bypass": (),
}

Look = Callable[[Target], dict[str, object]]


def cases(dry: bool) -> Iterator[tuple[str, Look]]:
    """What is done, by name; a dry run has no L1 to measure, and only decides what bypasses it."""
    for path in () if dry else sorted(MICRO.glob("*.cu")):
        yield f"micro {path.stem}", partial(micro, path)
    for way, flags in () if dry else BY_NVCC.items():
        yield f"spmv, {way}", partial(timed_by_nvcc, flags)
    for way, flags in BY_ACCACHE.items():
        yield f"spmv, {way}", partial(timed_by_accache, flags)


def measure(workshop: Workshop, only: tuple[str, ...]) -> None:
    """Do all that is not done yet, or what concerns some programs."""
    results = Results(workshop.folder, "microbenchmarks")
    for name, look in cases(workshop.target.name == "cpu"):
        chosen = not only or any(word in name for word in only)
        if not chosen or results.has(name) or time.monotonic() > workshop.until:
            continue
        try:
            found = look(workshop.target)
        except Failed as error:
            found = {"failed": str(error)}
        results.add(name, **found)
        print(f"{name}: {found}"[:200], flush=True)


def micro(path: Path, target: Target) -> dict[str, object]:
    """What a microbenchmark prints: all of it, and its lines of a name and a value."""
    with tempfile.TemporaryDirectory(prefix="accache-gpu-") as folder:
        program = Path(folder) / path.stem
        call("nvcc", "-O3", f"-arch={target.arch}", str(path), "-o", str(program))
        done = target.run(program, ())
    pairs = [line.split() for line in done.output.splitlines()]
    values = {words[0]: words[1] for words in pairs if len(words) == 2}
    return {"status": done.status, "values": values, "output": done.output}


def timed_by_nvcc(flags: tuple[str, ...], target: Target) -> dict[str, object]:
    """The time of spmv as nvcc compiles it with some flags."""
    with tempfile.TemporaryDirectory(prefix="accache-gpu-") as folder:
        program = Path(folder) / "spmv"
        timer = compile_timer(Path(folder), target.arch)
        call("nvcc", "-O3", f"-arch={target.arch}", *flags, str(SPMV), str(timer), *TIMER_FLAGS, "-o", str(program))
        return _time(target, program)


def timed_by_accache(flags: tuple[str, ...], target: Target) -> dict[str, object]:
    """What accache bypass decides for spmv, and on a GPU its time."""
    command = [sys.executable, "-m", "accache", "bypass", str(SPMV), *flags]
    with tempfile.TemporaryDirectory(prefix="accache-gpu-") as folder:
        if target.name == "cpu":
            return {"decided": call(*command, "--", f"-arch={target.arch}")}
        program = Path(folder) / "spmv"
        timer = compile_timer(Path(folder), target.arch)
        nvcc = ("-O3", f"-arch={target.arch}", str(timer), *TIMER_FLAGS)
        return {"decided": call(*command, "-o", str(program), "--", *nvcc), **_time(target, program)}


def _time(target: Target, program: Path) -> dict[str, object]:
    launches = target.times(program, (ROWS,))
    return {"milliseconds": sum(median(launch.milliseconds) for launch in launches)}
