"""The one place that knows where the files are that are not Python: templates, headers, C++ runtimes, samples.

In a checkout, an editable install and an unpacked sdist templates and samples stand beside the package
``accache``; in a wheel they are folders in it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

ATOMICS = "accache_atomics.cuh"
"""What #line directives call the atomic functions that a translation has of its own."""

_PACKAGE = Path(__file__).resolve().parent.parent


def templates() -> Path:
    """The folder of the CUDA templates and of the runtime that emitted programs carry."""
    return _beside("templates")


def samples() -> Path:
    """The folder of the sample programs."""
    return _beside("samples")


def _beside(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def headers() -> Path:
    """The folder of openacc.h, for every compiler that reads a user's C file, and of the run-time library's headers."""
    return templates() / "runtime"


def cpu_runtime() -> Path:
    """The folder of the C++ sources that let emitted CUDA run on a CPU."""
    return _PACKAGE / "cpu" / "runtime"


def ptx_runtime() -> Path:
    """The folder of the C sources that translated PTX runs on."""
    return _PACKAGE / "ptx" / "runtime"


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """A name for this very accache: a digest of its sources, templates and headers."""
    digest = hashlib.sha256()
    for folder in (_PACKAGE, templates()):
        for path in sorted(_files(folder)):
            digest.update(os.fsencode(path[len(str(folder)) :]) + b"\0" + Path(path).read_bytes())
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[str]:
    """The files below a folder but for compiled Python; as strings, which take a fifth of the time of Paths."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (f"{place}/{name}" for name in names)
