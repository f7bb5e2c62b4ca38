"""``accache doctor``: what this machine has, and what that enables."""

from __future__ import annotations

import json
import os

import click
from msgspec.structs import asdict

from accache.cli.common import COMPILE_ERROR
from accache.workflows.doctor import as_text, examine, healthy


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(as_json: bool) -> None:
    """Tell what this machine has of the tools that accache uses, and what each of them enables.

    The exit status is 1 if something is missing that accache cannot do without.
    """
    findings = examine(os.environ.get("CC") or "cc", os.environ.get("CXX") or "g++")
    text = json.dumps([asdict(finding) for finding in findings], indent=2) + "\n" if as_json else as_text(findings)
    click.echo(text, nl=False)
    raise click.exceptions.Exit(0 if healthy(findings) else COMPILE_ERROR)
