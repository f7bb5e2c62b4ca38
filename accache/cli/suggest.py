"""``accache suggest``: which arrays of a program are worth a copy in shared memory."""

from __future__ import annotations

import json
from typing import Any

import click

from accache.base.diagnostics import CompileError
from accache.base.options import OptionError, Options, default_compiler
from accache.cli.common import Talk, arguments_option, joined, preprocessor_flags, talk_from, talk_options, usage_error
from accache.cli.rewriting import density_option, gpu_option, write
from accache.l1.tools import compiled_tools
from accache.library.suggesting import SUGGESTED_GPUS, suggest
from accache.workflows.suggest.directives import applied, told


@click.command("suggest")
@click.argument("program")
@click.argument("compiling", metavar="[ARGUMENTS]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--kernel", default="", metavar="NAME", help="The kernel to tell of; else all that the run launches.")
@arguments_option()
@gpu_option("The GPU to suggest for.")
@density_option
@click.option(
    "--apply", "is_applied", is_flag=True, help="Write the cache directives that PROGRAM lacks into its text."
)
@click.option("-o", "--output", metavar="PATH", help="With --apply: write to PATH instead of standard output.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@talk_options
def command(program: str, compiling: tuple[str, ...], as_json: bool, **values: Any) -> None:
    """Tell which arrays of a program's kernels are worth a copy in shared memory, and why the others are not.

    PROGRAM is CUDA (.cu) or C with OpenACC (.c), whose cache directives are not obeyed. It runs on this CPU, and the
    first launch of each kernel is traced; nvcc compiles it with ARGUMENTS that stand after --.

    Thread density is the number of threads of a block for each element of the box that would be copied.

    With --apply PROGRAM is C with OpenACC, which is not run: what its references ask for is proved of the text.
    ARGUMENTS are a C compiler's -I, -D, -U and -std= then.
    """
    talk = talk_from(values)
    is_applied, output = values.pop("is_applied"), values.pop("output")
    if is_applied:
        if as_json or values["kernel"] or values["arguments"]:
            raise click.UsageError("--apply is for all kernels, which it does not run, and writes C")
        _apply(program, compiling, output, talk, values=values)
        return
    if output:
        raise click.UsageError("-o is for --apply")
    compiled_tools(own_process=True)
    try:
        found = suggest(program, compiling=joined(compiling), **values)
    except CompileError as error:
        raise talk.fail(error) from error
    except OptionError as error:
        raise usage_error(error) from error
    talk.tell(found.diagnostics)
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else str(found))


def _apply(program: str, compiling: tuple[str, ...], output: str | None, talk: Talk, *, values: dict[str, Any]) -> None:
    """Write the program with the directives that it lacks, and tell of each candidate."""
    flags = preprocessor_flags(compiling)
    unified = SUGGESTED_GPUS[values["gpu"]].unified
    arch = unified.architecture.name if unified is not None else Options().arch
    try:
        options = Options(
            auto_cache=True, density=values["density"], arch=arch, cc=default_compiler(), preprocessor=flags
        )
        found = applied(program, options)
        write(found.text, output)
    except CompileError as error:
        raise talk.fail(error) from error
    except OptionError as error:
        raise usage_error(error) from error
    talk.tell(found.diagnostics)
    if talk.form == "text" and not talk.quiet:
        click.echo("".join(f"{line}\n" for line in told(found)), err=True, nl=False)
