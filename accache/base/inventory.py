"""What there is in the cache folder: how much of what, since when nobody used it, and taking it away.

Only what has the place and the name of something that accache keeps counts as such, whatever it contains: other files,
links, and what belongs to others are told of and stay, because ACCACHE_CACHE_DIR may name any folder.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from msgspec import Struct

from accache.base.store import BUILDING, FOLDER, HOUR, LOCK, WRITING, discard, locked, reason_of

# the folders in the cache folder, and what is in them
KINDS = {
    "calls": "objects of unchanged calls of accache cc",
    "modules": "bytecode of accache itself",
    "translations": "programs that accache cc translated",
    "constructs": "constructs of programs that accache cc translated",
    "objects": "kernels that accache cc compiled",
    "cpu": "the run-time library and its headers, compiled for this CPU",
    "ptx": "kernels in PTX, compiled for this CPU",
    "cuda": "the run-time library, compiled for GPUs",
    "numba": "the model of the L1 cache, compiled for this CPU",
    "templates": "templates, compiled for Python",
    "linearity": "answers of computer algebra",
    "counts": "closed forms of counts, and which of two is less",
}

_SHARD = re.compile(r"[0-9a-f]")
_STORE = re.compile(r"[0-9a-f]{16}")  # a folder of shards within a kind
_ENTRY = re.compile(r"[0-9a-f]{39,63}")  # a hash without its first digit, in a shard
_HALF_ENTRY = re.compile(rf"{WRITING}\w+|[0-9a-f]{{39,63}}\.\d+")
_HALF_FOLDER = re.compile(rf"{BUILDING}\w+")


class Entry(Struct, frozen=True):
    """A file or a folder that is kept: its kind, its bytes, and when it was used last, in seconds since 1970."""

    path: Path
    kind: str
    size: int
    used: float
    is_folder: bool


class Inventory(Struct, frozen=True):
    """What accache keeps, and what lies there that is not accache's to delete."""

    entries: tuple[Entry, ...]
    strange: tuple[Path, ...]

    @property
    def size(self) -> int:
        """Bytes of all entries."""
        return sum(entry.size for entry in self.entries)


class Removal(Struct, frozen=True):
    """What was taken away, and the kinds whose folders a running process may use, so that they stayed."""

    removed: tuple[Entry, ...]
    in_use: tuple[str, ...]


def inventory(folder: Path) -> Inventory:
    """Look through a cache folder that is the user's; what is being written now is neither kept nor strange.

    Raises OSError where there is no reading it.
    """
    found: list[Entry | Path] = []
    for each in _listed(folder) if folder.exists() else ():
        path = Path(each.path)
        found += _of_kind(path, each.name) if each.name in KINDS and _is_own(each, stat.S_ISDIR) else [path]
    entries = tuple(each for each in found if isinstance(each, Entry))
    # what went away meanwhile looks strange, too
    return Inventory(entries, tuple(each for each in found if isinstance(each, Path) and os.path.lexists(each)))


def take_away(entries: Iterable[Entry], limit: int | None = None) -> Removal:
    """Delete entries, beginning with the one that was not used for longest, until at most ``limit`` bytes are left.

    Without a limit all go. A process that is reading an entry has it open, and one that was about to makes it again.
    Folders that a process may use by their names stay.
    """
    ordered = sorted(entries, key=lambda entry: (entry.used, entry.path))
    total, removed, busy = sum(entry.size for entry in ordered), list[Entry](), dict[str, None]()
    with ExitStack() as stack:
        alone = _locked_kinds(ordered, stack)
        for entry in ordered:
            if limit is not None and total <= limit:
                break
            if entry.is_folder and entry.path.parent not in alone:
                busy[entry.kind] = None
            elif _is_deleted(entry):
                removed.append(entry)
                total -= entry.size
    return Removal(tuple(removed), tuple(busy))


def _locked_kinds(entries: Iterable[Entry], stack: ExitStack) -> set[Path]:
    """The folders around kept folders that nobody else uses, and nobody will before the stack is left."""
    alone = set()
    for parent in {entry.path.parent for entry in entries if entry.is_folder}:
        descriptor = locked(parent, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if descriptor is not None:
            stack.callback(os.close, descriptor)
            alone.add(parent)
    return alone


def _is_deleted(entry: Entry) -> bool:
    if entry.is_folder:
        discard(entry.path)
    else:
        with suppress(OSError):
            entry.path.unlink()
    return not os.path.lexists(entry.path)


def _of_kind(folder: Path, kind: str) -> Iterator[Entry | Path]:
    """What is in the folder of a kind: shards of entries, perhaps below a folder of their own, and kept folders."""
    for each in _listed(folder):
        path = Path(each.path)
        if each.name == LOCK and _is_own(each, stat.S_ISREG):
            continue
        if not _is_own(each, stat.S_ISDIR):
            yield path
        elif _SHARD.fullmatch(each.name):
            yield from _of_shard(path, kind)
        elif _STORE.fullmatch(each.name) and folder.name == kind:
            yield from _of_kind(path, kind)
        elif FOLDER.fullmatch(each.name) or (_HALF_FOLDER.fullmatch(each.name) and _is_left_over(each)):
            yield Entry(path, kind, _size(path), each.stat(follow_symlinks=False).st_mtime, is_folder=True)
        elif not _HALF_FOLDER.fullmatch(each.name):
            yield path


def _of_shard(folder: Path, kind: str) -> Iterator[Entry | Path]:
    for each in _listed(folder):
        is_own, is_half = _is_own(each, stat.S_ISREG), _HALF_ENTRY.fullmatch(each.name)
        if is_own and (_ENTRY.fullmatch(each.name) or (is_half and _is_left_over(each))):
            status = each.stat(follow_symlinks=False)
            yield Entry(Path(each.path), kind, status.st_size, status.st_mtime, is_folder=False)
        elif not (is_own and is_half):
            yield Path(each.path)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda each: each.name)


def _is_own(found: os.DirEntry[str], has_type: Callable[[int], bool]) -> bool:
    """Whether a file, no link, has this type and is the user's own, and can be read if it is a folder."""
    try:
        status = found.stat(follow_symlinks=False)
    except OSError:
        return False
    can_enter = stat.S_ISREG(status.st_mode) or os.access(found.path, os.R_OK | os.X_OK)
    return has_type(status.st_mode) and reason_of(status) is None and can_enter


def _is_left_over(found: os.DirEntry[str]) -> bool:
    """Whether what was to be finished has waited for an hour: who wrote it was killed."""
    return found.stat(follow_symlinks=False).st_mtime < time.time() - HOUR


def _size(folder: Path) -> int:
    """Bytes of the files in a folder, which may be about to go."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(where) / name).lstat().st_size
    return total
