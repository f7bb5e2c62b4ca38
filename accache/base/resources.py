"""The one place that knows where the files are that are not Python: templates, headers, C++ runtimes.

In a checkout, an editable install and an unpacked sdist the templates stand beside the package
``accache``; in a wheel they are the folder ``accache/templates``.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

ATOMICS = "accache_atomics.cuh"
"""What #line directives call the atomic functions that a translation has of its own."""

_PACKAGE = Path(__file__).resolve().parent.parent


def templates() -> Path:
    """The folder of the CUDA templates and of the runtime that emitted programs carry."""
    inside = _PACKAGE / "templates"
    return inside if inside.is_dir() else _PACKAGE.parent / "templates"


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
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
