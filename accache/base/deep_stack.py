"""Run work that recurses deeply where it finds room, in any number of threads at a time."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")
STACK_BYTES = 1 << 29
RECURSION_LIMIT = 60_000


class DeepStack:
    """What the interpreter has one of, changed by the first thread that needs it so, and restored by the last one.

    It is the limit of recursion, and whether garbage is looked for: trees are built without any, and looking takes a
    fifth of the time. The size of the stacks of new threads is changed only while such a thread starts.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limit = 0
        self._collects = False

    def run(self, work: Callable[[], Result]) -> Result:
        """Do work in a thread with a stack of STACK_BYTES; raises what it raises."""
        with self._changed(), ThreadPoolExecutor(max_workers=1) as pool:
            return self._started(pool, work).result()

    def _started(self, pool: ThreadPoolExecutor, work: Callable[[], Result]) -> Future[Result]:
        with self._lock:
            size = threading.stack_size(STACK_BYTES)
            try:
                return pool.submit(work)  # which starts the thread
            finally:
                threading.stack_size(size)

    @contextmanager
    def _changed(self) -> Iterator[None]:
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self) -> None:
        with self._lock:
            if self._users == 0:
                self._limit, self._collects = sys.getrecursionlimit(), gc.isenabled()
                sys.setrecursionlimit(max(self._limit, RECURSION_LIMIT))
                gc.disable()
            self._users += 1

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                if sys.getrecursionlimit() == max(self._limit, RECURSION_LIMIT):  # else somebody wants another one
                    sys.setrecursionlimit(self._limit)
                if self._collects:
                    gc.enable()


DEEP_STACK = DeepStack()
"""The only one: there is one interpreter."""
