"""Run work that recurses deeply where it finds room, in any number of threads at a time."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
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
        done: list[Result] = []
        errors: list[BaseException] = []

        def working() -> None:
            try:
                done.append(work())
            except BaseException as error:  # noqa: BLE001  whoever asked for the work gets it
                errors.append(error)

        with self._changed():
            thread = self._started(working)
            try:
                thread.join()
            finally:  # a signal may come meanwhile
                thread.join()
        if errors:
            raise errors[0]
        return done[0]

    def _started(self, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work)
        with self._lock:
            size = threading.stack_size(STACK_BYTES)
            try:
                thread.start()
            finally:
                threading.stack_size(size)
        return thread

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
