"""``accache suggest`` from end to end: run a program, and tell of each kernel what to copy into shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options, default_compiler
from accache.base.text import Location
from accache.frontend.source.preprocess import read_source
from accache.l1.gpus import Gpu
from accache.l1.tools import Tools
from accache.ptx.replay.names import plain_name
from accache.workflows.bypass.running import Invocation
from accache.workflows.suggest.decided import Decided, planned
from accache.workflows.suggest.kernels import suggestions
from accache.workflows.suggest.launches import launched
from accache.workflows.suggest.records import KernelSuggestions
from accache.workflows.views import tell_of_kernels


def suggest(
    invocation: Invocation, kernel: str, gpu: Gpu, threshold: float, *, tools: Tools
) -> tuple[tuple[KernelSuggestions, ...], tuple[Diagnostic, ...]]:
    """What each kernel that a run launches, or the one of a name, should copy into shared memory; what there is to say.

    A kernel whose launch cannot be traced is left out with a warning, unless it is the only one or was asked for.

    Raises:
        CompileError: the program cannot be read, translated, compiled or run, it launches no such kernel, or no kernel
            can be told of.
    """
    reporter = Reporter()
    found: list[KernelSuggestions] = []
    failed: CompileError | None = None
    with launched(invocation, kernel, gpu, reporter) as launches:
        plan = _planned(invocation, gpu, threshold)
        for launch in launches:
            name = plain_name(launch.captured.launch.kernel)
            try:
                made = suggestions(launch, gpu, threshold, tools, decided=plan.get(name))
            except CompileError as error:
                failed = failed or CompileError(error.diagnostics[:1])
                reporter.report("ACC978", kernel=name, reason=error.diagnostics[0].message)
                continue
            if made is None:
                reporter.report("ACC978", kernel=name, reason="its launch loads nothing from global memory")
            else:
                found.append(made)
    if not found and failed is not None:
        raise failed
    _tell_of_source(invocation, found, reporter)
    return tuple(found), tuple(reporter.diagnostics)


def planning(gpu: Gpu, threshold: float, flags: tuple[str, ...]) -> Options:
    """What decides on directives that nobody wrote, for a GPU."""
    arch = gpu.unified.architecture.name if gpu.unified is not None else Options().arch
    return Options(auto_cache=True, density=threshold, arch=arch, cc=default_compiler(), preprocessor=flags)


def _planned(invocation: Invocation, gpu: Gpu, threshold: float) -> dict[str, Decided]:
    """What is decided of a C program's directives; nothing for a GPU whose loads pass L1 by: no estimate is for it."""
    if Path(invocation.name).suffix != ".c" or gpu.unified is None:
        return {}
    source = read_source(invocation.name, Reporter())
    return planned(source, planning(gpu, threshold, invocation.flags))


def _tell_of_source(invocation: Invocation, kernels: Sequence[KernelSuggestions], reporter: Reporter) -> None:
    """Say which kernels cannot be rewritten, which use volatile data, and which directives are worse than others.

    What ended a run before its time, such as a barrier to which not all threads come, is told already.
    """
    if Path(invocation.name).suffix == ".cu":
        if not any(found.code == "ACC973" for found in reporter.diagnostics):
            tell_of_kernels(invocation, {each.kernel: each.block for each in kernels}, reporter)
        return
    for each in kernels:
        volatile = [array for array in each.suggestions if array.rule == "volatile"]
        if volatile:
            line = next(iter(volatile[0].lines), 0)
            reporter.report("ACC990", Location(invocation.name, line) if line else None, kernel=each.kernel)
        for item in each.directives:
            if item.better:
                where = Location(invocation.name, item.line, item.column, len(item.text))
                clocks = {"now": item.clocks, "then": item.clocks_then}
                reporter.report("ACC995", where, name=item.text, by=item.better, **clocks)
