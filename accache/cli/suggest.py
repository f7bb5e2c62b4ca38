"""``accache suggest``: which arrays of a program are worth a copy in shared memory."""

from __future__ import annotations

import json
from typing import Any

import click

from accache.base.diagnostics import CompileError
from accache.base.options import OptionError
from accache.cli.common import joined, split_words, talk_from, talk_options, usage_error
from accache.l1.tools import compiled_tools
from accache.library.suggesting import SUGGESTED_GPUS, suggest


@click.command("suggest")
@click.argument("program")
@click.argument("compiling", metavar="[ARGUMENTS]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--kernel", default="", metavar="NAME", help="The kernel to tell of; else all that the run launches.")
@click.option(
    "--args",
    "arguments",
    default="",
    metavar="WORDS",
    callback=split_words,
    help="The arguments PROGRAM is called with.",
)
@click.option(
    "--gpu", type=click.Choice(list(SUGGESTED_GPUS)), default="h100", show_default=True, help="The GPU to suggest for."
)
@click.option(
    "--density",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    help="The thread density from which on an array may be copied.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@talk_options
def command(program: str, compiling: tuple[str, ...], as_json: bool, **values: Any) -> None:
    """Tell which arrays of a program's kernels are worth a copy in shared memory, and why the others are not.

    PROGRAM is CUDA (.cu) or C with OpenACC (.c), whose cache directives are not obeyed. It runs on this CPU, and the
    first launch of each kernel is traced; nvcc compiles it with ARGUMENTS that stand after --.

    Thread density is the number of threads of a block for each element of the box that would be copied.
    """
    talk = talk_from(values)
    compiled_tools(own_process=True)
    try:
        found = suggest(program, compiling=joined(compiling), **values)
    except CompileError as error:
        raise talk.fail(error) from error
    except OptionError as error:
        raise usage_error(error) from error
    talk.tell(found.diagnostics)
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else str(found))
