"""``accache preload``: CUDA kernels rewritten so that blocks copy what their threads share into shared memory."""

from __future__ import annotations

import json
from typing import Any

import click
from click.core import ParameterSource

from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import MOST
from accache.base.plain import plain
from accache.cli.common import FILE_NAME, Talk, arguments_option, preprocessor_flags, talk_from, talk_options
from accache.cli.rewriting import density_option, gpu_option, write
from accache.library.suggesting import SUGGESTED_GPUS
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import preload
from accache.workflows.preload.report import as_record, notes, told
from accache.workflows.private_lines.rewriting import Lines, give_lines


def _block(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[int, int, int] | None:
    """``X,Y,Z`` as three extents."""
    if text is None:
        return None
    words = text.split(",")
    if not 1 <= len(words) <= 3 or not all(word.isdigit() and int(word) > 0 for word in words):
        raise click.BadParameter("up to three extents, as 16,16")
    x, y, z = (*map(int, words), 1, 1)[:3]
    if x * y * z > 1024:
        raise click.BadParameter("a block has at most 1024 threads")
    return x, y, z


@click.command("preload")
@click.argument("program", type=FILE_NAME)
@click.argument("compiling", metavar="[ARGUMENTS]...", nargs=-1, type=click.UNPROCESSED)
@click.option("-o", "--output", metavar="PATH", type=FILE_NAME, help="Write to PATH instead of standard output.")
@arguments_option()
@click.option(
    "--block",
    callback=_block,
    metavar="X[,Y[,Z]]",
    help="The block of all kernels; else PROGRAM runs, and its launches tell.",
)
@gpu_option("The GPU to rewrite for.")
@density_option
@click.option("--private", "by_lines", is_flag=True, help="Give each thread lines of its own instead.")
@click.option(
    "--parameter",
    "parameters",
    metavar="NAME",
    multiple=True,
    help="With --private, a parameter that has a line; may be repeated. Else all that can.",
)
@click.option(
    "--private-line",
    type=click.Choice(("16", "32")),
    default="16",
    show_default=True,
    help="With --private, the bytes of a line.",
)
@click.option(
    "--private-calls",
    type=click.IntRange(min=0, max=MOST["private_calls"]),
    default=300,
    show_default=True,
    help="With --private, accesses after which threads know which lines pay; 0: the first parameters have them.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the decisions as one JSON object; the program needs -o then."
)
@talk_options
def command(program: str, compiling: tuple[str, ...], output: str | None, by_lines: bool, **values: Any) -> None:
    """Rewrite the kernels of a CUDA program so that blocks copy what their threads share into shared memory.

    PROGRAM runs on this CPU, so that the blocks of its launches are known. Each kernel stays; a second version of it is
    launched where what that takes for granted holds. ARGUMENTS are -I, -D, -U and -std= behind --.

    With --private threads do not share: each keeps lines of the arrays that it goes through, and nothing is run.
    """
    talk: Talk = talk_from(values)
    flags = preprocessor_flags(compiling)
    gpu = SUGGESTED_GPUS[values["gpu"]]
    reporter = Reporter()
    as_json: bool = values["as_json"]
    if not by_lines:
        _refuse_options_of_lines()
    if by_lines:
        if as_json:
            raise click.UsageError("--json is of copies, not of --private")
        _give_lines(program, flags, output, values, talk=talk)
        return
    try:
        invocation = Invocation(program, flags, values["arguments"], compiling=flags, gpu=gpu)
        found = preload(invocation, gpu, values["density"], values["block"], reporter=reporter)
        if output is not None or not as_json:
            write(found.text, output)
    except CompileError as error:
        raise talk.fail(error) from error
    talk.tell(found.diagnostics if talk.form == "text" else (*found.diagnostics, *notes(found, gpu)))
    if as_json:
        click.echo(json.dumps(plain(as_record(found, gpu, values["density"])), indent=2))
    elif talk.form == "text" and not talk.quiet:
        click.echo(told(found, gpu), err=True, nl=False)


def _refuse_options_of_lines() -> None:
    """A usage error for what only --private takes."""
    context = click.get_current_context()
    for name in ("parameters", "private_line", "private_calls"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(each.opts[0] for each in context.command.params if each.name == name)
            raise click.UsageError(f"{option} needs --private")


def _give_lines(
    program: str, flags: tuple[str, ...], output: str | None, values: dict[str, Any], *, talk: Talk
) -> None:
    """Rewrite the kernels of a program whose parameters can have lines of each thread's own."""
    reporter = Reporter()
    lines = Lines(int(values["private_line"]), values["private_calls"], values["parameters"])
    try:
        text, kernels = give_lines(program, flags, lines, reporter)
        write(text, output)
    except CompileError as error:
        raise talk.fail(error) from error
    talk.tell(tuple(reporter.diagnostics))
    if talk.form == "text" and not talk.quiet:
        told = f"lines for {', '.join(kernels)}" if kernels else "no kernel has lines"
        click.echo(f"{program}: {told}", err=True)
