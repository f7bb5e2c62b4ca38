"""The front end's passes: a text to a program, with all mistakes told that no mapping has a part in."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.resolve import resolve_calls
from accache.base.deep_stack import DEEP_STACK
from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import Options
from accache.base.text import STDIN, Location, SourceFile
from accache.frontend.openacc.hints import warn_of_misspelt
from accache.frontend.openacc.openmp import note_openmp
from accache.frontend.openacc.verify import verify, verify_names
from accache.frontend.program import build_program
from accache.frontend.source.alignment import Unit, align
from accache.frontend.source.complaints import remedy_of_c
from accache.frontend.source.constructs import PragmaSite, find_pragmas
from accache.frontend.source.expansion import expand_directives
from accache.frontend.source.inclusion import include_headers, relocated
from accache.frontend.source.marks import leaves_directives
from accache.frontend.source.preprocess import (
    Preprocessed,
    PreprocessOptions,
    first_complaint,
    marked_output,
    read_source,
)
from accache.ir.openacc.regions import Program
from accache.mapping.data.sections import check_sections, with_pointers_alone
from accache.mapping.data.unset import warn_of_unset
from accache.mapping.reductions.found_reductions import with_implied_reductions
from accache.mapping.reductions.lost_sums import warn_of_lost_sums

Result = TypeVar("Result")


class Marked(Struct, frozen=True):
    """A file, and what the preprocessor makes of its text with our marks."""

    source: SourceFile
    output: str


class Read(Struct, frozen=True):
    """What the front end made of a text; ``source`` has the headers in it that hold directives."""

    original: SourceFile
    source: SourceFile
    preprocessed: Preprocessed
    unit: Unit
    sites: tuple[PragmaSite, ...]
    program: Program


def read_program(original: SourceFile, options: Options, reporter: Reporter, output: str | None = None) -> Read:
    """Read a program and find all mistakes that do not depend on how it is mapped; raises CompileError of errors.

    The ``output`` is that of ``marked``, if that was asked for before.
    """
    settings = _settings(options)
    source, preprocessed = include_headers(original, settings, reporter, output)
    source, preprocessed = expand_directives(source, preprocessed, settings, reporter)
    try:
        sites = find_pragmas(source, preprocessed, reporter)
        warn_of_misspelt(source, preprocessed.inactive, reporter)
        if not sites and not preprocessed.openacc and not reporter.diagnostics:
            note_openmp(source, preprocessed.inactive, reporter)
        unit = align(source, preprocessed)
        program = _program(unit, preprocessed, sites, settings, reporter=reporter) if sites else Program()
        program = program if preprocessed.strict_aliasing else program.without_type_rules()
        if sites:
            verify_names(unit, reporter)
        verify(program, reporter)
    except CompileError as error:
        raise CompileError(relocated(source, error.diagnostics)) from None
    program = relocated(source, program)
    reporter.diagnostics[:] = relocated(source, tuple(reporter.diagnostics))
    program = resolve_calls(program, reporter)
    regions = (with_pointers_alone(region, reporter) for region in program.regions)
    program = replace(program, regions=tuple(with_implied_reductions(region, reporter) for region in regions))
    for region in program.regions:
        check_sections((*region.data, *region.attached), reporter, kind="compute")
        warn_of_lost_sums(region, reporter)
    for construct in program.data:
        check_sections(construct.data, reporter, kind=construct.kind)
    warn_of_unset(program, reporter)
    reporter.stop_on_errors()
    return Read(original, source, preprocessed, unit, sites, program)


def hold_to_c(read: Read, options: Options) -> None:
    """Let the C compiler look at text that no pass reads; raises CompileError (ACC104) if that is no C."""
    if not read.sites or read.unit.tree[1]:
        check_with_c(read, options)


def check_with_c(read: Read, options: Options) -> None:
    """Raise CompileError (ACC104) if the C compiler finds something wrong with a program."""
    complaint = first_complaint(read.source, _settings(options))
    if complaint is not None:
        hint = remedy_of_c(read.source, *complaint)
        error = Reporter().fail("ACC104", complaint[0], reason=complaint[1], hint=hint)
        raise CompileError(relocated(read.source, error.diagnostics))


def _program(
    unit: Unit,
    preprocessed: Preprocessed,
    sites: tuple[PragmaSite, ...],
    settings: PreprocessOptions,
    *,
    reporter: Reporter,
) -> Program:
    """The program; of what the parser cannot read the C compiler's own words are told, if it complains too."""
    try:
        return build_program(unit, preprocessed, sites, reporter)
    except CompileError as error:
        unreadable = any(found.code == "ACC104" for found in error.diagnostics)
        complaint = first_complaint(unit.source, settings) if unreadable else None
        if complaint is None:
            raise
        hint = remedy_of_c(unit.source, *complaint)
        raise Reporter().fail("ACC104", complaint[0], reason=complaint[1], hint=hint) from error


def with_deep_stack(work: Callable[[], Result], path: str) -> Result:
    """Run passes, which follow the nesting of the source, where deep nesting finds room."""
    try:
        return DEEP_STACK.run(work)
    except RecursionError:
        raise Reporter().fail("ACC106", Location(path if path != "-" else STDIN, 1)) from None


def marked(path: str, options: Options) -> Marked | None:
    """A file as ``read_program`` has it preprocessed; None if that leaves no directive, or fails."""
    try:
        original = read_source(path, Reporter())
        output = marked_output(original, _settings(options), Reporter())
    except CompileError:
        return None
    return Marked(original, output) if leaves_directives(output) else None


def _settings(options: Options) -> PreprocessOptions:
    return PreprocessOptions(tuple(shlex.split(options.cc)), options.preprocessor)
