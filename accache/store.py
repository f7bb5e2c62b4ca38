"""Results kept in the user's cache folder under a key that tells all they depend on."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LIMIT = 512 << 20  # bytes
_SHARDS = 16  # one a first digit of the key
_KEPT = 0.8  # of the limit, after old entries have gone


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where accache keeps what it made: ACCACHE_CACHE_DIR, or its folder in the user's cache."""
    named = environment.get("ACCACHE_CACHE_DIR")
    if named:
        return Path(named)
    base = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 (this one never fails)
    return Path(base) / "accache"


@dataclass(frozen=True)
class Store:
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
