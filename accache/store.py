"""Results kept in the user's cache folder under a key that tells all they depend on: entries, and whole folders."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

LIMIT = 512 << 20  # bytes
_MONTH = 30 * 24 * 3600  # seconds
_SHARDS = 16  # one a first digit of the key
_KEPT = 0.8  # of the limit, after old entries have gone


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where accache keeps what it made: ACCACHE_CACHE_DIR, or its folder in the user's cache."""
    named = environment.get("ACCACHE_CACHE_DIR")
    if named:
        return Path(named)
    base = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 (this one never fails)
    return Path(base) / "accache"


class Store(Struct, frozen=True):
    """Byte strings by hexadecimal keys, at most ``limit`` bytes of them; what was not used for longest goes first.

    Several processes may use a folder at a time: an entry is there whole or not at all. A folder that
    cannot be read or written keeps nothing, which is no error.
    """

    folder: Path
    limit: int = LIMIT

    def get(self, key: str) -> bytes | None:
        """What was kept under a key, if it is still there."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(path)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep data under a key."""
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, data)
            self._drop_oldest(path.parent)

    def _path(self, key: str) -> Path:
        return self.folder / key[0] / key[1:]

    def _drop_oldest(self, shard: Path) -> None:
        """Bring a shard back below its part of the limit; the newest entry stays in any case."""
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
    handle, name = tempfile.mkstemp(prefix="writing-", dir=path.parent)
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
    Neighbours that nobody has used for a month are deleted when a new one comes.
    """
    if folder.is_dir():
        with suppress(OSError):
            os.utime(folder)
        return folder
    work = _working_folder(folder.parent)
    try:
        fill(work)
        return _publish(work, folder)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def _working_folder(parent: Path) -> Path:
    try:
        parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="building-", dir=parent))
    except OSError:
        work = tempfile.mkdtemp(prefix="accache-runtime-")
        atexit.register(shutil.rmtree, work, ignore_errors=True)
        return Path(work)


def _publish(work: Path, folder: Path) -> Path:
    """Give a finished folder its name in one step, if it can have one; another process may have been faster."""
    try:
        work.rename(folder)
    except OSError:
        if not folder.is_dir():
            return work
        shutil.rmtree(work, ignore_errors=True)
    for neighbour in folder.parent.iterdir():
        with suppress(OSError):
            if neighbour.stat().st_mtime < time.time() - _MONTH:
                shutil.rmtree(neighbour, ignore_errors=True)
    return folder
