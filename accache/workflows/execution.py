"""Run programs: translated C or CUDA C++, on this CPU or on a GPU, and their launches once more from PTX."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from math import log2
from pathlib import Path
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from accache.base.choices import TargetName
from accache.base.diagnostics import CompileError, Diagnostic, Reporter, Severity
from accache.base.options import Options
from accache.base.progress import working
from accache.base.text import Location
from accache.cpu.build import Program as BuiltProgram
from accache.cpu.findings import Finding
from accache.cpu.repeating import repeated
from accache.cpu.run import RunResult
from accache.cpu.run import run as run_on_cpu
from accache.driver import Translation
from accache.ptx.execute import run as execute
from accache.ptx.machine.launch import Allocation, Launch
from accache.ptx.replay.compare import Difference
from accache.ptx.replay.replay import Execute, Replayed, replay
from accache.ptx.text.syntax import Module
from accache.workflows.building import CUDA_SUFFIXES, Built, build_cuda, build_translation, host_flags
from accache.workflows.comparison import run_beside
from accache.workflows.cuda import build_and_run, build_and_run_whole
from accache.workflows.launches import Selection, capture

_DIFFERENCES = 10  # a launch reports no more


class Execution(Struct, frozen=True):
    """How a run ended: the program's exit status (a negative one is a signal) and what was found about it.

    ``result`` is there after a run on this CPU that was not compared with PTX. ``looked_at`` says in words what was
    looked for and where, "" if nothing was.
    """

    status: int
    findings: tuple[Diagnostic, ...]
    result: RunResult | None = None
    looked_at: str = ""

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(found.severity is Severity.ERROR for found in self.findings)

    def with_commands(self, command: Callable[[str], str]) -> Execution:
        """The same with what repeats each finding as its hint: a ``command`` of the options that show it again."""
        if self.result is None or not self.result.findings:
            return self
        options = iter(each.repeat for each in self.result.findings)
        told = tuple(
            replace(found, hint=f"again: {command(next(options))}") if found.code == "ACC701" else found
            for found in self.findings
        )
        return replace(self, findings=told)


def silently(module: Module, launch: Launch) -> tuple[Allocation, ...]:
    """The memory of a launch after it, on the PTX machine, without what it prints."""
    with working("executing a launch again from its PTX"):
        return execute(module, launch)[0]


class Comparison(Struct, frozen=True):
    """What to compare with PTX: at most so many ``launches``, of one ``kernel`` or, if that is empty, of all.

    ``execute`` executes a launch of a PTX module and gives all memory after it; what the kernel prints, the run has
    printed already.
    """

    launches: int
    kernel: str = ""
    execute: Execute = silently


class Repeating(Struct, frozen=True):
    """What to learn of findings: with ``is_asked``, which threads show them, for which the program runs once more.

    If ``threads`` names some (``LAUNCH:BLOCK[:THREAD],...``), only these run, and the program ends behind their launch.
    """

    is_asked: bool = False
    threads: str = ""


_NOTHING = Repeating()


class Apart(Struct, frozen=True):
    """A program that does not use our standard streams: it reads ``stdin``, and has so many seconds to end."""

    stdin: str = ""
    timeout: float | None = None


def run(
    translation: Translation,
    options: Options,
    arguments: Sequence[str],
    *,
    target: TargetName,
    check: bool,
    seed: int | None,
    comparison: Comparison | None = None,
    bound: float | None = None,
    apart: Apart | None = None,
    repeating: Repeating = _NOTHING,
) -> Execution:
    """Compile a translated program and run it, on this CPU or on a GPU.

    With a ``comparison``, on this CPU: its launches are executed again from the PTX that nvcc makes. With a ``bound``
    its values are compared with those of the sequential program; numbers may be so far apart, relative to the greater.
    Raises CompileError if a compiler is missing or the C compiler rejects the program, and subprocess.TimeoutExpired.
    """
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        directory = Path(folder)
        if target == "cpu":
            how = _How(check, seed, comparison, apart, repeating)
            return _with_note(_run_on_cpu(translation, options, arguments, directory, how=how, bound=bound), options)
        flags = host_flags(translation, options)
        host, device = translation.host, translation.device
        return Execution(build_and_run(host, device, directory, options, flags=flags, arguments=arguments), ())


def run_cuda(
    path: str,
    options: Options,
    arguments: Sequence[str],
    *,
    target: TargetName,
    check: bool,
    seed: int | None,
    comparison: Comparison | None = None,
    apart: Apart | None = None,
    repeating: Repeating = _NOTHING,
) -> Execution:
    """Compile a CUDA C++ program as it is, and run it: otherwise as :func:`run`.

    Raises CompileError also for what of CUDA a CPU cannot run (ACC950).
    """
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        directory = Path(folder)
        if target == "cuda":
            return Execution(build_and_run_whole(Path(path), directory, options, arguments), ())
        built = build_cuda(path, options, directory, check=check, capture=comparison is not None)
        how = _How(check, seed, comparison, apart, repeating)
        return _with_note(_run_built(built, arguments, directory, options.arch, how=how), options)


class _How(Struct, frozen=True):
    """How a program runs on this CPU."""

    check: bool
    seed: int | None
    comparison: Comparison | None = None
    apart: Apart | None = None
    repeating: Repeating = _NOTHING


def _run_on_cpu(
    translation: Translation,
    options: Options,
    arguments: Sequence[str],
    directory: Path,
    *,
    how: _How,
    bound: float | None,
) -> Execution:
    """Compile a translated program for this CPU and run it, alone or beside the sequential one."""
    if bound is not None and translation.sequentially is not None:
        return _run_beside(translation, options, arguments, directory, how=how, bound=bound)
    built = build_translation(translation, options, directory, check=how.check, capture=how.comparison is not None)
    return _run_built(built, arguments, directory, options.arch, how=how)


def _with_note(execution: Execution, options: Options) -> Execution:
    """A run on this CPU, and that a GPU computes otherwise, where that is so."""
    if not options.fast_math:
        return execution
    reporter = Reporter()
    reporter.report("ACC607")
    return replace(execution, findings=(*execution.findings, *reporter.diagnostics))


def run_program(
    path: Path, arguments: Sequence[str], *, check: bool, seed: int | None, repeating: Repeating = _NOTHING
) -> Execution:
    """Run a program that ``accache cc`` has made for the CPU; for ``check``, with its own option --check."""
    return _run(BuiltProgram(path, path, check), arguments, _How(check, seed, repeating=repeating))


def _run_built(built: Built, arguments: Sequence[str], directory: Path, arch: str, *, how: _How) -> Execution:
    if how.comparison is None:
        return _run(built.program, arguments, how)
    return _run_and_compare(built, arguments, directory, arch, seed=how.seed, comparison=how.comparison)


def _run(program: BuiltProgram, arguments: Sequence[str], how: _How) -> Execution:
    began = monotonic()
    threads = how.repeating.threads
    environment = {"ACCACHE_CPU_THREADS": threads} if threads else None
    if how.apart is None:
        result = run_on_cpu(program, arguments, seed=how.seed, environment=environment, capture=False)
    else:
        stdin, timeout = how.apart.stdin, how.apart.timeout
        result = run_on_cpu(program, arguments, seed=how.seed, environment=environment, stdin=stdin, timeout=timeout)
    if how.repeating.is_asked and how.seed is not None:
        with working("looking for the threads that show each finding"):
            found = repeated(
                program,
                arguments,
                result.findings,
                how.seed,
                seconds=monotonic() - began,
                stdin=how.apart.stdin if how.apart is not None else None,
                limit=how.apart.timeout if how.apart is not None else None,
            )
        result = dataclasses.replace(result, findings=found)
    told = tuple(_as_diagnostic(finding) for finding in result.findings)
    if threads:
        reporter = Reporter()
        reporter.report("ACC705", threads=threads)
        told = (*told, *reporter.diagnostics)
    return Execution(result.returncode, told, result, _checked(result) if program.check else "")


def _checked(result: RunResult) -> str:
    """What the checker looked at."""
    launches, kernels = sum(kernel.launches for kernel in result.counters), len(result.counters)
    if not launches:
        return "--check, and no kernel was launched"
    return f"--check, {launches} launch{'es' * (launches != 1)} of {kernels} kernel{'s' * (kernels != 1)}"


def _run_beside(
    translation: Translation,
    options: Options,
    arguments: Sequence[str],
    directory: Path,
    *,
    how: _How,
    bound: float,
) -> Execution:
    """Run a program beside the sequential one."""
    assert translation.sequentially is not None
    check, apart = how.check, how.apart
    sequential = translation.sequentially()
    built = build_translation(translation, options, directory, check=check, sequential=sequential.host)
    result, differences = run_beside(
        built.program,
        sequential,
        bound,
        arguments,
        seed=how.seed,
        capture=apart is not None,
        stdin=apart.stdin if apart is not None else None,
        timeout=apart.timeout if apart is not None else None,
    )
    found = tuple(_as_diagnostic(finding) for finding in result.findings)
    looked = "--compare, all values at data exits, updates and the end"
    return Execution(
        result.returncode, (*found, *differences), result, f"{_checked(result)}; {looked}" if check else looked
    )


def _run_and_compare(
    built: Built, arguments: Sequence[str], directory: Path, arch: str, *, seed: int | None, comparison: Comparison
) -> Execution:
    """Run a program that captures its launches, then execute these from PTX."""
    selection = Selection(comparison.launches, comparison.kernel)
    captured = capture(built, arguments, selection, directory, arch=arch, seed=seed)
    module = captured.module
    reporter = Reporter()
    count = 0
    for replayed in replay(captured.launches(), module, comparison.execute):
        count += 1
        place = module.source_location(module.functions[replayed.captured.launch.kernel].instructions[0])
        _report(replayed, place, reporter)
    if count == 0:
        what = f"no kernel '{comparison.kernel}'" if comparison.kernel else "no kernel"
        reporter.report("ACC945", reason=f"it launched {what}" if captured.status >= 0 else f"{what} came to its end")
    elif count == comparison.launches:
        reporter.report("ACC944", count=count)
    looked = f"--ptx, memory after {count} launch{'es' * (count != 1)} executed again from PTX" if count else ""
    return Execution(captured.status, tuple(reporter.diagnostics), looked_at=looked)


def _report(replayed: Replayed, place: Location | None, reporter: Reporter) -> None:
    """Tell what one launch left different, and how far numbers were allowed to be."""
    latitude = replayed.latitude
    kernel = replayed.captured.launch.kernel
    if replayed.failure:
        reporter.report("ACC947", place, number=replayed.captured.number, kernel=kernel, reason=replayed.failure)
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


__all__ = [
    "CUDA_SUFFIXES",
    "Apart",
    "Comparison",
    "CompileError",
    "Execution",
    "Repeating",
    "run",
    "run_cuda",
    "run_program",
    "silently",
]
