"""The command ``accache``: it knows the names of its subcommands and loads the one that is asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click

from accache import __version__
from accache.base.imports import quick_imports
from accache.base.interruption import interruptible
from accache.base.spelling import similar
from accache.base.streams import guarded

# A command's module is read when the command runs, not for --help: what lies below costs time to import.
COMMANDS = {
    "translate": "Write the CUDA C of an OpenACC C program.",
    "cc": "Compile and link with the command line of gcc.",
    "run": "Translate a program, compile it and run it.",
    "fix": "Mend the directives of programs where the mend is known to be right.",
    "lsp": "Serve an editor: messages, mends and hints while a program is typed.",
    "serve": "Serve a playground with exercises to the browser.",
    "explain": "Tell what was decided for each cache directive, and why.",
    "model": "Predict hits and misses of the L1 cache from a memory trace.",
    "bypass": "Let loads of a kernel bypass the L1 cache where that saves traffic.",
    "suggest": "Tell which arrays are worth a copy in shared memory.",
    "preload": "Rewrite CUDA kernels so that they copy arrays into shared memory.",
    "cache": "Tell how much is kept for later calls, and take it away.",
    "doctor": "Tell what this machine has, and what that enables.",
}


class LazyGroup(click.Group):
    """A group whose commands are modules of this package, each with a command named ``command``."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command; a signal ends it and all it has started, a full or closed stream is an error."""
        with interruptible(), guarded("accache"):
            return super().main(*args, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        with quick_imports():
            command: click.Command = import_module(f"accache.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; of a name that is none, the one that is meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"no such command '{name}'{_meant(name)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _meant(name: str) -> str:
    """What follows in a message of a name that is no command."""
    if Path(name).suffix in (".c", ".cu"):
        return f": the command stands in front of the file, as in 'accache translate {name}'"
    hint = similar(name, COMMANDS)
    return f"; {hint}" if hint else f": choose from {', '.join(COMMANDS)}"


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="accache", message="%(prog)s %(version)s")
def main() -> None:
    """OpenACC C with the cache directive in, readable and verified CUDA C out.

    Exit status: 0 all is well, 1 the program cannot be translated, 2 the command line is wrong,
    3 run --check found a race or an access out of bounds, or run --compare or --ptx a difference,
    128 + N signal N ended it.
    """


if __name__ == "__main__":
    main()
