"""``accache suggest``: which arrays of a program are worth a copy in shared memory."""

from __future__ import annotations

import json
from typing import Any

import click

from accache.base.diagnostics import CompileError, Reporter
from accache.cli.common import split_flags, split_words, talk_from, talk_options
from accache.l1.gpus import GPUS, KEPLER
from accache.l1.tools import PLAIN, compiled_tools
from accache.workflows.bypass.running import Invocation
from accache.workflows.suggest.program import suggest
from accache.workflows.suggest.report import as_record, as_text

_GPUS = {gpu.name: gpu for gpu in (KEPLER, *GPUS) if gpu is KEPLER or gpu.unified is not None}


@click.command("suggest")
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--kernel", default="", metavar="NAME", help="The kernel to tell of; else all that the run launches.")
@click.option(
    "--args", "words", default="", metavar="WORDS", callback=split_words, help="The arguments PROGRAM is called with."
)
@click.option(
    "--gpu", type=click.Choice(list(_GPUS)), default="h100", show_default=True, help="The GPU to suggest for."
)
@click.option(
    "--density",
    "threshold",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    help="The thread density from which on an array may be copied.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@talk_options
def command(program: str, arguments: tuple[str, ...], as_json: bool, **values: Any) -> None:
    """Tell which arrays of a program's kernels are worth a copy in shared memory, and why the others are not.

    PROGRAM is CUDA (.cu) or C with OpenACC (.c), whose cache directives are not obeyed. It runs on this CPU, and the
    first launch of each kernel is traced; nvcc compiles it with ARGUMENTS that stand after --.

    Thread density is the number of threads of a block for each element of the box that would be copied.
    """
    talk = talk_from(values)
    tools, reporter = compiled_tools(own_process=True), Reporter()
    if tools is None:
        reporter.report("ACC808")
    invocation = Invocation(program, split_flags(list(arguments))[0], values["words"], compiling=arguments)
    gpu, threshold = _GPUS[values["gpu"]], values["threshold"]
    try:
        found, told = suggest(invocation, values["kernel"], gpu, threshold, tools or PLAIN)
    except CompileError as error:
        raise talk.fail(error) from error
    talk.tell((*reporter.diagnostics, *told))
    if as_json:
        click.echo(json.dumps(as_record(program, gpu.name, threshold, found), indent=2))
    else:
        click.echo(as_text(program, gpu.name, found), nl=False)
