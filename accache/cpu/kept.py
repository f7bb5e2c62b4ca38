"""What every program for the CPU has in common, compiled on first use and kept in the user's cache by content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from accache.base import resources
from accache.base.progress import working
from accache.base.store import cache_folder, kept_folder
from accache.cpu.toolchain import INCLUDE, RUNTIME, ToolError, call, cxx

ARCHIVE = "libaccache.a"
LIBRARY_HEADERS = "#include <iterator>\n#include <map>\n#include <set>\n#include <vector>\n"
"""What an emitted .cu includes for the run-time library alone: half of what there is to read."""
_LIBRARY = resources.templates() / "runtime"
_INTERFACE = _LIBRARY / "accache_launch.cuh"
_FOR_KERNELS = (_INTERFACE, *(_LIBRARY / f"accache_{name}.cuh" for name in ("reduce", "complex", "bypass", "private")))
_SOURCE = RUNTIME / "source"
# -fno-toplevel-reorder: dynamic shared memory must lie before the anchor that ends shared memory.
_RUNTIME_FLAGS = ("-std=c++17", "-O2", "-pthread", "-fno-toplevel-reorder", "-Wall", "-Wextra")
_CHECK_FLAGS = ("-DACCACHE_CPU_CHECK", "-fno-pie")
_PLAIN_FLAGS = ("-fPIC",)  # for shared libraries too


def library_sources() -> list[Path]:
    """The files of the run-time library, which emitted .cu files end with: what ``library.o`` is made from."""
    return sorted(path for path in _LIBRARY.glob("*.cuh") if path not in _FOR_KERNELS)


def without_library(text: str) -> str:
    """An emitted .cu without the run-time library, which is compiled already; lines keep their numbers.

    A text with another version of the library stays as it is.
    """
    left = text
    for path in library_sources():
        part = path.read_text(encoding="utf-8", errors="surrogateescape")
        left = left.replace(part, "\n" * part.count("\n"))
    if left != text:
        left = left.replace(LIBRARY_HEADERS, "\n" * LIBRARY_HEADERS.count("\n"))
    foreign = any(f"#define {path.stem.upper()}_CUH" in left for path in library_sources())
    return text if foreign else left


def runtime_objects(*, check: bool) -> Path:
    """The folder with the object files of the runtime, and with ``library.o``, the run-time library.

    ``shared_begin.o`` goes directly before the kernels when linking and ``shared_end.o`` directly after them;
    ``shared_dynamic.o`` stands between the kernels and the end if the checker is to see it. ARCHIVE holds all
    objects but those three; without the checker, which wants dynamic shared memory in its place, that one too.
    """
    flags = (*_RUNTIME_FLAGS, *(_CHECK_FLAGS if check else _PLAIN_FLAGS))
    sources = sorted(_SOURCE.glob("*.cpp")) + (sorted(_SOURCE.glob("check/*.cpp")) if check else [])
    include = (f"-I{INCLUDE}", f"-I{_SOURCE}", f"-I{_LIBRARY}")

    def make(folder: Path) -> None:
        commands = [(cxx(), *flags, *include, "-c", source, "-o", folder / f"{source.stem}.o") for source in sources]
        what = "building the run-time library for this CPU, which is kept"
        with working(what), ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(call, commands))
        placed = ("shared_begin.o", "shared_end.o", *(("shared_dynamic.o",) if check else ()))
        members = sorted(path for path in folder.glob("*.o") if path.name not in placed)
        call(("ar", "rcsD", folder / ARCHIVE, *members))

    return _kept("runtime", flags, make)


def precompiled_header(flags: Sequence[str]) -> Path:
    """A header with all that an emitted .cu includes, precompiled for these flags of the compiler."""

    def make(folder: Path) -> None:
        lines, own = _INTERFACE.read_text().splitlines(keepends=True), LIBRARY_HEADERS.splitlines(keepends=True)
        header = folder / "prefix.h"
        header.write_text("".join(line for line in lines if line.startswith("#include <") and line not in own))
        with suppress(ToolError):  # a compiler that cannot do so reads the header itself
            call((cxx(), "-x", "c++-header", *flags, f"-I{INCLUDE}", "-c", header, "-o", folder / "prefix.h.gch"))

    return _kept("header", (*flags, str(INCLUDE)), make) / "prefix.h"  # it holds the paths of what it includes


def _kept(name: str, flags: Sequence[str], make: Callable[[Path], None]) -> Path:
    """The folder with this content, filled by ``make`` if it is not there."""
    return kept_folder(cache_folder() / "cpu" / f"{name}-{_digest(flags)}", make)


def _digest(flags: Sequence[str]) -> str:
    """A name for what all of this depends on: the sources, the flags and the compiler."""
    words = (_compiler(cxx(), os.environ.get("PATH", "")), *flags)
    return hashlib.sha256("\0".join(words).encode() + _sources()).hexdigest()[:20]


@lru_cache(maxsize=8)
def _compiler(command: str, _path: str) -> str:
    """What a compiler says that it is; asked once, as is what is read below: programs of tests are many."""
    return "\0".join((call((command, "--version")), call((command, "-dumpmachine"))))


@lru_cache(maxsize=1)
def _sources() -> bytes:
    """A digest of all that is compiled."""
    digest = hashlib.sha256()
    for folder in (RUNTIME, _LIBRARY):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cpp", ".cu", ".cuh"):
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()
