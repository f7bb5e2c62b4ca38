"""Translate a program many times, by other methods and in other blocks, for the sliders of its page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from accache.base.choices import COARSENING, MethodChoice
from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import Options, command_words
from accache.base.text import SourceFile
from accache.caching.methods import METHODS
from accache.driver import Mapped, map_source, tried, with_deep_stack
from accache.ir.build import INT
from accache.ir.openacc.regions import Region
from accache.ir.tree import IntLiteral
from accache.mapping.mapping import map_region
from accache.report.records import KernelReport
from accache.report.sweep import ChangedLine, Larger, Point, Several, Sweep, larger_of, point_of, several_of
from accache.report.text import Report

ASKED: tuple[MethodChoice, ...] = ("none", *(method.name for method in METHODS))
"""The values of ``--method`` that are tried."""
SIZES = (32, 64, 128, 256, 512, 1024)
"""Threads of a block."""
WHOLE = tuple(method.name for method in METHODS if not (method.traits.may_miss or method.traits.in_registers))
"""The methods whose tiles a block can have for several iterations of its threads."""
_NUMBERS = [value for value in COARSENING if value[0].isdigit()]
COARSENED = tuple(tuple(values) for _, values in groupby(_NUMBERS, lambda value: value.count("x")))
"""The values of ``--coarsen`` for one loop, for two, and for three."""
_CONSTRUCT = re.compile(r"^(\s*#\s*pragma\s+acc\s+(?:parallel|kernels)(?:\s+loop)?)\b(.*)$")


def sweeps_of(source: SourceFile, options: Options, report: Report) -> tuple[Sweep, ...]:
    """What else could become of each kernel with directives in a ``report``; none if they have no subarrays.

    Raises CompileError if the program cannot be translated.
    """
    names = [kernel.name for kernel in report.kernels if kernel.subarrays]
    return with_deep_stack(lambda: tuple(_sweeps(source, options, report, names)), source.name) if names else ()


def _sweeps(source: SourceFile, options: Options, report: Report, names: Sequence[str]) -> Iterator[Sweep]:
    mapped = map_source(source, options, Reporter())
    ours = {kernel.name for kernels in mapped.mapped for kernel in kernels if kernel.is_block_ours}
    points: dict[str, list[Point]] = {name: [] for name in names}
    for size in SIZES if ours & set(names) else (0,):
        sized = _with_vectors(mapped, size) if size else mapped
        for method in ASKED:
            for name, point in _points(sized, _asking(options, method), size, names):
                if not size or name in ours:
                    points[name].append(point)
    larger = _larger(mapped, options, names)
    others = [name for name in names if not points[name]]  # a construct that says the size of its blocks
    for method in ASKED if others else ():
        for name, point in _points(mapped, _asking(options, method), 0, others):
            points[name].append(point)
    for kernel in (kernel for kernel in report.kernels if kernel.name in names):
        several = _several(mapped, options, kernel)
        yield _sweep(source, options, kernel, tuple(points[kernel.name]), several=several, larger=larger[kernel.name])


def _asking(options: Options, method: MethodChoice) -> Options:
    return replace(options, method=method, coarsen="off", tune="model")


def _sweep(
    source: SourceFile,
    options: Options,
    kernel: KernelReport,
    points: tuple[Point, ...],
    *,
    several: tuple[Several, ...],
    larger: tuple[Larger, ...],
) -> Sweep:
    sizes = tuple(dict.fromkeys(point.threads for point in points))
    words = command_words(replace(options, method="auto", coarsen="off", tune="model"))
    command = shlex.join(("accache", "explain", "--method", "METHOD", *words, source.name))
    return Sweep(
        kernel.name,
        kernel.line,
        ASKED,
        sizes,
        points=points,
        several=several,
        larger=larger,
        lines=tuple(_changed(source, kernel.line, sizes)),
        chosen=kernel.threads,
        command=command,
    )


def _with_vectors(stages: Mapped, length: int) -> Mapped:
    """A mapped program whose constructs have ``vector_length(length)``, but those that say a size of their own."""
    mapped = tuple(
        map_region(_with_vector(region, length), Reporter())
        if all(kernel.is_block_ours for kernel in kernels)
        else kernels
        for region, kernels in zip(stages.program.regions, stages.mapped, strict=True)
    )
    return replace(stages, mapped=mapped)


def _with_vector(region: Region, length: int) -> Region:
    return replace(region, sizes=(*region.sizes, ("vector", IntLiteral(INT, region.location, length, str(length)))))


def _points(stages: Mapped, options: Options, size: int, names: Sequence[str]) -> Iterator[tuple[str, Point]]:
    """A method in blocks of one size; a method that the program refuses is a point that says so."""
    try:
        report = tried(stages, options)
    except CompileError as error:
        for name in names:
            yield name, Point(options.method, size, reason=error.diagnostics[0].message)
        return
    for found in report.kernels:
        if found.name in names:
            yield found.name, point_of(options, size or found.threads, found)


def _larger(mapped: Mapped, options: Options, names: Sequence[str]) -> dict[str, tuple[Larger, ...]]:
    """The tiles of each kernel for several iterations a thread, the smallest first.

    For loops that a kernel does not have, ``--coarsen`` does what it does for fewer loops: the first value for so many
    tells whether the others are worth a try.
    """
    found: dict[str, dict[tuple[str, str], Larger]] = {name: {} for name in names}
    for method in WHOLE:
        for first, *others in COARSENED:
            if not _has_larger(mapped, replace(options, method=method, coarsen=first, tune="model"), found):
                break
            for value in others:
                _has_larger(mapped, replace(options, method=method, coarsen=value, tune="model"), found)
    return {name: tuple(sorted(each.values(), key=lambda item: item.point.held)) for name, each in found.items()}


def _has_larger(mapped: Mapped, options: Options, found: dict[str, dict[tuple[str, str], Larger]]) -> bool:
    """Add the tiles that these options make to those ``found`` for each kernel; whether there are new ones."""
    try:
        report = tried(mapped, options)
    except CompileError:
        return False
    before = sum(map(len, found.values()))
    for kernel in report.kernels:
        larger = larger_of(options, kernel) if kernel.name in found else None
        if larger is not None:
            found[kernel.name].setdefault((options.method, larger.iterations), larger)
    return sum(map(len, found.values())) > before


def _several(mapped: Mapped, options: Options, kernel: KernelReport) -> tuple[Several, ...]:
    """The forms of a kernel with several iterations a thread, from its report, or from that of one that has them."""
    if kernel.candidates and options.chooses_method and options.coarsen == "auto":
        return several_of(kernel.candidates)
    try:
        report = tried(mapped, replace(options, method="auto", coarsen="auto", tune="model"))
    except CompileError:
        return ()
    return next((several_of(found.candidates) for found in report.kernels if found.name == kernel.name), ())


def _changed(source: SourceFile, line: int, sizes: Sequence[int]) -> Iterator[ChangedLine]:
    """The line of a construct with each size of blocks; none where it is written in another way than usual."""
    lines = source.text.splitlines()
    found = _CONSTRUCT.match(lines[line - 1]) if 0 < line <= len(lines) else None
    if found is not None and len(sizes) > 1:
        for size in sizes:
            yield ChangedLine(size, f"{found[1]} vector_length({size}){found[2]}")
