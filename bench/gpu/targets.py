"""Where programs run: on the GPU of this machine, or dry on its CPU."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from types import MappingProxyType
from typing import Protocol

from msgspec.structs import replace

from accache.base.resources import headers, templates
from accache.cpu.build import build as build_for_cpu
from accache.cpu.toolchain import ToolError
from accache.workflows.building import build_cuda
from accache.workflows.cuda import TIMER_FLAGS
from gpu.cases import CUBLAS, Sources
from gpu.results import said

CUBLAS_PARTS = ("cublas_v2.h", "-lcublas")
"""What compilers and linkers name where cuBLAS is not installed."""
_HOST_FLAGS = ("-std=gnu11", "-O2", "-w")
_COMPILING = Lock()
LIMIT = 120  # seconds that a program may take


class Failed(Exception):
    """A program could not be built, or did not end well; the text says why."""


class Absent(Exception):
    """What a program is made with is not on this machine; the text says what."""


@dataclass(frozen=True)
class Finished:
    """How a program ended, and what it printed."""

    status: int
    output: str
    errors: str


@dataclass(frozen=True)
class Timed:
    """The times of one launch, in milliseconds; on a CPU those of a whole program."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    milliseconds: tuple[float, ...]


class Target(Protocol):
    """A way to build, run and time programs. ``arch`` is the architecture that is planned for."""

    name: str
    arch: str
    gpu: str

    def build(self, sources: Sources, folder: Path, *, timed: bool = False) -> Path:
        """An executable file in the folder; raises Failed, or Absent."""

    def run(self, program: Path, arguments: tuple[str, ...]) -> Finished:
        """Run what ``build`` made; raises Failed after LIMIT seconds."""

    def times(self, program: Path, arguments: tuple[str, ...]) -> tuple[Timed, ...]:
        """The times of the launches of a program that was built for it; raises Failed."""


class Gpu:
    """The GPU of this machine."""

    name = "cuda"

    def __init__(self, arch: str = "") -> None:
        """``arch`` is for machines that only build."""
        self.gpu = said("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
        capability = said("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader").partition("\n")[0]
        self.arch = arch or f"sm_{capability.replace('.', '')}"

    def build(self, sources: Sources, folder: Path, *, timed: bool = False) -> Path:
        """Compile with nvcc and, for a pair's host C, gcc.

        Programs to be timed are linked to the launch timer; in others products and sums are not contracted, so that
        results are those of a CPU.
        """
        program, device = folder / "program", folder / f"{sources.path.stem}.cu"
        device.write_text(sources.device)
        objects: list[str] = []
        if sources.host:
            (folder / "host.c").write_text(sources.host)
            include = ("-iquote", str(sources.path.parent), f"-I{headers()}", *sources.options.preprocessor)
            call("gcc", *_HOST_FLAGS, *include, "-c", str(folder / "host.c"), "-o", str(folder / "host.o"))
            objects.append(str(folder / "host.o"))
        if sources.path == CUBLAS:
            objects += [f"-I{templates() / 'timer'}", "-lcublas"]
        elif timed:
            objects += [str(compiled_timer(self.arch)), *TIMER_FLAGS]
        beside = () if sources.host else (f"-I{sources.path.parent}", *sources.options.preprocessor)
        flags = ["-O3", f"-arch={self.arch}", "-w", *beside]
        flags += () if timed else ("-fmad=false",)
        try:
            call("nvcc", *flags, str(device), *objects, "-lm", "-o", str(program))
        except Failed as error:
            if sources.path == CUBLAS and any(part in str(error) for part in CUBLAS_PARTS):
                raise Absent("there is no cuBLAS") from error
            raise
        return program

    def run(self, program: Path, arguments: tuple[str, ...]) -> Finished:
        """Run a program."""
        return run_program([str(program), *arguments])

    def times(self, program: Path, arguments: tuple[str, ...]) -> tuple[Timed, ...]:
        """Run a program with its launch timer."""
        with TemporaryDirectory(prefix="accache-gpu-") as folder:
            file = Path(folder) / "times"
            done = run_program([str(program), *arguments], {"ACCACHE_TIMES": str(file)})
            if not file.exists() or done.errors.startswith("launch timer: "):  # results of repeated launches are wrong
                raise Failed(f"ended with {done.status}: {done.errors[-300:]}")
            return tuple(_timed(line) for line in file.read_text().splitlines())


class Cpu:
    """This machine's CPU, for a dry run: programs are built as ``accache run`` builds them, and timed whole."""

    name = "cpu"
    arch = "sm_90"
    gpu = "none: dry run on a CPU"

    def build(self, sources: Sources, folder: Path, *, timed: bool = False) -> Path:
        """Compile with g++."""
        if sources.path == CUBLAS:
            raise Absent("there is no cuBLAS for a CPU")
        if not sources.host:
            path = folder / sources.path.name
            path.write_text(sources.device)
            flags = (f"-I{sources.path.parent}", *sources.options.preprocessor)
            return build_cuda(str(path), replace(sources.options, preprocessor=flags), folder).program.executable
        flags = (*_HOST_FLAGS, "-iquote", str(sources.path.parent), *sources.options.preprocessor)
        try:
            return build_for_cpu(sources.device, sources.host, folder, host_flags=flags).executable
        except ToolError as error:
            raise Failed(f"g++ failed: {error.output[-500:]}") from error

    def run(self, program: Path, arguments: tuple[str, ...]) -> Finished:
        """Run a program."""
        return run_program([str(program), *arguments])

    def times(self, program: Path, arguments: tuple[str, ...]) -> tuple[Timed, ...]:
        """How long a run takes, once."""
        start = time.monotonic()
        done = self.run(program, arguments)
        if done.status:
            raise Failed(f"ended with {done.status}: {done.errors[-300:]}")
        return (Timed("the whole program", (), (), (1000 * (time.monotonic() - start),)),)


def _timed(line: str) -> Timed:
    kernel, grid, block, *times = line.split()
    return Timed(kernel, _numbers(grid), _numbers(block), tuple(map(float, times)))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def run_program(command: list[str], environment: Mapping[str, str] = MappingProxyType({})) -> Finished:
    """Run a command with further variables in its environment; raises Failed after LIMIT seconds."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=LIMIT, env={**os.environ, **environment}
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"not done after {LIMIT} seconds") from error
    return Finished(done.returncode, done.stdout, done.stderr)


@cache
def _timer_folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="accache-gpu-timer-")


def compiled_timer(arch: str) -> Path:
    """The object file of the launch timer, compiled once; raises Failed."""
    timer = Path(_timer_folder().name) / f"{arch}.o"
    with _COMPILING:
        if not timer.exists():
            source = templates() / "timer" / "launch_timer.cu"
            call("nvcc", "-O3", f"-arch={arch}", "-c", str(source), "-o", str(timer))
    return timer


def call(*command: str) -> str:
    """What a tool prints; raises Failed with its errors."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise Failed(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode:
        raise Failed(f"{command[0]} failed: {done.stderr[-500:]}")
    return done.stdout
