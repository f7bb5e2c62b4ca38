"""Import large libraries in a fraction of their time, in a process that is ours."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType


class _Hiding:
    """A finder of modules that finds none of some names, whatever comes behind it."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = frozenset(names)

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if fullname in self.names:
            raise ModuleNotFoundError(f"{fullname} is hidden", name=fullname)


@contextmanager
def quick_imports(*hidden: str) -> Iterator[None]:
    """Import without what nothing here uses, and without looking for garbage meanwhile.

    Nothing here multiplies matrices: NumPy's BLAS starts no threads, which burn time while they wait for work.
    Libraries named ``hidden`` are not found, unless they are loaded already; numba looks for a BLAS in scipy.
    """
    hiding = _Hiding(hidden)
    threads, collects = "OPENBLAS_NUM_THREADS", gc.isenabled()
    chooses = threads not in os.environ
    sys.meta_path.insert(0, hiding)
    if chooses:
        os.environ[threads] = "1"
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        if chooses:
            del os.environ[threads]
        sys.meta_path.remove(hiding)
