"""``accache cc``: a C compiler that knows OpenACC; also as a command of its own, ``accache-cc``."""

from __future__ import annotations

import re

import click
from click.shell_completion import CompletionItem

from accache.cc.console import HELP, run

OWN: tuple[str, ...] = tuple(dict.fromkeys(re.findall(r"(?<=\s)(?:--accache-[a-z-]+=?|--target|--check|-arch)", HELP)))
"""accache's own options, as the help names them."""


class CompilerDriver(click.Command):
    """A command whose words are a compiler's: click takes none of them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave all words as they are."""
        ctx.params["words"] = tuple(args)
        return []

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of files, and accache's own options; those of the C compiler are not known here."""
        if not incomplete.startswith("-"):
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(name) for name in OWN if name.startswith(incomplete)]


@click.command("cc", cls=CompilerDriver, add_help_option=False)
def command(words: tuple[str, ...]) -> None:
    """Compile and link with gcc's command line."""
    raise click.exceptions.Exit(run(words))
