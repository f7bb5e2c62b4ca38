"""``accache translate``: OpenACC C in, CUDA C out."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from accache.base.diagnostics import CompileError
from accache.base.output import write_files
from accache.cli.common import FILE_NAME, CompilerCommand, options_from, translation_options
from accache.driver import PASSES, dump_after
from accache.frontend.source.preprocess import PreprocessOptions, make_rule
from accache.workflows.fixes.offers import translated_file


@click.command("translate", cls=CompilerCommand)
@click.argument("file", type=FILE_NAME)
@click.option("-o", "--output", metavar="PATH", type=FILE_NAME, help="Write to PATH instead of standard output.")
@click.option("--split", is_flag=True, help="Write two files, PATH.host.c for the C compiler and PATH.cu for nvcc.")
@click.option("--dump-after", "dump_after_pass", type=click.Choice(PASSES), help="Print what this pass made, and stop.")
@click.option("--MMD", "mmd", is_flag=True, help="Write a rule for make, too: the headers of the result, in PATH.d.")
@translation_options
def command(
    file: str, output: str | None, split: bool, dump_after_pass: str | None, *, mmd: bool, **values: Any
) -> None:
    """Translate FILE, C with OpenACC directives, to CUDA C; - is standard input.

    With --split, PATH is the name without suffix: by default that of FILE, in the current folder.
    """
    options, talk = options_from(values)
    paths = _paths(file, output, split)
    if mmd and (file == "-" or "-" in paths):
        raise click.UsageError("--MMD needs a FILE and -o PATH: the rule is called after them")
    try:
        if dump_after_pass:
            _write(((output or "-", dump_after(file, options, dump_after_pass)),))
            return
        translation = translated_file(file, options)
        joined = None if split else translation.joined
        rule = (
            make_rule(file, paths, PreprocessOptions(tuple(shlex.split(options.cc)), options.preprocessor))
            if mmd
            else ""
        )
    except CompileError as error:
        raise talk.fail(error) from error
    if not split and joined is None:  # all that there is to tell, in one document
        raise talk.fail(CompileError((*translation.diagnostics, *translation.refusals)))
    talk.tell(translation.diagnostics if split else (*translation.diagnostics, *translation.remarks))
    talk.summarise(translation)
    rules = ((str(Path(paths[-1]).with_suffix(".d")), rule),) if mmd else ()
    if split:
        _write((*zip(paths, (translation.host, translation.device), strict=True), *rules))
    elif joined is not None:
        _write(((paths[0], joined), *rules))


def _paths(file: str, output: str | None, split: bool) -> tuple[str, ...]:
    """Where the results go; - is standard output."""
    paths: tuple[str, ...] = (output or "-",)
    if split:
        base = output or Path(file).stem
        if base == "-":
            raise click.UsageError("--split needs -o PATH: it writes two files")
        stem = Path(base).with_suffix("") if Path(base).suffix in (".cu", ".c") else base
        paths = (f"{stem}.host.c", f"{stem}.cu")
    if any(path != "-" and file != "-" and Path(path).resolve() == Path(file).resolve() for path in paths):
        raise click.UsageError(f"the result would overwrite '{file}'")
    return paths


def _write(files: tuple[tuple[str, str], ...]) -> None:
    for path, text in files:
        if path == "-":
            click.echo(text.encode("utf-8", "surrogateescape"), nl=False)
    try:
        write_files(tuple((path, text) for path, text in files if path != "-"))
    except OSError as error:
        raise click.FileError(error.filename or files[0][0], error.strerror) from error
