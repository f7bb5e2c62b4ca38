"""``accache suggest`` from end to end: run a program, and tell of each kernel what to copy into shared memory."""

from __future__ import annotations

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.l1.gpus import Gpu
from accache.l1.tools import Tools
from accache.workflows.bypass.running import Invocation, plain_name
from accache.workflows.suggest.kernels import suggestions
from accache.workflows.suggest.launches import launched
from accache.workflows.suggest.records import KernelSuggestions


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
    with launched(invocation, kernel, reporter) as launches:
        for launch in launches:
            name = plain_name(launch.captured.launch.kernel)
            try:
                made = suggestions(launch, gpu, threshold, tools)
            except CompileError as error:
                failed = failed or error
                reporter.report("ACC978", kernel=name, reason=error.diagnostics[0].message)
                continue
            if made is None:
                reporter.report("ACC978", kernel=name, reason="its launch loads nothing from global memory")
            else:
                found.append(made)
    if not found and failed is not None:
        raise failed
    return tuple(found), tuple(reporter.diagnostics)
