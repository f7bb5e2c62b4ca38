"""Tell which arrays of a program are worth a copy in shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from os import PathLike
from typing import Any

from msgspec import Struct

from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.options import refuse_other
from accache.base.plain import plain
from accache.l1.gpus import GPUS, KEPLER
from accache.l1.tools import PLAIN, compiled_tools
from accache.library.inputs import expect, expect_name, path_of, words_of
from accache.library.launches import flags_of
from accache.workflows.bypass.running import Invocation
from accache.workflows.suggest.program import suggest as suggest_for
from accache.workflows.suggest.records import KernelSuggestions
from accache.workflows.suggest.report import as_record, as_text

SUGGESTED_GPUS = {gpu.name: gpu for gpu in (KEPLER, *GPUS) if gpu is KEPLER or gpu.unified is not None}
"""The GPUs to suggest for: those where shared memory takes its room from L1, and one whose loads pass L1 by."""


class Suggestions(Struct, frozen=True):
    """The arrays of each kernel that a program launches, those that save most first."""

    program: str
    gpu: str
    density: float
    kernels: tuple[KernelSuggestions, ...]
    diagnostics: tuple[Diagnostic, ...]

    def to_dict(self) -> dict[str, Any]:
        """What ``accache suggest --json`` prints; ``accache.schema("suggest")`` describes it."""
        record: dict[str, Any] = plain(as_record(self.program, self.gpu, self.density, self.kernels))
        return record

    def __str__(self) -> str:
        return as_text(self.program, self.gpu, self.kernels).rstrip("\n")

    def _repr_html_(self) -> str:
        """For notebooks."""
        return str(import_module("accache.library.html").of_suggestions(self))


def suggest(
    program: str | PathLike[str],
    *,
    kernel: str = "",
    arguments: Sequence[str] = (),
    compiling: Sequence[str] = (),
    gpu: str = "h100",
    density: float = 2.0,
) -> Suggestions:
    """Tell which arrays of a program's kernels are worth a copy in shared memory, and why the others are not.

    ``program`` is the path of a file, CUDA (.cu) or C with OpenACC (.c), whose cache directives are not obeyed. It runs
    on this CPU with ``arguments``; nvcc compiles it with ``compiling``, words with their values. Arrays of at least
    ``density`` threads an element may be copied.

    Raises:
        CompileError: the program cannot be read, translated, compiled or run, or it launches no such kernel.
        OptionError: an option has no such value.
    """
    refuse_other("gpu", gpu, tuple(SUGGESTED_GPUS))
    expect_name("kernel", kernel)
    is_density = isinstance(density, int | float) and not isinstance(density, bool) and density >= 0
    expect("density", density, is_density, "a number from 0 on")
    words = words_of("compiling", compiling)
    name = path_of(program)
    given = words_of("arguments", arguments)
    invocation = Invocation(name, flags_of(words), given, compiling=words, gpu=SUGGESTED_GPUS[gpu])
    tools, reporter = compiled_tools(), Reporter()
    if tools is None:
        reporter.report("ACC808")
    found, told = suggest_for(invocation, kernel, SUGGESTED_GPUS[gpu], density, tools=tools or PLAIN)
    return Suggestions(name, gpu, density, found, (*reporter.diagnostics, *told))
