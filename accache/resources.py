"""The one place that knows where the files are that are not Python: templates, C headers, C++ runtimes.

In a checkout, an editable install and an unpacked sdist the templates stand beside the package
``accache``; in a wheel they are the folder ``accache/templates``.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def templates() -> Path:
    """The folder of the CUDA templates and of the runtime that emitted programs carry."""
    inside = _PACKAGE / "templates"
    return inside if inside.is_dir() else _PACKAGE.parent / "templates"


def headers() -> Path:
    """The folder of the C headers that the frontend reads in place of a system's."""
    return _PACKAGE / "frontend" / "include"


def cpu_runtime() -> Path:
    """The folder of the C++ sources that let emitted CUDA run on a CPU."""
    return _PACKAGE / "cpu" / "runtime"
