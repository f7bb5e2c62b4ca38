"""A program's launches as memory traces: what ``accache model`` models of a program, with and without directives."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from accache.base.choices import MethodChoice
from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.caching.estimates.candidates import PLAIN
from accache.caching.estimates.cost import in_words
from accache.driver import Translation
from accache.l1.carving import Directive, Tiled
from accache.l1.gpus import Gpu
from accache.l1.trace import Trace
from accache.ptx.loads.embedding import compile_to_ptx
from accache.ptx.loads.loads import load_groups
from accache.ptx.replay.names import plain_name
from accache.ptx.replay.replay import in_module
from accache.ptx.text.parser import parse
from accache.report.records import KernelReport
from accache.report.text import Report
from accache.workflows.bypass.commands import read_compiled, read_input
from accache.workflows.bypass.deciding import kernel_named, loads_of, sites_of
from accache.workflows.bypass.matching import named_by_ptx
from accache.workflows.bypass.running import Invocation, first_launch
from accache.workflows.bypass.translating import translated
from accache.workflows.cuda import kernels_alone
from accache.workflows.kernel_caches import capability
from accache.workflows.resource_usage import Usage, resource_usage
from accache.workflows.tracing import trace_launch

_DEFAULTS = Options()
PURPOSE = "accache model of programs"
WITHOUT_LINES = "no-go: the launch took the kernel without lines"
"""What becomes of lines where a launch finds no room for one, or that L1 holds what its threads are at."""
FOR_ALL = "its tile holds what all iterations of a block use, whose threads have {}; here they would have one"
"""Why a tile of the emitted kernel is not compared."""


def trace_of_program(
    invocation: Invocation, kernel: str, multiprocessors: int = 1
) -> tuple[Trace, int, tuple[Diagnostic, ...]]:
    """What the first launch of a kernel, of any if it has no name, does to global memory; and what there is to say.

    The blocks are dealt out to so many multiprocessors one after the other, and are those of the ones that stand for
    all. The number is that of a thread's registers, 0 where ptxas does not tell it.

    The program is CUDA (.cu) or C with OpenACC (.c). It runs on this CPU, and the launch on the PTX machine.

    Raises:
        CompileError: the program cannot be read, translated, compiled, run or executed, launches no such kernel, or
            the launch loads nothing.
    """
    reporter = Reporter()
    name = invocation.name
    read_input(name, reporter)
    told: tuple[Diagnostic, ...] = ()
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        if name.endswith(".c"):
            invocation, translation = _as_cuda(invocation, Path(folder))
            told = translation.diagnostics
        launched = _traced(
            invocation, name, kernel, Path(folder), reporter=reporter, multiprocessors=multiprocessors, some=True
        )
    return launched.trace, launched.registers, (*told, *reporter.diagnostics)


def trace_of_ptx(name: str, kernel: str, trace: Trace) -> tuple[Trace, tuple[Diagnostic, ...]]:
    """The trace of a launch whose loads have the names, lines and policies that a PTX file gives them; what to say.

    The kernel is as in ``deciding.kernel_named``.

    Raises:
        CompileError: the file cannot be read, is no PTX, has no such kernel, or the trace is of another one.
    """
    reporter = Reporter()
    module = parse(read_input(name, reporter))
    function = kernel_named(module, kernel, reporter)
    loads = loads_of(trace)
    if loads:
        groups = load_groups(module, function)
        trace = replace(trace, sites=named_by_ptx(sites_of(trace), loads, groups, function.name, reporter=reporter))
    return trace, tuple(reporter.diagnostics)


def directives_of_program(
    invocation: Invocation, kernel: str, method: MethodChoice
) -> tuple[Trace, Tiled, tuple[Diagnostic, ...]]:
    """A launch of a C program without its cache directives, and the same with them, kept by a method; and what to say.

    Without a name it is the first launch of the first launched kernel that has a tile, or else any directive. Both
    traces are of the same threads, which have one iteration each, so that the same work is compared; what the kernel
    that is emitted keeps in registers instead has no tile here, either. The threads are those of blocks 0, 1 and so
    on, or, where they have lines, of the blocks that the first multiprocessor of the invocation's GPU gets. How many
    threads it has decides whether lines pay.

    Raises:
        CompileError: as for ``trace_of_program``, or there is no such kernel with cache directives (ACC816).
    """
    reporter = Reporter()
    name = invocation.name
    read_input(name, reporter)
    with (
        tempfile.TemporaryDirectory(prefix="accache-") as tiles,
        tempfile.TemporaryDirectory(prefix="accache-") as none,
    ):
        tiles_run, translation = _as_cuda(invocation, Path(tiles), Options(method=method, coarsen="off"))
        candidates = _candidates(translation.report, plain_name(kernel), name, reporter)
        asked = Options(method=method)
        _, emitted = _as_cuda(invocation, Path(none), asked)
        chosen, launched = _first_launched(candidates, tiles_run, Path(tiles), reporter)
        plain_run, _ = _as_cuda(invocation, Path(none), Options(method="none", coarsen="off"))
        plain = _traced(
            plain_run, name, chosen.name, Path(none), reporter=reporter, multiprocessors=_dealt_to(chosen, invocation)
        )
    threads = min(_threads(plain.trace), _threads(launched.trace))
    told = (*emitted.diagnostics, *reporter.diagnostics)
    usual = next((item for item in emitted.report.kernels if item.name == chosen.name), chosen)
    directives = _directives(chosen, usual, is_estimated=asked.chooses_method, has_lines=launched.has_lines)
    shared = launched.shared if any(each.by_lines for each in directives) else 0
    size = min(
        (item.line_bytes * (item.line_streams == item.line_arrays) for item in chosen.subarrays if item.line_bytes),
        default=0,
    )
    tiled = Tiled(chosen.name, _first(launched.trace, threads), directives, shared, size, _reused(chosen))
    return _first(plain.trace, threads), tiled, told


def _as_cuda(invocation: Invocation, folder: Path, options: Options = _DEFAULTS) -> tuple[Invocation, Translation]:
    """The same for the CUDA program that one in C is translated to, in a folder; and the translation."""
    path, words, translation = translated(
        invocation.name, folder, invocation.flags, invocation.compiling, options=options
    )
    *_, own = words
    flags = (*(flag for flag in invocation.flags if not flag.startswith("-std=")), own)
    made = replace(invocation, name=str(path), flags=flags, source=invocation.name, compiling=words)
    return made, translation


@dataclass(frozen=True, eq=False)
class _Launched:
    """The trace of a launch, the shared memory that it asked for, and whether its threads have lines if they may.

    ``registers`` of a thread are told where several multiprocessors are looked at, as those of a GPU.
    """

    trace: Trace
    shared: int
    has_lines: bool = True
    registers: int = 0


def _traced(
    invocation: Invocation,
    name: str,
    kernel: str,
    folder: Path,
    *,
    reporter: Reporter,
    multiprocessors: int = 1,
    some: bool = False,
) -> _Launched:
    """The trace of a launch of a CUDA program that messages call ``name``; ``some`` is as for ``trace_launch``."""
    compiled = folder / "program.ptx"
    words = (*kernels_alone(invocation.name), *invocation.compiling)
    compile_to_ptx([invocation.name, *words], compiled, PURPOSE)
    module = read_compiled(compiled, name)
    captured = in_module(first_launch(invocation, plain_name(kernel), reporter), module)
    trace = trace_launch(module, captured.launch, arrays=captured.arrays, multiprocessors=multiprocessors, some=some)
    if not loads_of(trace):
        raise reporter.fail("ACC974", kernel=plain_name(captured.launch.kernel))
    is_minded = some and invocation.gpu is not None and invocation.gpu.unified is not None
    registers = _registers(compiled, captured.launch.kernel, module.target[0], invocation.gpu) if is_minded else 0
    return _Launched(trace, captured.launch.shared_bytes, registers=registers)


def _registers(ptx: Path, kernel: str, target: str, gpu: Gpu | None) -> int:
    """The registers of a thread by ptxas, for the architecture of a GPU or, where that is older, the target of the PTX.

    0 where ptxas does not take the PTX.
    """
    own = gpu.unified.architecture.name if gpu is not None and gpu.unified is not None else target
    arch = max((own, target), key=capability)
    try:
        return resource_usage(ptx, ptx.parent, arch, PURPOSE).get(kernel, Usage()).registers
    except CompileError:
        return 0


def _candidates(report: Report, kernel: str, name: str, reporter: Reporter) -> list[KernelReport]:
    """The kernel of a name, or all with cache directives, those with tiles first."""
    known = [found for found in report.kernels if found.subarrays and kernel in ("", found.name)]
    if not known:
        raise reporter.fail("ACC816", name=name, kernel=f"kernel '{kernel}'" if kernel else "kernel")
    return sorted(known, key=lambda found: not found.shared_bytes)


def _first_launched(
    candidates: Sequence[KernelReport], invocation: Invocation, folder: Path, reporter: Reporter
) -> tuple[KernelReport, _Launched]:
    """The first kernel that the run launches, and that launch; a kernel with lines may be launched without them."""
    names = [(kernel, kernel.name, True) for kernel in candidates]
    names += [(kernel, f"{kernel.name}_uncached", False) for kernel in candidates if _has_lines(kernel)]
    unlaunched: CompileError | None = None
    for kernel, name, has_lines in names:
        local = Reporter()
        try:
            launched = _traced(
                invocation,
                invocation.source,
                name,
                folder,
                reporter=local,
                multiprocessors=_dealt_to(kernel, invocation),
            )
        except CompileError as error:
            if all(found.code != "ACC972" for found in error.diagnostics):
                raise
            unlaunched = error if has_lines else unlaunched
        else:
            reporter.diagnostics += local.diagnostics
            return kernel, replace(launched, has_lines=has_lines)
    assert unlaunched is not None
    raise unlaunched


def _reused(kernel: KernelReport) -> int:
    """The bytes of tiles that lie in the place of others."""
    is_reused = any(item.in_place_of for item in kernel.subarrays)
    return max(0, sum(item.shared_bytes for item in kernel.subarrays) - kernel.shared_bytes) if is_reused else 0


def _has_lines(kernel: KernelReport) -> bool:
    return any(item.line_bytes for item in kernel.subarrays)


def _dealt_to(kernel: KernelReport, invocation: Invocation) -> int:
    """How many multiprocessors share the traced launch's blocks: lines pay or not by the threads of one of them."""
    return invocation.gpu.multiprocessors if invocation.gpu is not None and _has_lines(kernel) else 1


def _directives(
    kernel: KernelReport, usual: KernelReport, *, is_estimated: bool, has_lines: bool
) -> tuple[Directive, ...]:
    """The parts of a kernel's cache directives, of which a launch obeyed those that ask for lines, or did not.

    Of what the ``usual`` kernel keeps in registers, because its threads have several iterations, that is told; and of
    tiles that hold what all of these use.
    """
    estimate = _estimate(kernel) if is_estimated else ""
    found = []
    for item, emitted in zip(kernel.subarrays, usual.subarrays, strict=True):
        is_for_all = bool(usual.iterations and emitted.tile) and emitted.extents != item.extents
        told = emitted if emitted.stays_in_registers or is_for_all else item
        reason = FOR_ALL.format(" x ".join(map(str, usual.iterations))) if is_for_all else told.reason
        found.append(
            Directive(
                item.line,
                item.written,
                item.written.partition("[")[0].strip(),
                told.method,
                reason=reason if has_lines or not item.line_bytes else WITHOUT_LINES,
                shared=0 if is_for_all else told.shared_bytes,
                by_lines=bool(item.line_bytes) and has_lines,
                estimate="" if item.line_bytes else estimate,
            )
        )
    return tuple(found)


def _estimate(kernel: KernelReport) -> str:
    """What a warp is estimated to take with the kernel's tiles and without; '' where no estimate chose them."""
    chosen = next((item for item in kernel.candidates if item.chosen and item.subarrays), None)
    plain = next((item for item in kernel.candidates if item.name == PLAIN), None)
    if chosen is None or plain is None:
        return ""
    with_tiles, without = (in_words(item.clocks, item.bound) for item in (chosen, plain))
    return f"a warp takes an estimated {with_tiles} with all of them, {without} without"


def _threads(trace: Trace) -> int:
    """How many threads of the launch a trace covers: whole blocks."""
    last = int(trace.thread.max(initial=0))
    return last - last % trace.block_threads + trace.block_threads


def _first(trace: Trace, threads: int) -> Trace:
    """The accesses of a launch's first threads."""
    kept = np.asarray(trace.thread < threads)
    columns = {name: getattr(trace, name)[kept] for name in ("thread", "direction", "address", "bytes")}
    assert trace.step is not None
    assert trace.site is not None
    return replace(trace, **columns, step=trace.step[kept], site=trace.site[kept])
