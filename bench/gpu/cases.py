"""What is built and run: programs in columns, with options of accache and arguments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cost.programs import ROOT, Program, all_programs

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.driver import translate
from accache.l1.gpus import gpu_named
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import preload
from accache.workflows.without_directives import without_cache_directives

METHODS = ("rbi", "rbc", "ehc", "private")
CUBLAS = Path(__file__).parent / "cublas_gemm.cu"
OPENACC_PROGRAMS = ROOT / "tests" / "openacc" / "programs"
CUDA_PROGRAMS = ROOT / "tests" / "cuda" / "programs"
NAIVE = ROOT / "samples" / "cuda" / "naive"
DENSE = 2.0
"""The thread density from which on arrays are copied, as ``accache preload`` takes it by default."""
BY_NAME = {program.name: program for program in all_programs()}


@dataclass(frozen=True)
class Case:
    """One program to build and run.

    ``column`` is ``none`` (without cache directives), ``default``, a method of accache, ``peer`` (written by hand),
    ``cublas``, ``cuda`` (the program is CUDA itself), or ``preload`` (such a program rewritten). ``options`` are more
    options of accache, by name; ``arguments`` those of the program.
    """

    program: Program
    column: str
    options: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def build(self) -> str:
        """What the executable is called; cases that differ in arguments alone have the same."""
        return " ".join((self.program.name, self.column, *(f"{name}={value}" for name, value in self.options)))

    @property
    def key(self) -> str:
        """What the case is called in the results; no two have the same."""
        return " ".join((self.build, *self.arguments))


@dataclass(frozen=True)
class Sources:
    """What compilers get: host C and CUDA that were made from ``path``, or CUDA alone without ``host``."""

    path: Path
    device: str
    host: str
    options: Options


def sources(case: Case, arch: str, folder: Path) -> Sources:
    """Translate a case's program; ``folder`` is for what is written. Raises CompileError where accache refuses it."""
    program = case.program
    flags = (f"-I{program.path.parent}", *program.flags)
    if case.column in ("peer", "cublas", "cuda"):
        path = {"peer": program.peer, "cublas": CUBLAS, "cuda": program.path}[case.column]
        assert path is not None
        return Sources(path, path.read_text(), "", Options(arch=arch, preprocessor=flags))
    if case.column == "preload":
        invocation = Invocation(str(program.path), flags, program.arguments)
        found = preload(invocation, gpu_named("h100"), DENSE, None, reporter=Reporter())
        return Sources(program.path, found.text, "", Options(arch=arch, preprocessor=flags))
    path = program.path
    if case.column == "none":
        path = folder / path.name
        path.write_text(without_cache_directives(program.path.read_text()))
    chosen: dict[str, Any] = {"method": case.column if case.column in METHODS else "auto", **dict(case.options)}
    options = Options(arch=arch, preprocessor=flags, **chosen)
    translation = translate(str(path), options)
    return Sources(path, translation.device, translation.host, options)


def programs_of(name: str, folder: Path) -> tuple[Program, ...]:
    """The programs of a folder, each called without arguments; ``name`` stands before theirs."""
    return tuple(Program(f"{name}/{path.stem}", path) for path in sorted(folder.glob("*.c*")))


def naive_programs() -> tuple[Program, ...]:
    """The CUDA programs that ``accache preload`` rewrites."""
    return programs_of("naive", NAIVE)
