"""``accache bypass``: which loads of a kernel pass L1 by, and the kernel with such loads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from accache.bypass.solvers import DEFAULT_SECONDS, SOLVERS
from accache.bypassing.chain import WEIGHTS
from accache.bypassing.commands import Told, bypass_cuda, bypass_ptx
from accache.bypassing.deciding import Choice, by_trace, decide_for_trace
from accache.cli.common import talk_from, talk_options
from accache.diagnostics import CompileError, Reporter
from accache.l1.gpus import GPUS, gpu_named
from accache.l1.sweeps import parse_bytes
from accache.l1.tools import PLAIN, compiled_tools
from accache.ptx.rewriting import MODES

_LANGUAGES = {".c": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".f": "Fortran", ".f90": "Fortran"}
_HINTS = {".c": "accache translate writes its CUDA"}


def _bytes(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    try:
        return None if value is None else parse_bytes(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("bypass")
@click.argument("file")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("-o", "--output", metavar="OUT", help="Write the kernels with their new loads: PTX, or nvcc's result.")
@click.option("--trace", metavar="TRACE", help="The memory trace of a launch of the kernel.")
@click.option("--kernel", default="", metavar="NAME", help="The kernel that was traced, if FILE has several.")
@click.option(
    "--gpu",
    type=click.Choice([gpu.name for gpu in GPUS]),
    help="The cache to decide for; else that of the architecture that the PTX is for.",
)
@click.option(
    "--shared-per-block", "shared", metavar="BYTES", callback=_bytes, help="Shared memory of a block; k is 1024."
)
@click.option(
    "--mode",
    type=click.Choice(tuple(MODES)),
    default="no_allocate",
    show_default=True,
    help="How a load bypasses: it takes no place in L1, or goes to L2 as the paper has it.",
)
@click.option(
    "--weights",
    type=click.Choice(WEIGHTS),
    default=WEIGHTS[0],
    show_default=True,
    help="Weigh loads by bytes of the modelled traffic, or by the paper's formulas.",
)
@click.option(
    "--solver", type=click.Choice(tuple(SOLVERS)), help="Else exact for up to 22 loads, and heuristic for more."
)
@click.option(
    "--time-limit",
    "seconds",
    type=click.FloatRange(min=0),
    default=DEFAULT_SECONDS,
    show_default=True,
    help="How many seconds --solver ilp may take.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the decisions as one JSON object.")
@talk_options
def command(
    file: str, arguments: tuple[str, ...], output: str | None, trace: str | None, kernel: str, **values: Any
) -> None:
    """Decide for each load of a kernel whether it goes through L1 or bypasses it, and rewrite the kernel.

    FILE is a CUDA program (.cu), which nvcc compiles with ARGUMENTS that stand after --, a PTX file (.ptx), or a memory
    trace alone. The decisions are those of Xie et al., "An Efficient Compiler Framework for Cache Bypassing on GPUs".
    """
    talk = talk_from(values)
    tools, reporter = compiled_tools(), Reporter()
    if tools is None:
        reporter.report("ACC808")
    gpu = None if values["gpu"] is None else gpu_named(values["gpu"])
    choice = Choice(gpu, *(values[name] for name in ("shared", "mode", "weights", "solver", "seconds")))
    decide = by_trace(Path(trace), kernel, choice, tools or PLAIN) if trace is not None else None
    kind = _kind(file, arguments, is_alone=trace is None and output is None and not kernel)
    try:
        if kind in _LANGUAGES:
            raise Reporter().fail("ACC968", name=file, language=_LANGUAGES[kind], hint=_HINTS.get(kind, ""))
        if kind not in (".cu", ".ptx"):
            told: Told = decide_for_trace(Path(file), choice, tools or PLAIN), ()
        elif decide is None:
            raise Reporter().fail("ACC964", name=file)
        else:
            told = bypass_cuda(decide, file, output, arguments) if kind == ".cu" else bypass_ptx(decide, file, output)
    except CompileError as error:
        raise talk.fail(error) from error
    except OSError as error:
        raise click.FileError(str(error.filename or output), error.strerror) from error
    result, diagnostics = told
    talk.tell((*reporter.diagnostics, *diagnostics))
    click.echo(json.dumps(result.record(), indent=2) if values["as_json"] else result.text(), nl=values["as_json"])


def _kind(file: str, arguments: tuple[str, ...], is_alone: bool) -> str:
    """The suffix of the file, and whether that goes with the other words."""
    suffix = Path(file).suffix.lower()
    if arguments and suffix != ".cu":
        raise click.UsageError("ARGUMENTS are for nvcc, and FILE is no .cu")
    if suffix not in (".cu", ".ptx", *_LANGUAGES) and not is_alone:
        raise click.UsageError("--trace, --kernel and -o need a .cu or .ptx as FILE")
    return suffix
