"""What ``accache bypass`` does with a trace, with PTX and with CUDA programs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from accache.bypass.report import as_record, as_text
from accache.bypassing.chain import Advice, Settings, advise
from accache.bypassing.matching import candidates_of_trace, match
from accache.diagnostics import Diagnostic, Reporter
from accache.l1.files import read_trace
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Site, Trace
from accache.output import write_files
from accache.ptx.embedding import compile_to_ptx, rebuild
from accache.ptx.loads import load_groups
from accache.ptx.parser import parse
from accache.ptx.rewriting import bypassing
from accache.ptx.syntax import Function, Module
from accache.text import SourceFile, read_source_file

PURPOSE = "accache bypass of CUDA programs"


@dataclass(frozen=True)
class Result:
    """What was decided for a kernel, or for a trace alone if the kernel is empty, and what there is to say about it."""

    name: str
    kernel: str
    advice: Advice
    settings: Settings
    diagnostics: tuple[Diagnostic, ...]

    def record(self) -> dict[str, object]:
        """The report for programs."""
        gpu = self.settings.gpu
        made_with = {
            "input": self.name,
            "kernel": self.kernel,
            "gpu": gpu.name,
            "size": gpu.size,
            "ways": gpu.ways,
            "line": gpu.line_bytes,
            "mode": self.settings.mode,
            "weights": self.settings.weights,
        }
        return as_record(self.advice.outcome, self.advice.left, made_with)

    def text(self) -> str:
        """The report for people."""
        what = f"kernel {self.kernel} of {self.name}" if self.kernel else self.name
        settings = self.settings
        how = f"L1 of {settings.gpu.name}, {settings.weights} weights, {self.advice.outcome.solution.solver} solver"
        return as_text(self.advice.outcome, self.advice.left, f"{what}: {how}")


@dataclass(frozen=True)
class Job:
    """What is asked for: the trace of a launch, the kernel, settings, and how to compute.

    The kernel is a name in PTX or in CUDA, or empty if there is only one.
    """

    trace: Path
    kernel: str
    settings: Settings
    tools: Tools = PLAIN


def decide_for_trace(job: Job) -> Result:
    """Decide on the sites of a trace.

    Raises:
        CompileError: the file cannot be read, is no trace, or the solver cannot be used.
    """
    trace = read_trace(job.trace, job.tools.parse)
    matched = candidates_of_trace(_sites(trace), _loads(trace))
    return Result(str(job.trace), "", advise(trace, matched, job.settings, job.tools), job.settings, ())


def bypass_ptx(job: Job, name: str, target: str | None) -> Result:
    """Decide on the loads of a kernel in a PTX file, and write the file with them to ``target`` if there is one.

    Raises:
        CompileError: a file cannot be read or is not what it should be, there is no such kernel, the trace is of
            another one, the solver cannot be used, or this PTX knows no such loads.
        OSError: the target cannot be written.
    """
    reporter = Reporter()
    try:
        module = parse(read_source_file(name))
    except OSError as error:
        raise reporter.fail("ACC101", name=name, reason=error.strerror or error) from error
    return _bypass_module(job, module, target, reporter)


def bypass_cuda(job: Job, name: str, target: str | None, arguments: Sequence[str]) -> Result:
    """The same for a CUDA program, which nvcc compiles with ``arguments``.

    The target is a program, or whatever the arguments make nvcc write, unless its name ends with .ptx. With several
    architectures the first one's PTX is decided on.

    Raises:
        CompileError: as for PTX, or nvcc is not there or rejects the program.
        OSError: the target cannot be written.
    """
    reporter = Reporter()
    results: list[Result] = []

    def edit(path: Path) -> None:
        module = _module(path, name)
        if not results:
            results.append(_decide(job, module, reporter))
        decided = results[0]
        _tell_of_missing(module, decided, reporter)
        path.write_text(_rewritten(module, decided), encoding="utf-8", errors="surrogateescape")

    if target is not None and not target.endswith(".ptx"):
        rebuild([name, *arguments], Path(target), edit, PURPOSE)
        decided = results[0]
        return Result(name, decided.kernel, decided.advice, job.settings, tuple(reporter.diagnostics))
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        compiled = Path(folder, "program.ptx")
        compile_to_ptx([name, *arguments], compiled, PURPOSE)
        return _bypass_module(job, _module(compiled, name), target, reporter)


def _module(path: Path, name: str) -> Module:
    """The PTX in a file of nvcc's, which messages call after the program."""
    return parse(SourceFile(f"{name} as PTX", path.read_text(encoding="utf-8", errors="surrogateescape")))


def _bypass_module(job: Job, module: Module, target: str | None, reporter: Reporter) -> Result:
    result = _decide(job, module, reporter)
    text = _rewritten(module, result)
    if target is not None:
        write_files(((target, text),))
    return result


def _decide(job: Job, module: Module, reporter: Reporter) -> Result:
    kernel = _kernel(module, job.kernel, reporter)
    trace = read_trace(job.trace, job.tools.parse)
    matched = match(_sites(trace), _loads(trace), load_groups(module, kernel), kernel.name, reporter)
    advice = advise(trace, matched, job.settings, job.tools)
    return Result(module.source.name, kernel.name, advice, job.settings, tuple(reporter.diagnostics))


def _rewritten(module: Module, result: Result) -> str:
    return bypassing(module, result.advice.bypassing, result.settings.mode)


def _tell_of_missing(module: Module, result: Result, reporter: Reporter) -> None:
    """Warn of loads that one architecture has and another has not: they are decided on by the former's."""
    there = {group.place for kernel in module.kernels for group in load_groups(module, kernel)}
    for place in sorted(result.advice.bypassing - there, key=str):
        reporter.report("ACC969", target=module.target[0], place=place)


def _kernel(module: Module, wanted: str, reporter: Reporter) -> Function:
    """The kernel of a name, as PTX or CUDA C++ has it; the only one if no name is given."""
    kernels = module.kernels
    mangled = f"{len(wanted)}{wanted}"
    found = [kernel for kernel in kernels if kernel.name == wanted] or [
        kernel for kernel in kernels if not wanted or (kernel.name.startswith("_Z") and mangled in kernel.name)
    ]
    if len(found) == 1:
        return found[0]
    names = ", ".join(kernel.name for kernel in kernels)
    which = f"{len(kernels)} kernels: {names}" if kernels else "no kernels"
    if wanted and kernels:
        which = f"no kernel '{wanted}'" if not found else f"{len(found)} kernels of the name '{wanted}'"
    hint = f"--kernel NAME, one of {names}" if kernels else "name a file with kernels"
    raise reporter.fail("ACC965", name=module.source.name, kernels=which, hint=hint)


def _sites(trace: Trace) -> tuple[Site, ...]:
    """The sites of a trace, nameless ones where it names none."""
    return trace.sites or (Site(),) * (1 if trace.site is None else int(trace.site.max()) + 1)


def _loads(trace: Trace) -> tuple[int, ...]:
    """The sites that load."""
    if trace.site is None:
        return (0,)
    return tuple(sorted(set(trace.site[trace.direction == 0].tolist())))
