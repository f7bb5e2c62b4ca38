"""Stage 4: what this GPU's L1 is like, and what four ways to bypass it are worth."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from cost.programs import ROOT

from accache.workflows.cuda import TIMER_FLAGS
from gpu.results import Record, Results
from gpu.targets import Failed, Target, call, compiled_timer
from gpu.workshop import Workshop, short

MICRO = ROOT / "samples" / "micro"
SPMV = ROOT / "samples" / "bypass" / "spmv.cu"
ROWS = "4194304"
# the solutions that the paper on bypassing compares: two of nvcc's own, its Algorithm 1, and accache's
BY_NVCC: Mapping[str, tuple[str, ...]] = {"cache all": (), "bypass all": ("-Xptxas", "-dlcm=cg")}
BY_ACCACHE: Mapping[str, tuple[str, ...]] = {
    "Algorithm 1": ("--solver", "heuristic", "--weights", "paper"),
    "accache bypass": (),
}


@dataclass(frozen=True)
class Measurement:
    """What is done: ``build`` puts ``program`` into a folder, and maybe other files; ``look`` runs what is there."""

    name: str
    build: Callable[[Target, Path], object]
    look: Callable[[Target, Path], Record]


def measurements(dry: bool) -> Iterator[Measurement]:
    """All of them; a dry run has no L1 to measure: it builds what would run, and decides what bypasses L1."""
    for path in sorted(MICRO.glob("*.cu")):
        yield Measurement(f"micro {path.stem}", partial(build_micro, path), unmeasured if dry else micro)
    for way, flags in BY_NVCC.items():
        yield Measurement(f"spmv, {way}", partial(build_by_nvcc, flags), unmeasured if dry else timed)
    for way, flags in BY_ACCACHE.items():
        yield Measurement(f"spmv, {way}", partial(build_by_accache, flags), decided)


def measure(workshop: Workshop, only: tuple[str, ...]) -> None:
    """Do all that is not done yet, or what concerns some programs."""
    results = Results(workshop.folder, "microbenchmarks")
    for each in measurements(workshop.target.name == "cpu"):
        chosen = not only or any(word in each.name for word in only)
        if not chosen or results.has(each.name) or workshop.time_is_up:
            continue
        try:
            found = each.look(workshop.target, executable(workshop, each).parent)
        except Failed as error:
            found = {"failed": str(error)}
        results.add(each.name, **found)
        print(f"{each.name}: {short(found)}", flush=True)


def executable(workshop: Workshop, wanted: Measurement) -> Path:
    """The executable of a measurement, built if need be; raises Failed."""
    place = workshop.folder / "programs" / "micro" / wanted.name.replace(", ", ".").replace(" ", ".")
    return workshop.kept(place, partial(wanted.build, workshop.target))


def build_micro(path: Path, target: Target, folder: Path) -> None:
    """Compile a microbenchmark."""
    call("nvcc", "-O3", f"-arch={target.arch}", str(path), "-o", str(folder / "program"))


def micro(target: Target, folder: Path) -> Record:
    """What a microbenchmark prints: all of it, and its lines of a name and a value."""
    done = target.run(folder / "program", ())
    pairs = [line.split() for line in done.output.splitlines()]
    values = {words[0]: words[1] for words in pairs if len(words) == 2}
    return {"status": done.status, "values": values, "output": done.output}


def unmeasured(target: Target, folder: Path) -> Record:
    """What there is to say where nothing can be measured: that nvcc takes it."""
    return {"unmeasured": target.gpu}


def build_by_nvcc(flags: tuple[str, ...], target: Target, folder: Path) -> None:
    """Compile spmv with some flags of nvcc."""
    timer = compiled_timer(target.arch)
    words = (f"-arch={target.arch}", *flags, str(SPMV), str(timer), *TIMER_FLAGS)
    call("nvcc", "-O3", *words, "-o", str(folder / "program"))


def build_by_accache(flags: tuple[str, ...], target: Target, folder: Path) -> None:
    """Decide for spmv what bypasses L1, and compile it so; without a GPU there is no more to it."""
    command = [sys.executable, "-m", "accache", "bypass", str(SPMV), *flags]
    if target.name == "cpu":
        told = call(*command, "--", f"-arch={target.arch}")
        (folder / "program").touch()
    else:
        nvcc = ("-O3", f"-arch={target.arch}", str(compiled_timer(target.arch)), *TIMER_FLAGS)
        told = call(*command, "-o", str(folder / "program"), "--", *nvcc)
    (folder / "decided").write_text(told)


def decided(target: Target, folder: Path) -> Record:
    """What accache bypass decided, and on a GPU the time."""
    told = (folder / "decided").read_text()
    return {"decided": told, **(timed(target, folder) if target.name != "cpu" else {})}


def timed(target: Target, folder: Path) -> Record:
    """The time of spmv."""
    launches = target.times(folder / "program", (ROWS,))
    return {"milliseconds": sum(median(launch.milliseconds) for launch in launches)}
