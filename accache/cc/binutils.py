"""``accache-gcc-ar`` and ``accache-gcc-ranlib``, which CMake wants beside ``accache-cc`` to optimise at link time."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def ar() -> None:
    """Do what gcc-ar does, which knows objects of link-time optimisation."""
    _become("gcc-ar")


def ranlib() -> None:
    """Do what gcc-ranlib does."""
    _become("gcc-ranlib")


def _become(tool: str) -> NoReturn:
    try:
        os.execvp(tool, [tool, *sys.argv[1:]])
    except OSError as error:
        raise SystemExit(f"accache: cannot run '{tool}': {error.strerror}") from error
