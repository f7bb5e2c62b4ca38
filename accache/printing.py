"""Print a program that was read, with the texts of its constructs and routines."""

from __future__ import annotations

from collections.abc import Sequence

from accache.base.options import Options
from accache.emit.host.directives import SELECTING
from accache.emit.kernels.routines import RoutineText
from accache.emit.program import KeptRegion, ProgramPrinter, RegionText
from accache.frontend.source.pins import pins
from accache.reading import Read


def program_printer(
    read: Read, regions: Sequence[RegionText | KeptRegion], routines: tuple[RoutineText, ...], options: Options
) -> ProgramPrinter:
    """What prints a program."""
    program = read.program
    uses_openacc = read.preprocessed.openacc or any(item.kind in SELECTING for item in program.data)
    return ProgramPrinter(
        read.source,
        program,
        tuple(regions),
        routines,
        pragmas=tuple(site.span for site in read.sites),
        openacc=uses_openacc,
        line=options.line,
        carry=options.runtime,
        macros=read.preprocessed.own_macros,
        pins=pins(read.source, read.preprocessed),
        fast_math=options.fast_math,
    )
