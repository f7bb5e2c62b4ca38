"""Functions compiled by numba, whose machine code is kept in accache's cache folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from accache.base.store import cache_folder, kept_folder

_NUMBA: Any = numba  # not all of its options are in its types
Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """A function as machine code, compiled at its first call on a machine and read from disk at later ones.

    It makes no arrays, so references to them are not counted (``_nrt``); that costs several times more than its work.
    """
    _keep_code()
    return cast(Function, _NUMBA.njit(function, cache=True, nogil=True, error_model="numpy", _nrt=False))


def inlined(function: Function) -> Function:
    """A function like that, which becomes a part of those that call it."""
    return cast(Function, _NUMBA.njit(function, error_model="numpy", _nrt=False, forceinline=True))


def allocating(function: Function) -> Function:
    """A function that may make arrays, and is slower with them."""
    _keep_code()
    return cast(Function, _NUMBA.njit(function, cache=True, error_model="numpy"))


@lru_cache(maxsize=1)
def _keep_code() -> None:
    """Choose a folder named after all sources here: machine code may hold that of functions in other files."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    folder = kept_folder(cache_folder() / "numba" / digest.hexdigest()[:16], lambda folder: None)
    _NUMBA.config.CACHE_DIR = str(folder)
