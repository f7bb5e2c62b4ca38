"""``accache explain``: what was decided for each cache directive, and why."""

from __future__ import annotations

import json
from typing import Any

import click

from accache.base.diagnostics import CompileError
from accache.cli.common import CompilerCommand, options_from, translation_options
from accache.workflows.fixes.offers import translated_file


@click.command("explain", cls=CompilerCommand)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@translation_options
def command(file: str, as_json: bool, **values: Any) -> None:
    """Tell what accache decides for each cache directive of FILE, and why; - is standard input."""
    options, talk = options_from(values)
    try:
        translation = translated_file(file, options)
    except CompileError as error:
        raise talk.fail(error) from error
    talk.tell(translation.diagnostics)
    report = translation.report
    click.echo(json.dumps(report.to_dict(), indent=2) if as_json else str(report))
