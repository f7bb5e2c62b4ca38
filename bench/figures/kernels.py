"""Kernels of CUDA programs as memory traces: the samples' plain ones, or those of a folder that the user gives."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

from cost.launches import ptx_of

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.cpu.captures import prepare_capture
from accache.cpu.definitions import parameter_names
from accache.cpu.run import run
from accache.l1.gpus import gpu_named
from accache.l1.trace import Trace
from accache.ptx.machine.launch import Captured
from accache.ptx.replay.capture_file import read_captured
from accache.ptx.replay.replay import in_module
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module
from accache.workflows.building import Built, build_cuda
from accache.workflows.bypass.running import Invocation, plain_name
from accache.workflows.tracing import trace_launch
from figures.figure import Settings
from figures.programs import Program, found, listed, one_file, unlisted, words

SAMPLES = Path(__file__).parents[2] / "samples"
OWN = (*sorted((SAMPLES / "cuda" / "naive").glob("*.cu")), SAMPLES / "bypass" / "spmv.cu")
ACCESSES = 1 << 24
"""How many accesses of a launch are traced at most, but for one block in any case."""


@dataclass(frozen=True, eq=False)
class Traced:
    """A kernel with the trace of its first launch, on one multiprocessor or those that stand for all of a GPU.

    ``refused`` says why it has none.

    ``name`` is the kernel's behind that of its ``program``. The launch is the one with this ``number`` in the run.
    """

    program: str
    name: str
    trace: Trace | None
    refused: str = ""
    number: int = 0


def traced(settings: Settings, multiprocessors: int = 1) -> Iterator[Traced]:
    """The kernels of all programs, in the order of their names; those of the user's folder after the samples'."""
    for source in OWN[:2] if settings.quick else OWN:
        yield from _of_program(unlisted(source), multiprocessors)
    yield from of_user(settings, multiprocessors)


def of_user(settings: Settings, multiprocessors: int = 1) -> Iterator[Traced]:
    """The kernels of the user's programs alone."""
    for folder, programs in zip_longest(settings.kernels, settings.programs):
        for program in found(folder) if programs is None else listed(programs, folder):
            yield from _of_program(program, multiprocessors)


@cache
def _of_program(program: Program, multiprocessors: int) -> tuple[Traced, ...]:
    """The kernels that a program launches."""
    kernels: list[Traced] = []
    with tempfile.TemporaryDirectory(prefix="accache-") as scratch:
        folder = Path(scratch)
        file, flags = one_file(program, folder)
        try:
            built = build_cuda(str(file), Options(preprocessor=flags), folder, capture=True)
            module = parse(SourceFile("kernels.ptx", ptx_of(file, flags, folder)))
        except CompileError as error:
            return (Traced(program.name, program.name, None, error.diagnostics[0].message),)
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode("utf-8", "replace").strip().splitlines()
            return (Traced(program.name, program.name, None, f"nvcc rejects it: {said[0] if said else ''}"),)
        arguments = words(program.arguments, folder)
        for kernel in sorted(
            {plain_name(function.name) for function in module.functions.values() if function.is_entry}
        ):
            captured = _first_launch(built, kernel, arguments, folder, device=_device(multiprocessors))
            if captured is not None:
                captured = in_module(captured, module)
                kernels.append(
                    _traced(program.name, f"{program.name} {kernel}", module, captured, multiprocessors=multiprocessors)
                )
    return tuple(kernels)


def _device(multiprocessors: int) -> Mapping[str, str]:
    """The environment of a run that finds a GPU since Volta; programs may ask how many multiprocessors there are."""
    return Invocation("", gpu=gpu_named("v100")).device if multiprocessors > 1 else {}


def _first_launch(
    built: Built, kernel: str, arguments: tuple[str, ...], folder: Path, *, device: Mapping[str, str]
) -> Captured | None:
    """The first launch of a kernel in a run of its own."""
    own = folder / f"run of {kernel}"
    own.mkdir()
    file, environment = prepare_capture(built.program, built.device_text, own, 1, kernel=kernel)
    run(built.program, arguments, workers=1, environment={**environment, **device})
    return next(read_captured(file, parameter_names(built.device_text)), None) if file.exists() else None


def _traced(program: str, name: str, module: Module, captured: Captured, *, multiprocessors: int) -> Traced:
    try:
        some = multiprocessors > 1
        trace = trace_launch(module, captured.launch, limit=ACCESSES, multiprocessors=multiprocessors, some=some)
    except CompileError as error:
        return Traced(program, name, None, error.diagnostics[0].message, captured.number)
    loads = int((trace.direction == 0).sum())
    return Traced(program, name, trace if loads else None, "" if loads else "loads nothing", captured.number)
