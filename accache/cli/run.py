"""``accache run``: translate, compile, run, on this CPU or on a GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from accache.cli.common import FINDINGS, CompilerCommand, options_from, translation_options
from accache.diagnostics import CompileError
from accache.driver import run as run_translation
from accache.driver import translate


@click.command("run", cls=CompilerCommand)
@click.argument("file")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--target",
    type=click.Choice(("cpu", "cuda")),
    default="cpu",
    show_default=True,
    help="Run the kernels on this CPU (needs g++) or on a GPU (needs nvcc).",
)
@click.option("--check", is_flag=True, help="Look for races and accesses out of bounds; exit with 3 if there are any.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The order of threads on the CPU."
)
@translation_options
def command(file: str, arguments: tuple[str, ...], target: str, check: bool, seed: int, **values: Any) -> None:
    """Translate FILE, compile the result and run it with ARGUMENTS, which stand after --.

    The exit status is the program's own; a program that a signal ended gives 128 + its number, as in a shell.
    """
    options, talk = options_from(values)
    try:
        translation = translate(file, replace(options, line=True))
        if talk.form == "text":
            talk.tell(translation.diagnostics)
            talk.summarise(translation.report.short())
        execution = run_translation(translation, options, arguments, target=target, check=check, seed=seed)
    except CompileError as error:
        raise talk.fail(error) from error
    talk.tell(execution.findings if talk.form == "text" else translation.diagnostics + execution.findings)
    if execution.findings:
        raise click.exceptions.Exit(FINDINGS)
    raise click.exceptions.Exit(execution.status if execution.status >= 0 else 128 - execution.status)
