"""Build one variant of a program, run it, and take down its launches together with the PTX that nvcc makes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from msgspec.structs import replace

from accache.base.options import COARSENING, Options
from accache.base.text import SourceFile
from accache.cpu.captures import prepare_capture
from accache.cpu.definitions import parameter_names
from accache.cpu.run import run
from accache.driver import translate
from accache.ptx.machine.launch import Captured
from accache.ptx.replay.capture_file import read_captured
from accache.ptx.replay.replay import in_module
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module
from accache.workflows.building import Built, build_cuda, build_translation
from accache.workflows.cuda import fast_math
from accache.workflows.without_directives import without_cache_directives
from cost.programs import Program

ARCH = "sm_90"
LAUNCHES = 16
"""How many launches of a program are taken down; none of the programs has more."""
METHODS = ("rbi", "rbc", "ehc")
COLUMNS = ("none", "default", *METHODS, "peer")
COARSENED = tuple(item for item in COARSENING if item not in ("auto", "off"))
"""Columns that are measured on request: the program without cache directives, with so many iterations a thread."""
FAST = "fast"
"""A column that is measured on request: as ``accache translate --fast-math`` emits it, for nvcc -use_fast_math."""
UNRESTRICTED = "unrestricted"
"""A column that is measured on request: the default, of the program with pointers that nobody calls ``restrict``."""
PLAIN = "plain"
"""A column that is measured on request: the program without cache directives, translated with ``--tune off``: threads
have one iteration each, as they have with other compilers, and nothing is decided by estimates."""
ALL_COLUMNS = (*COLUMNS, *COARSENED, FAST, UNRESTRICTED, PLAIN)


class Failed(Exception):
    """A program did not run to its end."""


@dataclass(frozen=True)
class Variant:
    """CUDA text to measure, and how to build and call it: equal ones cost the same.

    ``path`` is a .cu file, or the C file, in the folder of the original or another, that it was translated from.
    """

    path: Path
    device: str
    host: str
    arguments: tuple[str, ...]
    options: Options


def options_of(program: Program) -> Options:
    """The options that a program is translated with by default."""
    return Options(preprocessor=(f"-I{program.path.parent}", *program.flags))


def variant(program: Program, column: str, folder: Path) -> Variant:
    """The program as one column of the table has it; ``folder`` is for what is written.

    Raises CompileError where accache refuses the program with that method.
    """
    usual = options_of(program)
    if column == "peer":
        assert program.peer is not None
        return Variant(program.peer, program.peer.read_text(), "", program.arguments, usual)
    path = program.path
    if column in ("none", PLAIN, *COARSENED):
        path = folder / path.name
        path.write_text(without_cache_directives(program.path.read_text()))
    method = column if column in METHODS else "auto"
    coarsen = column if column in COARSENED else "auto"
    options = replace(usual, method=method, coarsen=coarsen, fast_math=column == FAST)
    if column == PLAIN:
        options = replace(options, tune="off")
    if column == UNRESTRICTED:
        options = replace(options, preprocessor=(*options.preprocessor, "-Drestrict="))
    translation = translate(str(path), options)
    return Variant(path, translation.device, translation.host, program.arguments, options)


@dataclass(frozen=True)
class Run:
    """What a run left: the PTX of its kernels, what it printed, and where its launches are."""

    ptx: str
    printed: str
    file: Path
    device: str

    @cached_property
    def module(self) -> Module:
        """The tree of the PTX."""
        return parse(SourceFile("kernels.ptx", self.ptx))

    def launches(self) -> Iterator[Captured]:
        """The launches, in their order."""
        for captured in read_captured(self.file, parameter_names(self.device)) if self.file.exists() else ():
            yield in_module(captured, self.module)


def run_variant(chosen: Variant, folder: Path) -> Run:
    """Build a program for this CPU, and run it.

    Raises Failed if it does not end with 0, CompileError if a compiler rejects it.
    """
    built = _build(chosen, folder)
    file, environment = prepare_capture(built.program, built.device_text, folder, LAUNCHES)
    done = run(built.program, chosen.arguments, workers=1, environment=environment)
    if done.returncode:
        raise Failed(f"{chosen.path.name} ended with {done.returncode}: {done.stderr[-500:]}")
    return Run(ptx_of(built.device_file, nvcc_words(chosen.options), folder), done.stdout, file, built.device_text)


def _build(chosen: Variant, folder: Path) -> Built:
    if chosen.path.suffix == ".cu":
        return build_cuda(str(chosen.path), chosen.options, folder, capture=True)
    return build_translation(translate(str(chosen.path), chosen.options), chosen.options, folder, capture=True)


def nvcc_words(options: Options) -> tuple[str, ...]:
    """What nvcc is told of a translation's options."""
    return (*options.preprocessor, *fast_math(options))


def ptx_of(path: Path, flags: tuple[str, ...], folder: Path) -> str:
    """The PTX that a GPU would get: products and sums become fused ones, other than for ``accache run --ptx``."""
    target = folder / "cost.ptx"
    command = ["nvcc", "-ptx", f"-arch={ARCH}", "-w", *flags, str(path), "-o", str(target)]
    subprocess.run(command, check=True, capture_output=True)
    return target.read_text()


@lru_cache(maxsize=1)
def compiler() -> bytes:
    """What nvcc says of its version."""
    return subprocess.run(["nvcc", "--version"], check=True, capture_output=True).stdout
