"""``accache fix``: mend the directives of programs where that is known to be right."""

from __future__ import annotations

import difflib
from typing import Any

import click

from accache.base.diagnostics import CompileError, Diagnostic, Reporter, Severity
from accache.base.options import Options
from accache.base.text import STDIN, SourceFile
from accache.cli.common import COMPILE_ERROR, FILE_NAME, CompilerCommand, options_from, translation_options
from accache.frontend.source.preprocess import read_source
from accache.workflows.fixes.offers import fixed, offered
from accache.workflows.suggest.directives import write_program


@click.command("fix", cls=CompilerCommand)
@click.argument("files", nargs=-1, required=True, type=FILE_NAME, metavar="FILE...")
@click.option(
    "--dry-run/--in-place",
    "is_dry",
    default=True,
    help="Print what would change, as a patch (the default), or change the files.",
)
@translation_options
def command(files: tuple[str, ...], is_dry: bool, **values: Any) -> None:
    """Mend what is wrong with the directives of each FILE; - is standard input, which is written to standard output.

    A mend is made if the program is known to translate with it, and the directive to do then what it meant. The
    diagnostics of all files are one list, or one log: with --in-place those that are left, else those there are.
    """
    options, talk = options_from(values)
    told: list[Diagnostic] = []
    sources: list[SourceFile] = []
    for file in files:
        try:
            source = read_source(file, Reporter())
            diagnostics, source = _mend(source, options, is_dry)
        except CompileError as error:
            told += error.diagnostics
        else:
            told += diagnostics
            sources.append(source)
    talk.tell(tuple(told), tuple(sources))
    if any(found.severity is Severity.ERROR for found in told):
        raise click.exceptions.Exit(COMPILE_ERROR)


def _mend(source: SourceFile, options: Options, is_dry: bool) -> tuple[tuple[Diagnostic, ...], SourceFile]:
    """Print the patch of a file, or write its text; what is told, and the text that it is told of."""
    found = fixed(source, options)
    if is_dry:
        click.echo(_patch(source, found.text).encode("utf-8", "surrogateescape"), nl=False)
        return offered(source, options), source
    if source.name == STDIN:
        click.echo(found.text.encode("utf-8", "surrogateescape"), nl=False)
    elif found.fixes:
        write_program(source.name, found.text)
    return found.diagnostics, SourceFile(source.name, found.text)


def _patch(source: SourceFile, text: str) -> str:
    """What changes, in the format of ``patch``."""
    before, after = source.text.splitlines(keepends=True), text.splitlines(keepends=True)
    lines = difflib.unified_diff(before, after, source.name, source.name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
