"""Call accache inside this process: one of its own would load again what commands import, for a second or more."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from unittest.mock import patch

from accache.cli.main import main


def accache(
    *words: object, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Call accache in a folder; its output holds what the programs that it starts print, too.

    With ``environment`` there are no other variables. An exception that is no exit of the command is raised.
    """
    with TemporaryFile() as output, TemporaryFile() as errors:
        with chdir(folder or Path.cwd()), _variables(environment), _descriptor(1, output), _descriptor(2, errors):
            status = _status([os.fsdecode(word) if isinstance(word, bytes) else str(word) for word in words])
        return subprocess.CompletedProcess(words, status, _read(output), _read(errors))


def _status(words: list[str]) -> int:
    """How a call ends whose standard streams are this process's descriptors, as they are now."""
    status: object = 0
    with _writer(1) as output, _writer(2) as errors, redirect_stdout(output), redirect_stderr(errors):
        try:
            main(words, prog_name="accache")
        except SystemExit as end:
            status = end.code or 0
    assert isinstance(status, int)
    return status


def _writer(descriptor: int) -> IO[str]:
    return open(descriptor, "w", encoding="utf-8", errors="surrogateescape", closefd=False)


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "surrogateescape")


@contextmanager
def _variables(environment: Mapping[str, str] | None) -> Iterator[None]:
    """Have these variables and no others."""
    if environment is None:
        yield
        return
    with patch.dict(os.environ, environment, clear=True):
        yield


@contextmanager
def _descriptor(number: int, file: IO[bytes]) -> Iterator[None]:
    """Let what this process and those that it starts write to a descriptor go to a file."""
    (sys.stdout if number == 1 else sys.stderr).flush()
    before = os.dup(number)
    os.dup2(file.fileno(), number)
    try:
        yield
    finally:
        os.dup2(before, number)
        os.close(before)
