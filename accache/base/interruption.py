"""Signals that end accache: they end the programs it runs, too, and leave by way of the clean-up."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE = 0.5  # seconds for programs to clean up


class Interrupted(BaseException):
    """A signal came; what it ends with in a shell's words is 128 + its number."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a signal end what runs inside, with everything it has started; a signal that is ignored stays so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        yield
    except Interrupted as interrupted:
        raise SystemExit(interrupted.status) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _frame: FrameType | None) -> None:
    """End all that runs below this process, first as the signal wants, then in any case."""
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    told: set[int] = set()
    end = time.monotonic() + _PATIENCE
    while (running := _descendants()) and time.monotonic() < end:
        _send(number, running - told)  # a thread may start another one meanwhile
        told |= running
        time.sleep(0.01)
    _send(signal.SIGKILL, running)
    raise Interrupted(number)


def _send(number: int, processes: set[int]) -> None:
    for process in processes:
        with suppress(OSError):
            os.kill(process, number)


def _descendants() -> set[int]:
    """The processes below this one that run, where the system tells them."""
    children: dict[int, list[int]] = {}
    running = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = path.read_text(errors="replace").rpartition(")")[2].split()[:2]
            process = int(path.parent.name)
            children.setdefault(int(parent), []).append(process)
            if state not in "ZX":
                running.add(process)
    below, waiting = set(), [os.getpid()]
    while waiting:
        found = children.get(waiting.pop(), [])
        below.update(found)
        waiting += found
    return below & running
