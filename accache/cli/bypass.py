"""``accache bypass``: which loads of a kernel pass L1 by, and the kernel with such loads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from accache.bypass.solvers import DEFAULT_SECONDS, SOLVERS
from accache.bypassing.chain import WEIGHTS, Settings
from accache.bypassing.commands import Job, Result, bypass_cuda, bypass_ptx, decide_for_trace
from accache.cli.common import talk_from, talk_options
from accache.diagnostics import CompileError, Reporter
from accache.l1.gpus import GPUS, gpu_named
from accache.l1.tools import PLAIN, compiled_tools
from accache.ptx.rewriting import MODES

_LANGUAGES = {".c": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".f": "Fortran", ".f90": "Fortran"}
_HINTS = {".c": "accache translate writes its CUDA"}


@click.command("bypass")
@click.argument("file")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("-o", "--output", metavar="OUT", help="Write the kernels with their new loads: PTX, or nvcc's result.")
@click.option("--trace", metavar="TRACE", help="The memory trace of a launch of the kernel.")
@click.option("--kernel", default="", metavar="NAME", help="The kernel that was traced, if FILE has several.")
@click.option(
    "--gpu",
    type=click.Choice([gpu.name for gpu in GPUS]),
    default=GPUS[0].name,
    show_default=True,
    help="The cache to decide for.",
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
    file: str,
    arguments: tuple[str, ...],
    output: str | None,
    trace: str | None,
    kernel: str,
    gpu: str,
    mode: str,
    weights: str,
    solver: str | None,
    seconds: float,
    as_json: bool,
    **values: Any,
) -> None:
    """Decide for each load of a kernel whether it goes through L1 or bypasses it, and rewrite the kernel.

    FILE is a CUDA program (.cu), which nvcc compiles with ARGUMENTS that stand after --, a PTX file (.ptx), or a memory
    trace alone. The decisions are those of Xie et al., "An Efficient Compiler Framework for Cache Bypassing on GPUs".
    """
    talk = talk_from(values)
    tools, reporter = compiled_tools(), Reporter()
    if tools is None:
        reporter.report("ACC808")
    settings = Settings(gpu_named(gpu), mode, weights, solver, seconds)
    try:
        result = _bypass(file, arguments, output, trace, Job(Path(trace or file), kernel, settings, tools or PLAIN))
    except CompileError as error:
        raise talk.fail(error) from error
    except OSError as error:
        raise click.FileError(str(error.filename or output), error.strerror) from error
    talk.tell((*reporter.diagnostics, *result.diagnostics))
    click.echo(json.dumps(result.record(), indent=2) if as_json else result.text(), nl=as_json)


def _bypass(file: str, arguments: tuple[str, ...], output: str | None, trace: str | None, job: Job) -> Result:
    """Do it by the kind of the file, which its name tells."""
    suffix = Path(file).suffix.lower()
    if language := _LANGUAGES.get(suffix):
        raise Reporter().fail("ACC968", name=file, language=language, hint=_HINTS.get(suffix, ""))
    if arguments and suffix != ".cu":
        raise click.UsageError("ARGUMENTS are for nvcc, and FILE is no .cu")
    if suffix not in (".cu", ".ptx"):
        if trace is not None or output is not None or job.kernel:
            raise click.UsageError("--trace, --kernel and -o need a .cu or .ptx as FILE")
        return decide_for_trace(job)
    if trace is None:
        raise Reporter().fail("ACC964", name=file)
    return bypass_cuda(job, file, output, arguments) if suffix == ".cu" else bypass_ptx(job, file, output)
