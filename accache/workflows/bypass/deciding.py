"""Decisions for a kernel in PTX, or for a trace alone, and what there is to tell about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from accache.base.choices import BypassMode
from accache.base.diagnostics import CompileError, Reporter
from accache.bypass.report import as_record, as_text
from accache.bypass.solvers import DEFAULT_SECONDS
from accache.l1.files import read_trace
from accache.l1.gpus import GPUS, Gpu
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Site, Trace, dealt
from accache.ptx.loads.loads import load_groups
from accache.ptx.text.syntax import Function, Module
from accache.workflows.bypass.chain import Advice, Settings, Weights, advise
from accache.workflows.bypass.matching import candidates_of_trace, match
from accache.workflows.kernel_caches import cache_of, left_by_blocks


@dataclass(frozen=True)
class Choice:
    """What the user chose: the cache (None: that of the kernel's architecture), and as in ``chain.Settings``.

    ``shared`` are the bytes of shared memory of a block, None for what the PTX declares.
    """

    gpu: Gpu | None = None
    shared: int | None = None
    mode: BypassMode = "no_allocate"
    weights: Weights = "bytes"
    solver: str | None = None
    seconds: float = DEFAULT_SECONDS

    def settings(self, gpu: Gpu) -> Settings:
        """The settings for a cache."""
        return Settings(gpu, self.mode, self.weights, self.solver, self.seconds)


@dataclass(frozen=True)
class Result:
    """What was decided for a kernel, or for a trace alone if the kernel is empty, and by what.

    ``source`` is the cache that was modelled, or the folder that measurements are from.
    """

    name: str
    kernel: str
    advice: Advice
    mode: BypassMode
    weights: str
    source: Gpu | str

    def record(self) -> dict[str, object]:
        """The report for programs."""
        gpu = self.source
        cache: dict[str, object] = (
            {"measured": gpu}
            if isinstance(gpu, str)
            else {"gpu": gpu.name, "size": gpu.size, "ways": gpu.ways, "line": gpu.line_bytes}
        )
        made_with = {"input": self.name, "kernel": self.kernel, **cache, "mode": self.mode, "weights": self.weights}
        return as_record(self.advice.outcome, self.advice.left, made_with)

    def text(self) -> str:
        """The report for people."""
        what = f"kernel {self.kernel} of {self.name}" if self.kernel else self.name
        gpu = self.source
        cache = f"measured in {gpu}" if isinstance(gpu, str) else f"L1 of {gpu.name} with {gpu.size // 1024} KB"
        how = f"{cache}, {self.weights} weights, {self.advice.outcome.solution.solver} solver"
        return as_text(self.advice.outcome, self.advice.left, f"{what}: {how}")


# What decides on the loads of one of a module's kernels; it raises CompileError where that cannot be done.
Decide = Callable[[Module, Reporter], Result]


def decide_for_trace(path: Path, choice: Choice, tools: Tools = PLAIN) -> Result:
    """Decide on the sites of a trace.

    Raises:
        CompileError: the file cannot be read, is no trace, or the solver cannot be used.
    """
    trace = _trace_in(path, choice, tools)
    gpu = left_by_blocks(choice.gpu or GPUS[0], choice.shared or 0, trace.block_threads)
    advice = advise(trace, candidates_of_trace(sites_of(trace), loads_of(trace)), choice.settings(gpu), tools)
    return Result(str(path), "", advice, choice.mode, choice.weights, gpu)


def _trace_in(path: Path, choice: Choice, tools: Tools) -> Trace:
    """The trace in a file; of a whole launch, the blocks that one multiprocessor gets."""
    trace = read_trace(path, tools.parse)
    return dealt(trace, (choice.gpu or GPUS[0]).multiprocessors) if trace.is_whole else trace


def by_trace(path: Path, kernel: str, choice: Choice, tools: Tools = PLAIN) -> Decide:
    """What decides on a kernel by the trace of one of its launches; the kernel is as in ``kernel_named``."""

    def decide(module: Module, reporter: Reporter) -> Result:
        function = kernel_named(module, kernel, reporter)
        return decide_on_launch(
            module, function.name, _trace_in(path, choice, tools), choice, tools=tools, reporter=reporter
        )

    return decide


def decide_on_launch(
    module: Module, kernel: str, trace: Trace, choice: Choice, *, tools: Tools, reporter: Reporter
) -> Result:
    """Decide on a kernel, by its name in PTX, from the trace of a launch.

    Raises:
        CompileError: the trace is of another kernel or has no loads, the solver cannot be used, or no launch fits on
            the GPU.
    """
    function = module.functions[kernel]
    groups = load_groups(module, function)
    if not loads_of(trace):
        raise reporter.fail("ACC974", kernel=kernel)
    matched = match(sites_of(trace), loads_of(trace), groups, kernel, reporter=reporter)
    gpu = cache_of(module, function, choice.gpu, choice.shared, block_threads=trace.block_threads)
    advice = advise(trace, matched, choice.settings(gpu), tools)
    return Result(module.source.name, kernel, advice, choice.mode, choice.weights, gpu)


def kernel_named(module: Module, wanted: str, reporter: Reporter) -> Function:
    """The kernel of a name, as PTX or CUDA C++ has it; the only one if no name is given.

    Raises:
        CompileError: there is none, or more than one.
    """
    found = kernels_named(module, wanted, reporter)
    if len(found) > 1:
        which = f"{len(found)} kernels" + (f" of the name '{wanted}'" if wanted else "")
        raise _no_kernel(module, which, found, reporter)
    return found[0]


def kernels_named(module: Module, wanted: str, reporter: Reporter) -> tuple[Function, ...]:
    """The kernels of a name, of which templates and overloading may make several; all if no name is given.

    Raises:
        CompileError: there is none.
    """
    mangled = f"{len(wanted)}{wanted}"
    found = tuple(kernel for kernel in module.kernels if kernel.name == wanted) or tuple(
        kernel for kernel in module.kernels if not wanted or (kernel.name.startswith("_Z") and mangled in kernel.name)
    )
    if not found:
        which = f"no kernel '{wanted}'" if module.kernels else "no kernels"
        raise _no_kernel(module, which, module.kernels, reporter)
    return found


def _no_kernel(module: Module, which: str, known: Sequence[Function], reporter: Reporter) -> CompileError:
    names = ", ".join(kernel.name for kernel in known)
    hint = f"--kernel NAME, one of {names}" if known else "name a file with kernels"
    return reporter.fail("ACC965", name=module.source.name, kernels=which, hint=hint)


def sites_of(trace: Trace) -> tuple[Site, ...]:
    """The sites of a trace, nameless ones where it names none."""
    return trace.sites or (Site(),) * (1 if trace.site is None else int(trace.site.max()) + 1)


def loads_of(trace: Trace) -> tuple[int, ...]:
    """The sites that load."""
    if trace.site is None:
        return (0,)
    return tuple(sorted(set(trace.site[trace.direction == 0].tolist())))
