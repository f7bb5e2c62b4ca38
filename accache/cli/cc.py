"""``accache cc``: a C compiler that knows OpenACC; also as a command of its own, ``accache-cc``."""

from __future__ import annotations

import click

from accache.cc.console import run


class CompilerDriver(click.Command):
    """A command whose words are a compiler's: click takes none of them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave all words as they are."""
        ctx.params["words"] = tuple(args)
        return []


@click.command("cc", cls=CompilerDriver, add_help_option=False)
def command(words: tuple[str, ...]) -> None:
    """Compile and link with gcc's command line."""
    raise click.exceptions.Exit(run(words))
