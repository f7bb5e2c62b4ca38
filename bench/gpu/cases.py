"""What is built and run: programs in columns, with options of accache and arguments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cost.launches import without_cache
from cost.programs import ROOT, Program, all_programs

from accache.base.options import Options
from accache.driver import translate

METHODS = ("rbi", "rbc", "ehc", "private")
CUBLAS = Path(__file__).parent / "cublas_gemm.cu"
OPENACC_PROGRAMS = ROOT / "tests" / "openacc" / "programs"
CUDA_PROGRAMS = ROOT / "tests" / "cuda" / "programs"
BY_NAME = {program.name: program for program in all_programs()}


@dataclass(frozen=True)
class Case:
    """One program to build and run.

    ``column`` is ``none`` (without cache directives), ``default``, a method of accache, ``peer`` (written by hand),
    ``cublas``, or ``cuda`` (the program is CUDA itself). ``options`` are more options of accache, by name;
    ``arguments`` those of the program.
    """

    program: Program
    column: str
    options: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What the case is called in the results; no two have the same."""
        words = (self.program.name, self.column, *(f"{name}={value}" for name, value in self.options))
        return " ".join((*words, *self.arguments))


@dataclass(frozen=True)
class Sources:
    """What compilers get: host C and CUDA that were translated from ``path``, or CUDA alone without ``host``."""

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
    path = program.path
    if case.column == "none":
        path = folder / path.name
        path.write_text(without_cache(program.path.read_text()))
    chosen: dict[str, Any] = {"method": case.column if case.column in METHODS else "auto", **dict(case.options)}
    options = Options(arch=arch, preprocessor=flags, **chosen)
    translation = translate(str(path), options)
    return Sources(path, translation.device, translation.host, options)


def programs_of(folder: Path, suffix: str) -> tuple[Program, ...]:
    """The programs of a folder, each called without arguments."""
    return tuple(Program(f"{folder.parent.name}/{path.stem}", path) for path in sorted(folder.glob(f"*{suffix}")))
