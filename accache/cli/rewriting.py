"""What the commands share that put copies of arrays into programs: density, GPU, and where the text goes."""

from __future__ import annotations

import click

from accache.cli.common import Decorator
from accache.library.suggesting import SUGGESTED_GPUS
from accache.workflows.suggest.directives import write_program

density_option: Decorator = click.option(
    "--density",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    help="The thread density from which on an array may be copied.",
)


def gpu_option(text: str) -> Decorator:
    """The option ``--gpu``; a GPU's name is a key of ``SUGGESTED_GPUS``."""
    return click.option("--gpu", type=click.Choice(list(SUGGESTED_GPUS)), default="h100", show_default=True, help=text)


def write(text: str, output: str | None) -> None:
    """Write a program to a file, or to standard output where there is none or ``-``."""
    if output is None or output == "-":
        click.echo(text.encode("utf-8", "surrogateescape"), nl=False)
    else:
        write_program(output, text)
