"""Write the manual pages and the completions of shells from the commands themselves: ``make manual``."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.shell_completion import FishComplete, ShellComplete, ZshComplete
from click_man.core import generate_man_page

from accache import __version__
from accache.cc.console import HELP
from accache.cli.main import COMMANDS, main

YEAR = "2026"
"""The date of the pages, which are the same on every day."""


class Bash(ShellComplete):
    """The completion of bash, 4.4 or later; click's own class runs the bash that is there to see its version."""

    name = "bash"
    source_template = click.shell_completion.BashComplete.source_template


SHELLS: dict[str, type[ShellComplete]] = {"accache": Bash, "_accache": ZshComplete, "accache.fish": FishComplete}
"""The files of completions by the names under which shells look for them."""


def pages() -> dict[str, str]:
    """The manual pages by their files' names."""
    with click.Context(main, info_name="accache") as context:
        main.short_help = str(main.help).partition("\n")[0]
        for name, summary in COMMANDS.items():
            command = main.get_command(context, name)
            assert command is not None
            command.short_help = summary
            main.add_command(command, name)
        found = {"accache.1": generate_man_page(context, __version__, YEAR)}
        for name, command in main.commands.items():
            with click.Context(command, info_name=name, parent=context) as inner:
                found[f"accache-{name}.1"] = generate_man_page(inner, __version__, YEAR)
    found["accache-cc.1"] = compiler_page(found["accache-cc.1"])
    return found


def compiler_page(page: str) -> str:
    """The page of ``accache cc``, whose options click does not know: its help, laid out as it is."""
    usage, _, rest = HELP.partition("\n\n")
    about, _, options = rest.partition("Options of accache:\n")
    head = page.partition(".SH SYNOPSIS")[0]
    synopsis = usage.removeprefix("Usage: accache cc ")
    return (
        f"{head}.SH SYNOPSIS\n.B accache cc\n{roff(synopsis)}\n.br\n.B accache\\-cc\n{roff(synopsis)}\n"
        f".SH DESCRIPTION\n{roff(about.strip())}\n.SH OPTIONS OF ACCACHE\n{option_list(options)}\n"
    )


def option_list(text: str) -> str:
    """The options of a help in roff: names at the begin of a line, and what they do behind or below them."""
    lines = []
    for line in text.splitlines():
        names, _, meaning = line.strip().partition("  ")
        if line.startswith("  -"):
            more = bool(lines) and lines[-1].startswith("\\fB")
            for tag, name in enumerate(names.removesuffix(",").split(", ")):
                lines += [".TQ" if more or tag else ".TP", f"\\fB{roff(name)}\\fP"]
        else:
            meaning = line if line.startswith(" " * 24) or not line else f".PP\n{line}"
        lines += [roff(meaning.strip())] if meaning.strip() else []
    return "\n".join(lines)


def roff(text: str) -> str:
    """A text as roff has it: an empty line parts paragraphs, and a hyphen is that of the keyboard."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("\n\n", "\n.PP\n")


def completions() -> dict[str, str]:
    """The completions by their files' names."""
    return {name: shell(main, {}, "accache", "_ACCACHE_COMPLETE").source() for name, shell in SHELLS.items()}


def write(folder: Path) -> None:
    """Write all files below a folder."""
    for name, files in (("man", pages()), ("completion", completions())):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / name / file).write_text(text.rstrip("\n") + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
