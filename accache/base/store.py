"""Results kept in the user's cache folder under a key that tells all they depend on: entries, and whole folders.

Only what the user owns and nobody else can write is used. Each entry has a checksum, each folder a list of them: what
was damaged is made again.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

LIMIT = 512 << 20  # bytes
HOUR = 3600  # seconds
_MONTH = 30 * 24 * HOUR
_SHARDS = 16  # one a first digit of the key
_KEPT = 0.8  # of the limit, after old entries have gone
WRITING, BUILDING = "writing-", "building-"  # what is not finished yet
_FORMAT = ".1"  # the end of a kept folder's name: older versions of accache had no lists in theirs
FOLDER = re.compile(r"(?:[a-z]+-)?[0-9a-f]{16,64}\.\d+")  # the names of kept folders
_CONTENTS = ".contents"  # in a kept folder: size, time and checksum of each file
_CHECKSUM = hashlib.sha256().digest_size
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
LOCK = ".lock"  # beside kept folders: who uses one holds it, and nobody takes folders away meanwhile
_made_here: dict[Path, Path] = {}  # what could not be kept, for as long as the process lasts
_held: dict[Path, int] = {}  # the locks of this process, which it keeps to its end


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where accache keeps what it made: ACCACHE_CACHE_DIR, or its folder in the user's cache."""
    named = environment.get("ACCACHE_CACHE_DIR")
    if named:
        return Path(named)
    base = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 (this one never fails)
    return Path(base) / "accache"


def reason_against(folder: Path) -> str | None:
    """Why nothing is kept in a folder; None where it may be, or where it does not exist yet."""
    try:
        status = folder.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return error.strerror or str(error)
    if not stat.S_ISDIR(status.st_mode):
        return "it is no folder"
    return reason_of(status)


def advice_against(folder: Path) -> str | None:
    """That nothing is kept in a folder, why, and what to do about it; None where it may be used."""
    reason = reason_against(folder)
    return None if reason is None else f"{folder} is not used, {reason}: set ACCACHE_CACHE_DIR, or mend it"


def reason_of(status: os.stat_result) -> str | None:
    """Why what has this status is not used; None where the user owns it and nobody else can write it."""
    if status.st_uid != os.geteuid():
        return "another user owns it"
    return "other users can write there" if status.st_mode & _OTHERS_WRITE else None


def _own_part(folder: Path) -> list[Path]:
    """A folder and those around it, from the cache folder on: the outermost first."""
    root = cache_folder()
    return [*(each for each in reversed(folder.parents) if each.is_relative_to(root)), folder]


def _is_trusted(folder: Path) -> bool:
    return all(reason_against(each) is None for each in _own_part(folder))


def _make(folder: Path) -> None:
    """Make a folder that only the user can enter; raises OSError, also where it would not be the user's alone."""
    for each in _own_part(folder):
        each.parent.mkdir(parents=True, exist_ok=True)
        each.mkdir(mode=0o700, exist_ok=True)
        if reason := reason_against(each):
            raise PermissionError(reason)


class Store(Struct, frozen=True):
    """Byte strings by hexadecimal keys, at most ``limit`` bytes of them; what was not used for longest goes first.

    Several processes may use a folder at a time: an entry is there whole or not at all. A folder that
    cannot be read or written, or in which others can write, keeps nothing, which is no error.
    """

    folder: Path
    limit: int = LIMIT

    def get(self, key: str) -> bytes | None:
        """What was kept under a key, if it is still there."""
        path = self._path(key)
        if not _is_trusted(path.parent):
            return None
        try:
            with path.open("rb") as stream:
                trusted = reason_of(os.fstat(stream.fileno())) is None
                checksum, data = stream.read(_CHECKSUM), stream.read()
        except OSError:
            return None
        if not trusted or checksum != hashlib.sha256(data).digest():
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep data under a key."""
        path = self._path(key)
        with suppress(OSError):
            _make(path.parent)
            _write_whole(path, hashlib.sha256(data).digest() + data)
            self._drop_oldest(path.parent)

    def _path(self, key: str) -> Path:
        return self.folder / key[0] / key[1:]

    def _drop_oldest(self, shard: Path) -> None:
        """Bring a shard back below its part of the limit; the newest entry stays in any case."""
        _remove_left_over(shard, WRITING)
        entries = sorted((entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in os.scandir(shard))
        total, share = sum(size for _, size, _ in entries), self.limit / _SHARDS
        if total <= share:
            return
        for _, size, path in entries[:-1]:
            if total <= _KEPT * share:
                break
            with suppress(FileNotFoundError):
                Path(path).unlink()
            total -= size


def _write_whole(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=WRITING, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def kept_folder(folder: Path, fill: Callable[[Path], None]) -> Path:
    """A folder that ``fill`` has filled, now or long ago; its name tells all that the contents depend on.

    Where nothing can be kept the result is another folder, which lasts as long as this process.
    Neighbours that nobody has used for a month are deleted when a new one comes and no other process is running that
    uses one. As long as this process runs nobody else deletes any of them (``inventory.take_away``).
    """
    folder = folder.with_name(f"{folder.name}{_FORMAT}")
    if folder in _made_here:
        return _made_here[folder]
    _hold(folder.parent)
    if _is_trusted(folder) and folder.is_dir():
        if _is_whole(folder):
            with suppress(OSError):
                os.utime(folder)
            return folder
        discard(folder)
    work = _working_folder(folder.parent)
    try:
        fill(work)
        _list_contents(work)
        kept = _publish(work, folder)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    if kept != folder:
        _made_here[folder] = kept
        atexit.register(shutil.rmtree, kept, ignore_errors=True)
    return kept


def locked(parent: Path, how: int) -> int | None:
    """Lock the kept folders in ``parent`` until the descriptor is closed; None where that cannot be.

    ``how`` is of fcntl: LOCK_SH to use them, LOCK_EX to take some away.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    try:
        descriptor = os.open(parent / LOCK, flags, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _hold(parent: Path) -> None:
    """Let nobody take away a kept folder that this process may use, as long as it runs."""
    if parent in _held:
        return
    with suppress(OSError):
        _make(parent)
        descriptor = locked(parent, fcntl.LOCK_SH)
        if descriptor is not None:
            _held[parent] = descriptor


def _list_contents(folder: Path) -> None:
    """Note what each file of a new folder has, and let nobody else write it."""
    contents = {}
    for path in sorted(folder.rglob("*")):
        path.chmod(path.stat().st_mode & 0o7777 & ~_OTHERS_WRITE)
        if path.is_file():
            status = path.stat()
            contents[path.relative_to(folder).as_posix()] = [status.st_size, status.st_mtime_ns, _checksum(path)]
    (folder / _CONTENTS).write_text(json.dumps(contents))
    (folder / _CONTENTS).chmod(0o600)


def _is_whole(folder: Path) -> bool:
    """Whether all files are as they were when the folder was made: the user's own, and undamaged."""
    try:
        contents = json.loads((folder / _CONTENTS).read_bytes())
        own = reason_of((folder / _CONTENTS).stat()) is None
        return own and all(_is_unchanged(folder / name, *noted) for name, noted in contents.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return False


def _is_unchanged(path: Path, size: int, changed: int, checksum: str) -> bool:
    """Whether a file has its old contents; they are read only where it was written since."""
    status = path.stat()
    if reason_of(status) is not None or status.st_size != size:
        return False
    return status.st_mtime_ns == changed or _checksum(path) == checksum


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def discard(folder: Path) -> None:
    """Take a damaged folder away at once: another process finds all of it or nothing."""
    with suppress(OSError):
        aside = Path(tempfile.mkdtemp(prefix=BUILDING, dir=folder.parent))
        folder.rename(aside / folder.name)
        shutil.rmtree(aside, ignore_errors=True)


def _working_folder(parent: Path) -> Path:
    try:
        _make(parent)
        _remove_left_over(parent, BUILDING)
        return Path(tempfile.mkdtemp(prefix=BUILDING, dir=parent))
    except OSError:
        return Path(tempfile.mkdtemp(prefix="accache-runtime-"))


def _remove_left_over(folder: Path, prefix: str) -> None:
    """Remove what processes that were killed have left in a folder an hour ago."""
    half = re.compile(rf"{prefix}\w{{8}}")  # as tempfile names them
    for path in (each for each in folder.iterdir() if half.fullmatch(each.name)):
        with suppress(OSError):
            status = path.lstat()
            if status.st_uid != os.geteuid() or status.st_mtime > time.time() - HOUR:
                continue
            if stat.S_ISDIR(status.st_mode):
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def _publish(work: Path, folder: Path) -> Path:
    """Give a finished folder its name in one step, if it can have one; another process may have been faster."""
    if work.parent != folder.parent:
        return work
    try:
        work.rename(folder)
    except OSError:
        if not _is_trusted(folder) or not _is_whole(folder):
            return work
        shutil.rmtree(work, ignore_errors=True)
    _drop_unused(folder)
    return folder


def _drop_unused(folder: Path) -> None:
    """Delete the kept folders beside one that nobody has used for a month, unless another process may use them."""
    descriptor = _held.get(folder.parent)
    if descriptor is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for neighbour in folder.parent.iterdir():
            if FOLDER.fullmatch(neighbour.name) and neighbour != folder and _is_old(neighbour):
                discard(neighbour)
    except OSError:
        pass  # somebody uses them
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_SH)


def _is_old(folder: Path) -> bool:
    """Whether a folder, no link, is the user's own and was not used for a month."""
    status = folder.lstat()
    is_own = stat.S_ISDIR(status.st_mode) and reason_of(status) is None
    return is_own and status.st_mtime < time.time() - _MONTH
