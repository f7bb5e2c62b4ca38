"""Kernels of CUDA programs as memory traces: the samples' plain ones, or those of a folder that the user gives."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cost.launches import ptx_of

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.cpu.captures import prepare_capture
from accache.cpu.definitions import parameter_names
from accache.cpu.run import run
from accache.l1.trace import Trace
from accache.ptx.machine.launch import Captured
from accache.ptx.replay.capture_file import read_captured
from accache.ptx.replay.replay import in_module
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module
from accache.workflows.building import Built, build_cuda
from accache.workflows.bypass.running import plain_name
from accache.workflows.tracing import trace_launch
from figures.figure import Settings

SAMPLES = Path(__file__).parents[2] / "samples"
OWN = (*sorted((SAMPLES / "cuda" / "naive").glob("*.cu")), SAMPLES / "bypass" / "spmv.cu")
ACCESSES = 1 << 24
"""How many accesses of a launch are traced at most, but for one block in any case."""


@dataclass(frozen=True, eq=False)
class Traced:
    """A kernel with the trace of its first launch, on one of so many multiprocessors; ``refused`` says why it has none.

    A folder of a program stands before its name.
    """

    name: str
    trace: Trace | None
    refused: str = ""


def traced(settings: Settings, multiprocessors: int = 1) -> Iterator[Traced]:
    """The kernels of all programs, in the order of their names; those of the user's folder after the samples'."""
    programs = OWN[:2] if settings.quick else OWN
    if settings.kernels is not None:
        programs = (*programs, *sorted(settings.kernels.rglob("*.cu")))
    for program in programs:
        yield from _of_program(program, multiprocessors)


@cache
def _of_program(program: Path, multiprocessors: int) -> tuple[Traced, ...]:
    """The kernels that a program launches when it is called without arguments."""
    name, include = "/".join(program.parts[-2:]), (f"-I{program.parent}",)
    found: list[Traced] = []
    with tempfile.TemporaryDirectory(prefix="accache-") as scratch:
        folder = Path(scratch)
        try:
            built = build_cuda(str(program), Options(preprocessor=include), folder, capture=True)
            module = parse(SourceFile("kernels.ptx", ptx_of(program, include, folder)))
        except CompileError as error:
            return (Traced(name, None, error.diagnostics[0].message),)
        for kernel in sorted(
            {plain_name(function.name) for function in module.functions.values() if function.is_entry}
        ):
            captured = _first_launch(built, kernel, folder)
            if captured is not None:
                found.append(_traced(f"{name} {kernel}", module, in_module(captured, module), multiprocessors))
    return tuple(found)


def _first_launch(built: Built, kernel: str, folder: Path) -> Captured | None:
    """The first launch of a kernel in a run of its own."""
    own = folder / f"run of {kernel}"
    own.mkdir()
    file, environment = prepare_capture(built.program, built.device_text, own, 1, kernel)
    run(built.program, (), workers=1, environment=environment)
    return next(read_captured(file, parameter_names(built.device_text)), None) if file.exists() else None


def _traced(name: str, module: Module, captured: Captured, multiprocessors: int) -> Traced:
    try:
        trace = trace_launch(module, captured.launch, limit=ACCESSES, multiprocessors=multiprocessors)
    except CompileError as error:
        return Traced(name, None, error.diagnostics[0].message)
    loads = int((trace.direction == 0).sum())
    return Traced(name, trace) if loads else Traced(name, None, "loads nothing")
