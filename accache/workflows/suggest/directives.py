"""``accache suggest --apply``: the cache directives that a C file lacks, written into its text, and nothing else."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from msgspec import Struct

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.base.output import write_files
from accache.base.text import SourceFile, Span
from accache.caching.auto.chunks import Chunk, chunks
from accache.caching.auto.decision import Placed, placed
from accache.caching.auto.insertion import Proposed, with_directives
from accache.constructs import lowered_routines, preparing
from accache.driver import Mapped, map_source, with_deep_stack
from accache.frontend.source.preprocess import read_source
from accache.ir.as_polynomial import index_polynomial
from accache.ir.openacc.regions import Region, Subarray
from accache.ir.tree import Cache, Expr
from accache.ir.walk import nodes_of
from accache.workflows.suggest.insertions import advice_of, with_insertions
from accache.workflows.suggest.spelling import written
from accache.workflows.without_directives import without_cache_directives


class Applied(Struct, frozen=True):
    """A file's text with directives; what was ``placed`` in each construct, and what there is to say.

    ``chunks`` are the loops that had to be tiled for more, of which the text has a comment.
    """

    text: str
    placed: tuple[Placed, ...]
    chunks: tuple[Chunk, ...]
    diagnostics: tuple[Diagnostic, ...]


def applied(path: str, options: Options) -> Applied:
    """The text of a C file with the directives that its kernels lack.

    Raises:
        CompileError: the file cannot be translated, or a directive cannot be written: its loop stands in a header
            (ACC980), or comes from a macro (ACC981).
    """
    return with_deep_stack(lambda: _applied(path, options), path)


def advice_for(source: SourceFile, options: Options) -> tuple[Chunk, ...]:
    """The loops that had to be tiled for more directives, as comments of ``applied`` tell.

    Raises:
        CompileError: the program cannot be translated.
    """
    return with_deep_stack(lambda: _decided(source, options, Reporter()).chunks, source.name)


def told(found: Applied) -> Iterator[str]:
    """A line for each directive that was written, and for each candidate that was left out."""
    return _told(found.placed, found.chunks, lambda _region, _item: "written")


def _told(placed: Sequence[Placed], chunks: Sequence[Chunk], fate: Callable[[int, Proposed], str]) -> Iterator[str]:
    """Lines for candidates, of which ``fate`` tells what became of one, by the number of its construct."""
    for number, each in enumerate(placed):
        for item in each.kept:
            where, text = item.proposal.anchor.loop, item.proposal.text
            yield f"{where.file}:{where.line}: cache({text}), thread density {item.density:.2f}: {fate(number, item)}"
        for _, decision in each.refused:
            where, text = decision.location, decision.text
            yield (
                f"{where.file}:{where.line}: cache({text}), thread density {decision.density:.2f}: left out: "
                f"{decision.reason}"
            )
    for chunk in chunks:
        yield f"{chunk.loop.file}:{chunk.loop.line}: {advice_of(chunk)}"


def told_of_text(path: str, options: Options) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """A line for each candidate of a C file, were there no directive in it, and what there is to say of the file.

    One is kept as the directive that the user wrote for the array, where there is one.

    Raises:
        CompileError: the file cannot be translated.
    """
    return with_deep_stack(lambda: _told_of_text(path, options), path)


def write_program(path: str, text: str) -> None:
    """Write a program's text; it may be that of the file itself.

    Raises:
        CompileError: that is not allowed, or cannot be (ACC982).
    """
    try:
        if Path(path).is_file() and not (os.access(path, os.W_OK) and Path(path).stat().st_mode & _WRITABLE):
            raise PermissionError(None, "it is read-only", path)
        write_files(((path, text),))
    except OSError as error:
        raise Reporter().fail("ACC982", name=path, reason=error.strerror or str(error)) from error


_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class _Decided(Struct, frozen=True):
    """A program as it is, what is placed in each construct, and the loops to tile."""

    stages: Mapped
    placed: tuple[Placed, ...]
    chunks: tuple[Chunk, ...]


def _decided(original: SourceFile, options: Options, reporter: Reporter) -> _Decided:
    stages = map_source(original, options, reporter)
    program = stages.program
    prepare = preparing(lowered_routines(program, options, reporter))
    found = tuple(
        placed(region, kernels, options, program.names, prepare=prepare)
        for region, kernels in zip(program.regions, stages.mapped, strict=True)
    )
    reporter.stop_on_errors()
    advice = tuple(
        chunk
        for region, kernels, now in zip(program.regions, stages.mapped, found, strict=True)
        for chunk in chunks(region, kernels, now, options, names=program.names, prepare=prepare)
    )
    return _Decided(stages, found, advice)


def _told_of_text(path: str, options: Options) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    reporter = Reporter()
    original = read_source(path, reporter)
    regions = map_source(original, options, reporter).program.regions
    own = [{item.name: item for item in _written(region)} for region in regions]
    bare = _decided(SourceFile(original.name, without_cache_directives(original.text)), options, Reporter())

    def fate(number: int, item: Proposed) -> str:
        there = own[number].get(item.proposal.array) if number < len(own) else None
        return f"line {there.location.line} has cache({there.text})" if there is not None else "suggested"

    return tuple(_told(bare.placed, bare.chunks, fate)), tuple(reporter.diagnostics)


def _applied(path: str, options: Options) -> Applied:
    reporter = Reporter()
    original = read_source(path, reporter)
    decided = _decided(original, options, reporter)
    stages, found, advice = decided.stages, decided.placed, decided.chunks
    directives = [
        (item.proposal.anchor, written(item.proposal, region, original))
        for region, each in zip(stages.program.regions, found, strict=True)
        for item in each.kept
    ]
    text = with_insertions(original, _inactive(stages), directives, advice)
    _verify(original, stages, found, text, options=options)
    return Applied(text, found, advice, tuple(reporter.diagnostics))


def _inactive(stages: Mapped) -> tuple[Span, ...]:
    """The places of the user's text that the preprocessor takes out, where they are known."""
    return () if stages.source.is_made else stages.preprocessed.inactive


def _verify(original: SourceFile, stages: Mapped, found: tuple[Placed, ...], text: str, *, options: Options) -> None:
    """Read the new text, and see that each directive is where it should be.

    Raises:
        CompileError: one is not, since a macro holds the place (ACC981).
    """
    if text == original.text:
        return
    try:
        regions = map_source(SourceFile(original.name, text), options, Reporter()).program.regions
    except CompileError:
        regions = ()
    for region, again, item in zip_longest(stages.program.regions, regions, found):
        wanted = _subarrays(with_directives(region, item.kept))
        if again is None or wanted != _subarrays(again):
            raise Reporter().fail("ACC981", region.location, name=item.kept[0].proposal.text if item.kept else "")


def _subarrays(region: Region) -> Counter[tuple[str, ...]]:
    """The subarrays that a construct's directives name: each by its name, its bounds and its lengths."""
    return Counter(
        (item.name, *(_value(part) for dimension in item.dimensions for part in (dimension.lower, dimension.length)))
        for item in _written(region)
    )


def _written(region: Region) -> Iterator[Subarray]:
    """The subarrays of a construct's directives."""
    return (item for node in nodes_of(region.body, Cache) for item in node.subarrays)


def _value(bound: Expr | None) -> str:
    """A bound as a polynomial, however it is spelled."""
    return str(index_polynomial(bound)) if bound is not None else ""
