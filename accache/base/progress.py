"""A line on the terminal while something takes long: what it is, and how far it is."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

PATIENCE = 2.0
"""Seconds after which a user wants to know."""
CLEARED = "\r\033[K"
"""What a terminal is sent for an empty line where the line of progress stood."""
_INTERVAL = 0.5
_Item = TypeVar("_Item")
_SHOWN = threading.Lock()
"""Who holds it has the line of the terminal: of work inside of other work, that around is told of."""


class _Line:
    """The line, which a thread of its own writes again and again until it is stopped."""

    def __init__(self, text: str, total: int) -> None:
        self.text = text
        self.total = total
        self.done = 0
        self.ends = threading.Event()
        self.writer = threading.Thread(target=self.write, daemon=True)

    def write(self) -> None:
        if self.ends.wait(PATIENCE):
            return
        while not _SHOWN.acquire(blocking=False):
            if self.ends.wait(_INTERVAL):
                return
        try:
            self._write()
        finally:
            _SHOWN.release()

    def _write(self) -> None:
        while True:
            count = f": {self.done} of {self.total}" if self.total else ""
            print(f"{CLEARED}accache: {self.text}{count} ...", end="", file=sys.stderr, flush=True)
            if self.ends.wait(_INTERVAL):
                print(CLEARED, end="", file=sys.stderr, flush=True)
                return


def _is_watched() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


@contextmanager
def working(text: str) -> Iterator[None]:
    """Tell ``text`` on standard error if the block takes over two seconds and a terminal shows it.

    Nothing else may write there meanwhile.
    """
    with _line(text, 0):
        yield


def counted(text: str, items: Iterable[_Item], total: int) -> Iterator[_Item]:
    """The items, and as ``working`` how many of ``total`` were there so far."""
    with _line(text, total) as line:
        for item in items:
            yield item
            line.done += 1


@contextmanager
def _line(text: str, total: int) -> Iterator[_Line]:
    line = _Line(text, total)
    if not _is_watched():
        yield line
        return
    line.writer.start()
    try:
        yield line
    finally:
        line.ends.set()
        line.writer.join()
