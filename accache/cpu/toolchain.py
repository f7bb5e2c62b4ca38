"""Call the compilers of this machine, and keep the compiled runtime in the user's cache."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from accache.environment import plain_english
from accache.store import cache_folder

RUNTIME = Path(__file__).with_name("runtime")
INCLUDE = RUNTIME / "include"
ARCHIVE = "libaccache.a"
# Stands for the directory a program was built in, so that names in #line come back as they were written.
WORKING_DIRECTORY = "/accache-working-directory"
_SOURCE = RUNTIME / "source"
# -fno-toplevel-reorder: dynamic shared memory must lie before the anchor that ends shared memory.
_RUNTIME_FLAGS = ("-std=c++17", "-O2", "-g", "-pthread", "-fno-toplevel-reorder", "-Wall", "-Wextra")
_CHECK_FLAGS = ("-DACCACHE_CPU_CHECK", "-fno-pie")
_PLAIN_FLAGS = ("-fPIC",)  # for shared libraries too
_MONTH = 30 * 24 * 3600  # seconds


class ToolError(Exception):
    """A compiler refused its input, or is not on this machine; carries the command and what it printed."""

    def __init__(self, command: Sequence[str], output: str) -> None:
        super().__init__(f"{' '.join(command)}\n{output}")
        self.command = tuple(command)
        self.output = output


def call(command: Sequence[str | Path], directory: Path | None = None, text: str | None = None) -> str:
    """Run a tool and return its standard output; raises ToolError if it fails."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, cwd=directory, input=text, capture_output=True, text=True, errors="replace", env=plain_english()
        )
    except FileNotFoundError as missing:
        raise ToolError(words, f"{words[0]}: not found") from missing
    if done.returncode != 0:
        raise ToolError(words, done.stderr + done.stdout)
    return done.stdout


def cxx() -> str:
    """The C++ compiler: $CXX or g++."""
    return os.environ.get("CXX", "g++")


def cc() -> str:
    """The C compiler: $CC or cc."""
    return os.environ.get("CC", "cc")


def runtime_objects(*, check: bool) -> Path:
    """The folder with the runtime's object files, compiled on first use and kept by content.

    ``shared_begin.o`` goes directly before the kernels when linking and ``shared_end.o`` directly after them;
    ``shared_dynamic.o`` stands between the kernels and the end if the checker is to see it. ARCHIVE holds all
    objects but those three; without the checker, which wants dynamic shared memory in its place, that one too.
    """
    flags = (*_RUNTIME_FLAGS, *(_CHECK_FLAGS if check else _PLAIN_FLAGS))
    sources = sorted(_SOURCE.glob("*.cpp")) + (sorted(_SOURCE.glob("check/*.cpp")) if check else [])
    folder = cache_folder() / "cpu" / _digest(flags)
    if folder.is_dir():
        with suppress(OSError):
            os.utime(folder)
        return folder
    work = _working_folder(folder.parent)
    commands = [
        (cxx(), *flags, f"-I{INCLUDE}", f"-I{_SOURCE}", "-c", source, "-o", work / f"{source.stem}.o")
        for source in sources
    ]
    try:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(call, commands))
        placed = ("shared_begin.o", "shared_end.o", *(("shared_dynamic.o",) if check else ()))
        members = sorted(path for path in work.glob("*.o") if path.name not in placed)
        call(("ar", "rcsD", work / ARCHIVE, *members))
        return _publish(work, folder)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def _working_folder(parent: Path) -> Path:
    """A new folder beside the finished ones or, where nothing can be kept, one that lasts as long as this process."""
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
    _drop_unused(folder.parent)
    return folder


def _drop_unused(parent: Path) -> None:
    """Delete the runtimes of other versions of accache that nobody has used for a month."""
    for folder in parent.iterdir():
        with suppress(OSError):
            if folder.stat().st_mtime < time.time() - _MONTH:
                shutil.rmtree(folder, ignore_errors=True)


def _digest(flags: Sequence[str]) -> str:
    """A name for what the runtime's objects depend on: its sources, the flags and the compiler."""
    digest = hashlib.sha256()
    digest.update("\0".join((call((cxx(), "--version")), call((cxx(), "-dumpmachine")), *flags)).encode())
    for path in sorted(RUNTIME.rglob("*")):
        if path.suffix in (".h", ".cpp"):
            digest.update(path.relative_to(RUNTIME).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:20]
