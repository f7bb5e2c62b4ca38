"""Run programs: translated C or CUDA C++, on this CPU or on a GPU, and their launches once more from PTX."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

from accache.compilers import rejected
from accache.cpu.build import Program as BuiltProgram
from accache.cpu.build import build
from accache.cpu.captures import prepare_capture
from accache.cpu.definitions import parameter_names
from accache.cpu.findings import Finding
from accache.cpu.programs import build_program
from accache.cpu.run import run as run_on_cpu
from accache.cpu.sources import CudaProgram, read_program, report_lacking
from accache.cpu.toolchain import ToolError
from accache.cuda import build_and_run, build_and_run_whole, compile_to_ptx
from accache.diagnostics import CompileError, Diagnostic, Reporter, Severity
from accache.driver import Translation
from accache.options import Options
from accache.ptx.capture_file import read_captured
from accache.ptx.compare import Difference
from accache.ptx.launch import Allocation, Launch
from accache.ptx.machine import run as execute
from accache.ptx.names import matching_kernel
from accache.ptx.parser import parse
from accache.ptx.replay import Execute, Replayed, replay, unordered_kernels
from accache.ptx.syntax import Module
from accache.resources import headers
from accache.text import Location, SourceFile, read_source_file

CUDA_SUFFIXES = (".cu", ".cuh")
_DIFFERENCES = 10  # a launch reports no more


@dataclass(frozen=True)
class Execution:
    """How a run ended: the program's exit status (a negative one is a signal) and what was found about it."""

    status: int
    findings: tuple[Diagnostic, ...]

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(found.severity is Severity.ERROR for found in self.findings)


def silently(module: Module, launch: Launch) -> tuple[Allocation, ...]:
    """The memory of a launch after it, on the PTX machine, without what it prints."""
    return execute(module, launch)[0]


@dataclass(frozen=True)
class Comparison:
    """What to compare with PTX: at most so many ``launches``, of one ``kernel`` or, if that is empty, of all.

    ``execute`` executes a launch of a PTX module and gives all memory after it; what the kernel prints, the run has
    printed already.
    """

    launches: int
    kernel: str = ""
    execute: Execute = silently


def run(
    translation: Translation,
    options: Options,
    arguments: Sequence[str],
    *,
    target: str,
    check: bool,
    seed: int | None,
    comparison: Comparison | None = None,
) -> Execution:
    """Compile a translated program and run it, on this CPU or on a GPU.

    With a ``comparison``, on this CPU: all its launches are executed again from the PTX that nvcc makes.
    Raises CompileError if a compiler is missing or the C compiler rejects the program.
    """
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        directory = Path(folder)
        own = str(Path(translation.path).resolve().parent)
        flags = ("-iquote", own, "-I", str(headers()), *_host_flags(options))
        if target == "cuda":
            host, device = translation.host, translation.device
            return Execution(build_and_run(host, device, directory, options, flags, arguments), ())
        try:
            program = build(
                translation.device,
                translation.host,
                directory,
                check=check,
                capture=comparison is not None,
                host_flags=flags,
            )
        except ToolError as error:
            raise rejected(error.output) from error
        if comparison is None:
            return _run(program, arguments, seed)

        def ptx() -> str:
            return compile_to_ptx(program.device_source, directory, options.arch, ())

        return _run_and_compare(program, translation.device, ptx, directory, arguments, seed, comparison)


def run_cuda(
    path: str,
    options: Options,
    arguments: Sequence[str],
    *,
    target: str,
    check: bool,
    seed: int | None,
    comparison: Comparison | None = None,
) -> Execution:
    """Compile a CUDA C++ program as it is, and run it: otherwise as :func:`run`.

    Raises CompileError also for what of CUDA a CPU cannot run (ACC950).
    """
    try:
        source = read_source_file(path)
    except OSError as error:
        raise Reporter().fail("ACC101", name=path, reason=error.strerror or error) from error
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        directory = Path(folder)
        flags = options.preprocessor
        if target == "cuda":
            return Execution(build_and_run_whole(Path(path), directory, options.arch, flags, arguments), ())
        whole = read_program(source, tuple(Path(flag[2:]) for flag in flags if flag.startswith("-I")))
        program = build_cuda(whole, directory, flags, check=check, capture=comparison is not None)
        if comparison is None:
            return _run(program, arguments, seed)

        def ptx() -> str:
            return compile_to_ptx(Path(path), directory, options.arch, flags)

        return _run_and_compare(program, "\n".join(whole.texts), ptx, directory, arguments, seed, comparison)


def run_program(path: Path, arguments: Sequence[str], *, check: bool, seed: int | None) -> Execution:
    """Run a program that ``accache cc`` has made for the CPU; for ``check``, with its own option --check."""
    return _run(BuiltProgram(path, path, None, check), arguments, seed)


def build_cuda(
    program: CudaProgram, directory: Path, flags: Sequence[str], *, check: bool, capture: bool
) -> BuiltProgram:
    """Compile a CUDA C++ program for this CPU.

    Raises CompileError if the compiler rejects the program, also for what of CUDA a CPU cannot run (ACC950).
    """
    try:
        return build_program(program, directory, flags, check=check, capture=capture)
    except ToolError as error:
        reporter = Reporter()
        report_lacking(program, reporter)
        reporter.stop_on_errors()
        raise rejected(error.output) from error


def _run(program: BuiltProgram, arguments: Sequence[str], seed: int | None) -> Execution:
    result = run_on_cpu(program, arguments, seed=seed, capture=False)
    return Execution(result.returncode, tuple(_as_diagnostic(finding) for finding in result.findings))


def _run_and_compare(
    program: BuiltProgram,
    device_text: str,
    make_ptx: Callable[[], str],
    directory: Path,
    arguments: Sequence[str],
    seed: int | None,
    comparison: Comparison,
) -> Execution:
    """Run a program that captures its launches, then execute these from PTX."""
    source = SourceFile("kernels.ptx", make_ptx())
    module = parse(source)
    kernels = tuple(kernel.name for kernel in module.kernels)
    unordered = unordered_kernels(module)
    captures, environment = prepare_capture(
        program,
        device_text,
        directory,
        comparison.launches,
        comparison.kernel,
        lambda symbol: matching_kernel(symbol, kernels) in unordered,
    )
    result = run_on_cpu(program, arguments, seed=seed, workers=1, environment=environment, capture=False)
    reporter = Reporter()
    count = 0
    if captures.exists():
        for replayed in replay(read_captured(captures, parameter_names(device_text)), module, comparison.execute):
            count += 1
            place = module.source_location(module.functions[replayed.captured.launch.kernel].instructions[0])
            _report(replayed, place, reporter)
    if count == 0:
        what = f"it launched no kernel '{comparison.kernel}'" if comparison.kernel else "it launched no kernel"
        reporter.report("ACC945", reason=what)
    elif count == comparison.launches:
        reporter.report("ACC944", count=count)
    return Execution(result.returncode, tuple(reporter.diagnostics))


def _report(replayed: Replayed, place: Location | None, reporter: Reporter) -> None:
    """Tell what one launch left different, and how far numbers were allowed to be."""
    latitude = replayed.latitude
    kernel = replayed.captured.launch.kernel
    if latitude.reason:
        single, double = (f"2^{log2(part):.0f}" for part in (latitude.single, latitude.double))
        reporter.report("ACC943", place, kernel=kernel, single=single, double=double, reason=latitude.reason)
    for found in replayed.unordered:
        reporter.report("ACC946", place, kernel=kernel, array=_array(found))
    for found in replayed.differences[:_DIFFERENCES]:
        reporter.report(
            "ACC941",
            place,
            number=found.number,
            kernel=kernel,
            array=_array(found),
            elements=found.elements,
            offset=found.offset,
            cpu=found.cpu,
            ptx=found.ptx,
        )


def _array(found: Difference) -> str:
    return f"'{found.array}'" if found.array else f"the memory at {found.address:#x}"


def _as_diagnostic(finding: Finding) -> Diagnostic:
    """A finding of --check in the form of all other messages."""
    return Diagnostic("ACC701", Severity.ERROR, str(finding).partition(": ")[2], finding.party.location)


def _host_flags(options: Options) -> tuple[str, ...]:
    standard = any(flag.startswith("-std") for flag in options.preprocessor)
    return options.preprocessor if standard else ("-std=gnu11", *options.preprocessor)


__all__ = ["CUDA_SUFFIXES", "Comparison", "CompileError", "Execution", "build_cuda", "run", "run_cuda", "run_program"]
