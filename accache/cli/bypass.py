"""``accache bypass``: which loads of a kernel pass L1 by, and the kernel with such loads."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import click

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.text import read_source_file
from accache.bypass.solvers import DEFAULT_SECONDS, SOLVERS
from accache.cli.common import (
    FILE_NAME,
    RepeatableCommand,
    arguments_option,
    command_again,
    page_option,
    split_flags,
    talk_from,
    talk_options,
    write_page,
)
from accache.l1.gpus import GPUS, gpu_named
from accache.l1.sweeps import parse_bytes
from accache.l1.tools import PLAIN, Tools, compiled_tools
from accache.ptx.loads.rewriting import MODES
from accache.workflows.bypass.chain import WEIGHTS
from accache.workflows.bypass.commands import Told, bypass_cuda, bypass_ptx
from accache.workflows.bypass.deciding import Choice, Result, by_trace, decide_for_trace
from accache.workflows.bypass.measuring import SCRIPT, by_measurements, write_variants
from accache.workflows.bypass.running import Invocation, by_run
from accache.workflows.bypass.translating import translated, write_cuda

_LANGUAGES = {".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".f": "Fortran", ".f90": "Fortran"}


def _bytes(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    try:
        return None if value is None else parse_bytes(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("bypass", cls=RepeatableCommand)
@click.argument("file", type=FILE_NAME)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "-o",
    "--output",
    type=FILE_NAME,
    metavar="OUT",
    help="Write the kernels with their new loads: PTX, or nvcc's result; of a .c also CUDA C (.cu).",
)
@click.option(
    "--trace", metavar="TRACE", type=FILE_NAME, help="The trace of a launch; without one, a program is run on this CPU."
)
@arguments_option("The arguments of the program that is run.", "words")
@click.option(
    "--variants", metavar="DIR", help="Write programs to measure on a GPU: one for each pair of cached loads."
)
@click.option("--measured", metavar="DIR", help="Decide by what Nsight Compute measured of these programs.")
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
@page_option("Write a page, too: the source with the decision at each load.")
@talk_options
def command(file: str, arguments: tuple[str, ...], **values: Any) -> None:
    """Decide for each load of a kernel whether it goes through L1 or bypasses it, and rewrite the kernel.

    FILE is a program in CUDA (.cu) or in C with OpenACC (.c), which nvcc compiles with ARGUMENTS that stand after --, a
    PTX file (.ptx), or a memory trace alone. A program is run on this CPU, and decided on by the first launch of the
    kernel.

    The decisions are those of Xie et al., "An Efficient Compiler Framework for Cache Bypassing on GPUs".
    """
    talk = talk_from(values)
    tools, reporter = compiled_tools(own_process=True), Reporter()
    if tools is None:
        reporter.report("ACC808")
    _check(file, arguments, values)
    gpu = None if values["gpu"] is None else gpu_named(values["gpu"])
    choice = Choice(gpu, *(values[name] for name in ("shared", "mode", "weights", "solver", "seconds")))
    try:
        if values["variants"] is not None:
            folder = values["variants"]
            count = write_variants(file, values["kernel"], Path(folder), choice.mode, arguments=arguments)
            click.echo(f"{folder}: {count} programs, and {SCRIPT} to measure them")
            return
        result, diagnostics = _bypass(file, arguments, values, choice, tools=tools or PLAIN)
    except CompileError as error:
        raise talk.fail(error) from error
    except OSError as error:
        raise click.FileError(str(error.filename or values["output"]), error.strerror) from error
    talk.tell((*reporter.diagnostics, *diagnostics))
    if values["html"]:
        _write_page(file, values["html"], result, diagnostics)
    click.echo(json.dumps(result.record(), indent=2) if values["as_json"] else result.text(), nl=values["as_json"])


def _write_page(file: str, path: str, result: Result, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Write the decisions as a page; the lines of a program are shown if there is one."""
    from accache.report.result_page import bypass_page

    source = read_source_file(file) if Path(file).suffix.lower() in (".c", ".cu") else None
    write_page(path, bypass_page(source, result.record(), result.text(), diagnostics, command=command_again()).html())


def _bypass(file: str, arguments: tuple[str, ...], values: dict[str, Any], choice: Choice, *, tools: Tools) -> Told:
    """Do it by the kind of the file, which its name tells."""
    suffix = Path(file).suffix.lower()
    if suffix in _LANGUAGES:
        raise Reporter().fail("ACC968", name=file, language=_LANGUAGES[suffix])
    if suffix == ".c":
        with tempfile.TemporaryDirectory(prefix="accache-") as folder:
            flags, target = split_flags(list(arguments))[0], values["output"]
            path, words, translation = translated(file, Path(folder), flags, arguments)
            if target is None or not target.endswith(".cu"):
                result, diagnostics = _bypass_code(str(path), words, values, choice, tools=tools, source=file)
            else:
                without = {**values, "output": None}
                result, diagnostics = _bypass_code(str(path), words, without, choice, tools=tools, source=file)
                diagnostics += write_cuda(file, target, flags, arguments, translation=translation, result=result)
        return result, (*translation.diagnostics, *diagnostics)
    if suffix not in (".cu", ".ptx"):
        return decide_for_trace(Path(file), choice, tools), ()
    return _bypass_code(file, arguments, values, choice, tools=tools)


def _bypass_code(
    file: str, arguments: tuple[str, ...], values: dict[str, Any], choice: Choice, *, tools: Tools, source: str = ""
) -> Told:
    """The same for CUDA and PTX; messages name the ``source`` that the file was made from, if there is one."""
    is_cuda = Path(file).suffix.lower() == ".cu"
    if values["measured"] is not None:
        decide = by_measurements(Path(values["measured"]), values["kernel"], choice)
    elif values["trace"] is not None:
        decide = by_trace(Path(values["trace"]), values["kernel"], choice, tools)
    elif is_cuda:
        flags = split_flags(list(arguments))[0]
        invocation = Invocation(file, flags, values["words"], source, gpu=choice.gpu)
        decide = by_run(invocation, values["kernel"], choice, tools)
    else:
        raise Reporter().fail("ACC964", name=file)
    output = values["output"]
    return (
        bypass_cuda(decide, file, output, arguments, name=source or file)
        if is_cuda
        else bypass_ptx(decide, file, output)
    )


def _check(file: str, arguments: tuple[str, ...], values: dict[str, Any]) -> None:
    """Refuse words that do not go together."""
    suffix = Path(file).suffix.lower()
    given = [f"--{name}" for name in ("trace", "measured", "variants") if values[name] is not None]
    if arguments and suffix not in (".cu", ".c", *_LANGUAGES):
        raise click.UsageError("ARGUMENTS are for nvcc, and FILE is no program")
    if "--variants" in given and suffix != ".cu":
        raise click.UsageError("--variants needs a .cu as FILE")
    if suffix not in (".cu", ".c", ".ptx", *_LANGUAGES) and (given or values["output"] is not None or values["kernel"]):
        raise click.UsageError("--trace, --kernel and -o need a .cu or .ptx as FILE")
    if suffix in (".cu", ".ptx") and str(values["output"]).endswith(".cu"):
        raise click.UsageError("CUDA C is written of C with OpenACC only: -o names PTX, or what nvcc makes")
    if len(given) > 1:
        raise click.UsageError(f"{given[0]} and {given[1]} do not go together")
    gpu = values["gpu"] or ("" if suffix in (".cu", ".c", ".ptx") else GPUS[0].name)
    if values["shared"] is not None and gpu and gpu_named(gpu).unified is None:
        raise click.UsageError(f"the L1 cache of {gpu} does not change with shared memory, as it does since v100")
    if "--variants" in given and values["output"] is not None:
        raise click.UsageError("--variants writes programs of its own: leave -o out")
    if "--measured" in given and values["weights"] == "paper":
        raise click.UsageError("--weights paper needs hits of each load, which a GPU does not count")
