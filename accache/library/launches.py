"""The launch that is modelled: that of a trace, of a program, or of a trace whose loads PTX names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from accache.base.choices import METHODS, MethodChoice
from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.options import OptionError, refuse_other
from accache.l1.carving import Tiled
from accache.l1.files import read_trace
from accache.l1.gpus import Gpu
from accache.l1.tools import Tools
from accache.l1.trace import Trace, dealt_to_some

_FLAG = re.compile(r"-[IDU].+|-std=.+", re.DOTALL)


class Wanted(Struct, frozen=True):
    """Which launch: the names of a program and of a trace, one of which may be None, and how the program is run.

    ``compiling`` are words for nvcc, each with its value. ``directives`` asks for those of a C program too, kept by
    ``method``. A program's blocks are dealt out to so many ``multiprocessors``, and those of some are traced.
    """

    program: str | None
    trace: str | None
    kernel: str = ""
    arguments: tuple[str, ...] = ()
    compiling: tuple[str, ...] = ()
    directives: bool = False
    method: MethodChoice = METHODS[0]
    multiprocessors: int | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.program or str(self.trace)


class Launch(Struct, frozen=True):
    """A launch as a trace, the same with cache directives if these were asked for, and what there is to say of it.

    ``registers`` are those of a thread; 0 is not known.
    """

    trace: Trace
    tiled: Tiled | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    registers: int = 0


def check(wanted: Wanted) -> None:
    """Raise OptionError for a launch that there is not."""
    suffix = Path(wanted.program).suffix if wanted.program else ""
    if wanted.program is None and wanted.trace is None:
        raise OptionError("a program or a trace is needed", "program")
    if wanted.program and wanted.trace and suffix != ".ptx":
        raise OptionError("there is a program or a trace; only a program in PTX (.ptx) names the loads of one", "trace")
    if wanted.trace is not None and wanted.arguments:
        raise OptionError("arguments are for a program that is run, and a trace is given", "arguments")
    if wanted.trace is not None and wanted.compiling:
        raise OptionError("nvcc's words are for a program that is run, and a trace is given", "compiling")
    if wanted.directives and wanted.multiprocessors is not None:
        raise OptionError("directives are judged with all traced blocks on one multiprocessor", "multiprocessors")
    if wanted.program is None and wanted.kernel:
        raise OptionError("a kernel is one of a program, and there is none", "kernel")
    if wanted.directives and suffix != ".c":
        raise OptionError("directives are those of a program in C (.c)", "directives")
    if wanted.program is not None and suffix == ".ptx" and wanted.trace is None:
        raise OptionError("a PTX file launches nothing; the trace of a launch is needed", "trace")
    if wanted.program is not None and suffix not in (".c", ".cu", ".ptx"):
        what = "is neither C (.c), CUDA (.cu) nor PTX (.ptx); a memory trace is the option trace"
        raise OptionError(f"'{wanted.program}' {what}", "program", (".c", ".cu", ".ptx"))
    refuse_other("method", wanted.method, METHODS)


def read(wanted: Wanted, tools: Tools | None, gpu: Gpu) -> Launch:
    """The launch, which ``check`` lets pass; its blocks are dealt out to a GPU's multiprocessors, or as options say.

    Raises:
        OptionError: blocks shall be dealt out of a trace that has only some.
        CompileError: a file cannot be read, or the program cannot be compiled, run or traced.
    """
    found = None if wanted.trace is None else read_trace(Path(wanted.trace), tools.parse if tools else None)
    if found is not None and found.is_whole:
        found = dealt_to_some(found, wanted.multiprocessors or gpu.multiprocessors)
        if not (found.direction == 0).any():
            raise Reporter().fail("ACC807", name=wanted.trace)
    elif found is not None and wanted.multiprocessors is not None:
        raise OptionError("the trace has the blocks of one multiprocessor, not those of a launch", "multiprocessors")
    if wanted.program is None and found is not None:
        return Launch(found)
    # a trace needs neither the translator nor the PTX machine, which take longer to load than most traces to model
    from accache.workflows.bypass.running import Invocation
    from accache.workflows.program_traces import directives_of_program, trace_of_program, trace_of_ptx

    if found is not None:
        named, told = trace_of_ptx(str(wanted.program), wanted.kernel, found)
        return Launch(named, None, told)
    flags = flags_of(wanted.compiling)
    invocation = Invocation(str(wanted.program), flags, wanted.arguments, compiling=wanted.compiling, gpu=gpu)
    if wanted.directives:
        return Launch(*directives_of_program(invocation, wanted.kernel, wanted.method))
    made, registers, told = trace_of_program(invocation, wanted.kernel, wanted.multiprocessors or gpu.multiprocessors)
    return Launch(made, None, told, registers)


def flags_of(compiling: Sequence[str]) -> tuple[str, ...]:
    """Those of nvcc's words that a C compiler takes, too."""
    return tuple(word for word in compiling if _FLAG.fullmatch(word))
