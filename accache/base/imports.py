"""Import large libraries in a fraction of their time, in a process that is ours."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast


@contextmanager
def quick_imports(*hidden: str) -> Iterator[None]:
    """Import without what nothing here uses, and without looking for garbage meanwhile.

    Nothing here multiplies matrices: NumPy's BLAS starts no threads, which burn time while they wait for work.
    Libraries named ``hidden`` are not found, unless they are loaded already; numba looks for a BLAS in scipy.
    """
    modules = cast(dict[str, object], sys.modules)
    absent = [name for name in hidden if name not in modules]
    threads, collects = "OPENBLAS_NUM_THREADS", gc.isenabled()
    chooses = threads not in os.environ
    modules.update(dict.fromkeys(absent))
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
        for name in absent:
            del modules[name]
