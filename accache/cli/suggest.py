"""``accache suggest``: which arrays of a program are worth a copy in shared memory."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import click

from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import OptionError
from accache.base.progress import working
from accache.cli.common import (
    FILE_NAME,
    Talk,
    arguments_option,
    joined,
    preprocessor_flags,
    talk_from,
    talk_options,
    usage_error,
)
from accache.cli.rewriting import density_option, gpu_option, write
from accache.l1.tools import compiled_tools
from accache.library.launches import flags_of
from accache.library.suggesting import SUGGESTED_GPUS, suggest
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import preload
from accache.workflows.preload.report import told as told_of_kernels
from accache.workflows.suggest.directives import applied, told, told_of_text
from accache.workflows.suggest.program import planning
from accache.workflows.suggest.report import notes


@click.command("suggest")
@click.argument("program", type=FILE_NAME)
@click.argument("compiling", metavar="[ARGUMENTS]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--kernel", default="", metavar="NAME", help="The kernel to tell of; else all that the run launches.")
@arguments_option()
@gpu_option("The GPU to suggest for.")
@density_option
@click.option(
    "--apply", "is_applied", is_flag=True, help="Write the cache directives that PROGRAM lacks into its text."
)
@click.option(
    "-o", "--output", metavar="PATH", type=FILE_NAME, help="With --apply: write to PATH instead of standard output."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@talk_options
def command(program: str, compiling: tuple[str, ...], as_json: bool, **values: Any) -> None:
    """Tell which arrays of a program's kernels are worth a copy in shared memory, and why the others are not.

    PROGRAM is CUDA (.cu) or C with OpenACC (.c), whose cache directives are not obeyed. It runs on this CPU, and the
    first launch of each kernel is traced; nvcc compiles it with ARGUMENTS that stand after --.

    Without nvcc there is no trace: what the text alone proves is told then, and that the trace is missing. --json and
    --kernel need one.

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
        with working("looking for arrays that are worth a copy"):
            found = suggest(program, compiling=joined(compiling), **values)
    except CompileError as error:
        lacks_nvcc = Path(program).suffix in (".c", ".cu") and shutil.which("nvcc") is None
        if lacks_nvcc and error.diagnostics[-1].code == "ACC601":
            _tell_of_text(program, flags_of(joined(compiling)), values, talk, as_json=as_json)
            return
        raise talk.fail(error) from error
    except OptionError as error:
        raise usage_error(error) from error
    talk.tell(found.diagnostics if talk.form == "text" else (*found.diagnostics, *notes(program, found.kernels)))
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else str(found))


def _tell_of_text(program: str, flags: tuple[str, ...], values: dict[str, Any], talk: Talk, *, as_json: bool) -> None:
    """Tell what the text proves: of CUDA the copies of accache preload, of C the directives of --apply."""
    reporter = Reporter()
    option = "--json" if as_json else "--kernel" if values["kernel"] else ""
    if option:
        raise talk.fail(reporter.fail("ACC991", option=option))
    gpu = SUGGESTED_GPUS[values["gpu"]]
    reporter.report("ACC988")
    try:
        if Path(program).suffix == ".cu":
            invocation = Invocation(program, flags, values["arguments"], compiling=flags, gpu=gpu)
            kernels = preload(invocation, gpu, values["density"], None, reporter=reporter)
            text, diagnostics = told_of_kernels(kernels, gpu), kernels.diagnostics
        else:
            lines, more = told_of_text(program, planning(gpu, values["density"], flags))
            text = "".join(f"{line}\n" for line in lines)
            diagnostics = (*reporter.diagnostics, *more)
    except CompileError as error:
        raise talk.fail(error) from error
    talk.tell(diagnostics)
    click.echo(text or f"{program}: its text has no candidates\n", nl=False)


def _apply(program: str, compiling: tuple[str, ...], output: str | None, talk: Talk, *, values: dict[str, Any]) -> None:
    """Write the program with the directives that it lacks, and tell of each candidate."""
    flags = preprocessor_flags(compiling)
    try:
        found = applied(program, planning(SUGGESTED_GPUS[values["gpu"]], values["density"], flags))
        write(found.text, output)
    except CompileError as error:
        raise talk.fail(error) from error
    except OptionError as error:
        raise usage_error(error) from error
    talk.tell(found.diagnostics)
    if talk.form == "text" and not talk.quiet:
        density = f"{values['density']:g}"
        nothing = f"{program}: nothing is written: each kernel has directives, or no array of thread density {density}"
        click.echo("\n".join(told(found)) or nothing, err=True)
