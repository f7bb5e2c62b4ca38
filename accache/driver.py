"""The pass list of each command: preprocess -> parse -> map -> plan -> lower -> launch, and what prints the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.dump import dumped
from accache.base.options import Options
from accache.base.properties import cached_property
from accache.base.text import SourceFile, Span
from accache.base.tuning import read_tuning
from accache.caching.cached import CachedKernel
from accache.caching.caching import check_choices
from accache.caching.decisions import Decision
from accache.caching.sizing.footprints import warn_of_unmapped
from accache.constructs import ConstructPasses, lowered_routines, planned_construct, preparing
from accache.cplusplus.host import cplusplus_edits
from accache.cplusplus.names import renamed
from accache.cplusplus.standard_headers import header_of
from accache.emit.dump_texts import text_of
from accache.emit.host.sequential import Sequential
from accache.emit.kernels.routines import print_routine
from accache.emit.program import ProgramPrinter, print_region
from accache.frontend.source.groups import pinned_groups
from accache.frontend.source.inclusion import relocated
from accache.frontend.source.preprocess import read_source
from accache.ir.openacc.regions import Program
from accache.launching.plan import plan_region, plan_routine
from accache.launching.versions import LoweredRegion
from accache.lowering.cache_operators import CacheOperators, Operated, with_operators
from accache.lowering.routines import LoweredRoutine
from accache.mapping.called_routines import warn_of_routines_handing_over
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import map_region
from accache.printing import program_printer
from accache.reading import Read, check_with_c, hold_to_c, read_program, with_deep_stack
from accache.report.build import make_report
from accache.report.text import Report

Result = TypeVar("Result")
PASSES = ("preprocess", "parse", "map", "plan", "lower", "launch")


class Translation(Struct, frozen=True, dict=True):
    """A translated program.

    ``host`` (C) and ``device`` (CUDA) belong together. ``joining`` makes the same program as one .cu, with what it
    added, or tells why its host C cannot be C++; ``explained`` makes the report, ``sequentially`` the program to
    compare with, ``checking`` the ``device`` text that a checker runs.
    ``decisions`` are about the subarrays of its directives. It ``maps_parts`` if some array may be on the device
    without its first elements.
    """

    host: str
    device: str
    joining: Callable[[], tuple[str | None, tuple[Diagnostic, ...]]]
    explained: Callable[[], Report]
    diagnostics: tuple[Diagnostic, ...]
    path: str = "-"
    decisions: tuple[Decision, ...] = ()
    sequentially: Callable[[], Sequential] | None = None
    checking: Callable[[], str] | None = None
    maps_parts: bool = False

    @property
    def joined(self) -> str | None:
        """The program as one .cu; None where that cannot be."""
        return self._joined[0]

    @property
    def refusals(self) -> tuple[Diagnostic, ...]:
        """Why the program cannot be one .cu."""
        return () if self.joined is not None else self._joined[1]

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """What the one .cu has that the program lacks."""
        return self._joined[1] if self.joined is not None else ()

    @cached_property
    def _joined(self) -> tuple[str | None, tuple[Diagnostic, ...]]:
        return self.joining()

    @property
    def checked(self) -> str:
        """``device`` for a checker, which learns where arrays begin whose sections constructs map."""
        return self.checking() if self.checking is not None and self.maps_parts else self.device

    @cached_property
    def report(self) -> Report:
        """What became of each directive; counting accesses takes a while."""
        return self.explained()


class Mapped(Read, frozen=True):
    """What the passes made that know nothing of caches."""

    mapped: tuple[tuple[MappedKernel, ...], ...]


class Lowered(Struct, frozen=True):
    """What became of the constructs and routines of a program."""

    planned: tuple[tuple[CachedKernel, ...], ...]
    lowered: tuple[LoweredRegion, ...]
    routines: tuple[LoweredRoutine, ...]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What was decided of each subarray."""
        return tuple(decision for kernels in self.planned for kernel in kernels for decision in kernel.decisions)


class _Stages(Mapped, frozen=True):
    """What each pass made."""

    end: Lowered


def translate(source: str | SourceFile, options: Options) -> Translation:
    """Translate one C file, named (``-`` is standard input) or at hand; raises CompileError if that cannot be."""
    path = source if isinstance(source, str) else source.name
    return with_deep_stack(lambda: _translate(source, path, options), path)


def translate_pairs(path: str, choices: Sequence[Options]) -> list[tuple[str, str] | CompileError]:
    """Host and device text of one C file under each of several options, or why there is none; it is read only once.

    The options agree in ``cc`` and ``preprocessor``. Raises CompileError if the file cannot be translated at all.
    """
    return with_deep_stack(lambda: _translate_pairs(path, choices), path)


def translate_with_operators(path: str, options: Options, wanted: CacheOperators) -> tuple[str | None, Operated]:
    """One .cu with some loads done in another way, and what became of them; None as in ``Translation.joined``."""
    return with_deep_stack(lambda: _translate_with_operators(path, options, wanted), path)


def _translate_with_operators(path: str, options: Options, wanted: CacheOperators) -> tuple[str | None, Operated]:
    stages = _run_passes(path, options, Reporter())
    found = Operated()
    regions = []
    for region in stages.end.lowered:
        kernels = list(region.kernels)
        for number, kernel in enumerate(kernels):
            if kernel.planned.cached.kernel.name == wanted.kernel:
                planned, found = with_operators(kernel.planned, wanted)
                kernels[number] = replace(kernel, planned=planned)
        regions.append(replace(region, kernels=tuple(kernels)))
    stages = replace(stages, end=replace(stages.end, lowered=tuple(regions)))
    return _join(_printer(stages, options), stages, options)[0], found


def _translate(origin: str | SourceFile, path: str, options: Options) -> Translation:
    reporter = Reporter()
    return translate_read(_read(origin, options, reporter), path, options, reporter)


def translate_read(read: Read, path: str, options: Options, reporter: Reporter) -> Translation:
    """Translate a program that was read from a path; raises CompileError if that cannot be."""
    stages = _plan(mapped(read, reporter), options, reporter)
    hold_to_c(stages, options)
    if not stages.sites and not stages.preprocessed.openacc:
        text, source = stages.source.text, stages.original
        told = tuple(reporter.diagnostics)
        return Translation(text, "", lambda: (text, ()), lambda: make_report(source, (), options, told), told, path)
    printer = _printer(stages, options)
    diagnostics = tuple(reporter.diagnostics)

    def joining() -> tuple[str | None, tuple[Diagnostic, ...]]:
        return with_deep_stack(lambda: _join(printer, stages, options), path)

    def explained() -> Report:
        return with_deep_stack(lambda: make_report(stages.original, stages.end.lowered, options, diagnostics), path)

    def sequentially() -> Sequential:
        return with_deep_stack(printer.sequential, path)

    return Translation(
        printer.host(),
        printer.device(),
        joining,
        explained,
        diagnostics=diagnostics,
        path=path,
        decisions=stages.end.decisions,
        sequentially=sequentially,
        checking=lambda: with_deep_stack(printer.checked, path),
        maps_parts=stages.program.maps_parts,
    )


def _translate_pairs(path: str, choices: Sequence[Options]) -> list[tuple[str, str] | CompileError]:
    mapped = _map(path, choices[0], Reporter())
    found: list[tuple[str, str] | CompileError] = []
    for options in choices:
        try:
            printer = _printer(_plan(mapped, options, Reporter()), options)
        except CompileError as error:
            found.append(error)
        else:
            found.append((printer.host(), printer.device()))
    return found


def _printer(stages: _Stages, options: Options) -> ProgramPrinter:
    texts = [print_region(plan_region(region), options.line) for region in stages.end.lowered]
    names = stages.program.names
    routines = tuple(print_routine(plan_routine(routine), names, options.line) for routine in stages.end.routines)
    return program_printer(stages, texts, routines, options)


def dump_after(path: str, options: Options, name: str) -> str:
    """What one pass made, as text."""
    return with_deep_stack(lambda: _dump_after(path, options, name), path)


def _dump_after(path: str, options: Options, name: str) -> str:
    stages = _run_passes(path, options, Reporter())
    if name == "preprocess":
        return stages.preprocessed.text
    value: object
    match name:
        case "parse":
            value = stages.program
        case "map":
            value = stages.mapped
        case "plan":
            value = stages.end.planned
        case "lower":
            value = stages.end.lowered
        case _:
            value = tuple(map(plan_region, stages.end.lowered))
    return dumped(value, text_of) + "\n"


def _run_passes(origin: str | SourceFile, options: Options, reporter: Reporter) -> _Stages:
    return _plan(_map(origin, options, reporter), options, reporter)


def _map(origin: str | SourceFile, options: Options, reporter: Reporter) -> Mapped:
    """Read a program and give its loops to the GPU's axes."""
    return mapped(_read(origin, options, reporter), reporter)


def _read(origin: str | SourceFile, options: Options, reporter: Reporter) -> Read:
    source = read_source(origin, reporter) if isinstance(origin, str) else origin
    return read_program(source, options, reporter)


def map_source(original: SourceFile, options: Options, reporter: Reporter) -> Mapped:
    """Read a program and give its loops to the GPU's axes; raises CompileError if that cannot be."""
    return mapped(read_program(original, options, reporter), reporter)


def mapped(read: Read, reporter: Reporter) -> Mapped:
    """Give the loops of a program that was read to the GPU's axes."""
    return Mapped(**asdict(read), mapped=_map_regions(read.program, reporter))


def _map_regions(program: Program, reporter: Reporter) -> tuple[tuple[MappedKernel, ...], ...]:
    found = tuple(map_region(region, reporter) for region in program.regions)
    for kernel in (kernel for kernels in found for kernel in kernels):
        warn_of_unmapped(kernel, reporter)
    return found


def tried(stages: Mapped, options: Options) -> Report:
    """The report of what would become of a mapped program."""
    reporter = Reporter()
    found = _plan(stages, options, reporter)
    return make_report(found.original, found.end.lowered, options, tuple(reporter.diagnostics))


def plan_alone(program: Program, path: str, options: Options, reporter: Reporter) -> tuple[Lowered, Report]:
    """What becomes of a program, of which nothing is asked but the values given here; the text behind it is not read.

    :raises CompileError: an error was reported.
    """
    lowered = _plan_regions(program, _map_regions(program, reporter), path, options, reporter=reporter)
    return lowered, make_report(SourceFile("", ""), lowered.lowered, options, tuple(reporter.diagnostics))


def _plan(stages: Mapped, options: Options, reporter: Reporter) -> _Stages:
    """Choose how each cache directive is kept, and work that out."""
    lowered = _plan_regions(stages.program, stages.mapped, stages.original.name, options, reporter=reporter)
    return _Stages(**asdict(stages), end=lowered)


def _plan_regions(
    program: Program,
    kernels_of: tuple[tuple[MappedKernel, ...], ...],
    path: str,
    options: Options,
    *,
    reporter: Reporter,
) -> Lowered:
    if options.tune == "measure" and program.regions:
        options = replace(options, choices=read_tuning(path).choices)
    routines = lowered_routines(program, options, reporter)
    for region in program.regions if routines else ():
        warn_of_routines_handing_over(region, program.routines, reporter)
    passes = ConstructPasses(options, program.names, preparing(routines))
    found = tuple(
        planned_construct(region, kernels, passes, reporter)
        for region, kernels in zip(program.regions, kernels_of, strict=True)
    )
    planned = tuple(item.planned for item in found)
    for cached in (cached for kernels in planned for cached in kernels):
        check_choices(cached, options, path, reporter)
    reporter.stop_on_errors()
    return Lowered(planned, tuple(item.lowered for item in found), routines)


def _join(printer: ProgramPrinter, stages: _Stages, options: Options) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """The joined file and what it adds to the program, or None with the reasons: the pair of files still works."""
    local = Reporter()
    replaced = tuple(text.region.text.span for text in printer.regions if text.region.execution.condition is None)
    host = cplusplus_edits(stages.unit, stages.preprocessed, replaced, local)
    headers = tuple(dict.fromkeys(map(header_of, host.forgotten)))
    if headers and not local.has_errors:
        read = _read_with(headers, stages, options)
        for name, location in host.forgotten.items():
            local.report("ACC529" if read else "ACC517", location, name=name, header=header_of(name))
        host = cplusplus_edits(read.unit, read.preprocessed, replaced, local) if read else host
    kernels = Reporter()
    for location in printer.complex_numbers():
        kernels.report("ACC512", location, name="the complex numbers")
    found = (*relocated(stages.source, tuple(local.diagnostics)), *kernels.diagnostics)
    if local.has_errors or kernels.has_errors:
        return None, found
    groups = pinned_groups(stages.source, stages.preprocessed.inactive)
    edits = host.edits + tuple(edit for edit in groups if not any(_meets(edit.span, span) for span in replaced))
    above = [f"#include {header}\n" for header in headers]
    above += [f"#define {word} {spelling}\n" for word, spelling in host.words.items()]
    return printer.joined(edits, lambda text: renamed(text, host.renames), "".join(above)), found


def _read_with(headers: tuple[str, ...], stages: _Stages, options: Options) -> Read | None:
    """The program once more, with headers of C that it does not include itself; None if they do not go together."""
    with TemporaryDirectory() as folder:
        above = Path(folder) / "above.h"  # -include takes a file of such a name in the current folder first
        above.write_text("".join(f"#include {header}\n" for header in headers))
        completed = replace(options, preprocessor=(*options.preprocessor, "-include", str(above)))
        try:
            read = read_program(stages.original, completed, Reporter())
            check_with_c(read, completed)
        except CompileError:  # the program has other uses for names of the headers
            return None
    return read


def _meets(first: Span, second: Span) -> bool:
    return first.start < second.end and second.start < first.end


__all__ = [
    "PASSES",
    "CompileError",
    "Mapped",
    "Translation",
    "dump_after",
    "map_source",
    "translate",
    "translate_pairs",
    "translate_read",
    "translate_with_operators",
    "tried",
    "with_deep_stack",
]
