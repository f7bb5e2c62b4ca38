"""The one place that knows where the files are that are not Python: templates, headers, C++ runtimes, samples.

In a checkout, an editable install and an unpacked sdist templates and samples stand beside the package
``accache``; in a wheel they are folders in it.
"""

from __future__ import annotations

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
