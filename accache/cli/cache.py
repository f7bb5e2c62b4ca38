"""``accache cache``: what is kept for later calls, and taking it away."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from pathlib import Path

import click

from accache.base.inventory import KINDS, Entry, Inventory, inventory, take_away
from accache.base.store import advice_against, cache_folder

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?([KMGT]?)(i?B)?", re.IGNORECASE)
_SHOWN = 5  # files that are not accache's


def _bytes(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """A number of bytes with a unit as GNU's tools read it: 1K is 1KiB, 1024 bytes, and 1KB is 1000."""
    if value is None:
        return None
    found = _SIZE.fullmatch(value)
    if found is None:
        raise click.BadParameter(f"'{value}' is no size: write 500M, 2G or a number of bytes")
    number, unit, ending = found.groups()
    base = 1000 if (ending or "").upper() == "B" else 1024
    return int(float(number) * base ** ("KMGT".index(unit.upper()) + 1 if unit else 0))


@click.command("cache")
@click.option("--stats", is_flag=True, help="Tell what is kept; so does the command without options.")
@click.option("--clear", is_flag=True, help="Delete all that is kept.")
@click.option(
    "--limit",
    callback=_bytes,
    metavar="SIZE",
    help="Delete what was not used for longest, until at most SIZE is left: 500M, 2G, or a number of bytes.",
)
def command(stats: bool, clear: bool, limit: int | None) -> None:
    """Tell what accache keeps for later calls in its folder of the user's cache, or delete it.

    Deleting is safe while accache runs: folders that a running process may use stay. Nothing is lost but time.
    """
    if stats + clear + (limit is not None) > 1:
        raise click.UsageError("--stats, --clear and --limit exclude each other.")
    folder = cache_folder()
    if advice := advice_against(folder):
        raise click.ClickException(advice)
    try:
        found = inventory(folder)
    except OSError as error:
        raise click.FileError(str(folder), error.strerror) from error
    if clear or limit is not None:
        _delete(found, limit)
    else:
        click.echo(_table(folder, found), nl=False)
    _tell_of_strange(found.strange)


def _table(folder: Path, found: Inventory) -> str:
    """A line a kind, and their sum."""
    lines = [str(folder), f"{'kind':<12} {'entries':>8} {'bytes':>15}  unused since"]
    for kind, what in KINDS.items():
        entries = [entry for entry in found.entries if entry.kind == kind]
        if entries:
            lines.append(f"{_amounts(kind, entries)}  {what}")
    lines.append(_amounts("total", found.entries))
    return "\n".join(lines) + "\n"


def _amounts(name: str, entries: Iterable[Entry]) -> str:
    """How many entries, how many bytes, and since when at least one of them was not used."""
    used, sizes = [entry.used for entry in entries], [entry.size for entry in entries]
    since = time.strftime("%Y-%m-%d %H:%M", time.localtime(min(used))) if used else "-"
    return f"{name:<12} {len(sizes):>8,} {sum(sizes):>15,}  {since:<16}"


def _delete(found: Inventory, limit: int | None) -> None:
    gone = take_away(found.entries, limit)
    freed = sum(entry.size for entry in gone.removed)
    click.echo(f"deleted {len(gone.removed):,} entries, {freed:,} bytes; {found.size - freed:,} bytes are left")
    if gone.in_use:
        click.echo(f"accache is running and may use them, so these stayed: {', '.join(gone.in_use)}", err=True)


def _tell_of_strange(paths: tuple[Path, ...]) -> None:
    """Tell what is no entry, and is never deleted."""
    for path in paths[:_SHOWN]:
        click.echo(f"left alone, accache did not make it, or others can write it: {path}", err=True)
    if len(paths) > _SHOWN:
        click.echo(f"and {len(paths) - _SHOWN:,} more", err=True)
