"""Call the compilers of this machine, and keep the compiled runtime in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RUNTIME = Path(__file__).with_name("runtime")
INCLUDE = RUNTIME / "include"
# Stands for the directory a program was built in, so that names in #line come back as they were written.
WORKING_DIRECTORY = "/accache-working-directory"
_SOURCE = RUNTIME / "source"
# -fno-toplevel-reorder: dynamic shared memory must lie before the anchor that ends shared memory.
_RUNTIME_FLAGS = ("-std=c++17", "-O2", "-g", "-pthread", "-fno-pie", "-fno-toplevel-reorder", "-Wall", "-Wextra")


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
        done = subprocess.run(words, cwd=directory, input=text, capture_output=True, text=True, errors="replace")
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

    ``shared_begin.o`` goes directly before the kernels when linking and ``shared_end.o`` directly after them.
    """
    flags = (*_RUNTIME_FLAGS, *(("-DACCACHE_CPU_CHECK",) if check else ()))
    sources = sorted(_SOURCE.glob("*.cpp")) + (sorted(_SOURCE.glob("check/*.cpp")) if check else [])
    folder = _cache_folder() / _digest(flags)
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="building-", dir=folder.parent))
    try:
        commands = [
            (cxx(), *flags, f"-I{INCLUDE}", f"-I{_SOURCE}", "-c", source, "-o", work / f"{source.stem}.o")
            for source in sources
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(call, commands))
        _publish(work, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def _publish(work: Path, folder: Path) -> None:
    """Give a finished folder its name in one step; another process may have been faster."""
    try:
        work.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "accache" / "cpu"


def _digest(flags: Sequence[str]) -> str:
    """A name for what the runtime's objects depend on: its sources, the flags and the compiler."""
    digest = hashlib.sha256()
    digest.update("\0".join((call((cxx(), "--version")), call((cxx(), "-dumpmachine")), *flags)).encode())
    for path in sorted(RUNTIME.rglob("*")):
        if path.suffix in (".h", ".cpp"):
            digest.update(path.relative_to(RUNTIME).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:20]
