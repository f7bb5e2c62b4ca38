"""Output files that are there whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_files(files: tuple[tuple[str, str], ...]) -> None:
    """Write texts to paths, all of them or, on an error, none.

    Each text goes to a temporary file beside its path first; only when all are complete do they take
    their places. A path that is no regular file (a pipe, /dev/stdout) is written directly, last.
    Text is UTF-8 with surrogate escapes for the bytes that were not.

    Raises:
        OSError: a folder is missing, a disk is full, or writing is not allowed.
    """
    staged: list[tuple[Path, Path]] = []
    direct: list[tuple[Path, bytes]] = []
    try:
        for name, text in files:
            data = text.encode("utf-8", "surrogateescape")
            if _is_special(name):
                direct.append((Path(name), data))
            else:
                path = Path(os.path.realpath(name))
                staged.append((_stage(path, data), path))
        for temporary, path in staged:
            temporary.replace(path)
    except BaseException:
        for temporary, _ in staged:
            with suppress(FileNotFoundError):
                temporary.unlink()
        raise
    for path, data in direct:
        path.write_bytes(data)


def write_binary(name: str, data: bytes) -> None:
    """Write bytes to a path, all of them or, on an error, none; raises OSError.

    They take the path's place when they are complete; what is no regular file (a pipe, /dev/null) is written directly.
    """
    if _is_special(name):
        Path(name).write_bytes(data)
    else:
        path = Path(os.path.realpath(name))
        _stage(path, data).replace(path)


def _is_special(name: str) -> bool:
    """Whether a path leads to something that is no regular file; links to pipes lead nowhere by their names."""
    path = Path(name)
    return path.exists() and not path.is_file()


@contextmanager
def recorded_errors() -> Iterator[list[str]]:
    """Collect what this process and those that it starts write to standard error; it is written there in the end."""
    said: list[str] = []
    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as stream:
        os.dup2(stream.fileno(), 2)
        try:
            yield said
        finally:
            sys.stderr.flush()
            os.dup2(real, 2)
            os.close(real)
            stream.seek(0)
            said.append(stream.read().decode("utf-8", "surrogateescape"))
            sys.stderr.write(said[0])
            sys.stderr.flush()


def _stage(path: Path, data: bytes) -> Path:
    """A temporary file beside ``path`` with the data, and with the mode ``path`` has or would get."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        error.filename = str(path)  # the name that the user knows
        raise
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
    except BaseException:
        temporary.unlink()
        raise
    return temporary


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
