"""One request in processes of its own: so much time, memory and output, and nothing left when it is over.

As a program, ``python -m accache.serve.limits SECONDS RUN_SECONDS`` hands its input to a worker and prints what that
answers. The worker runs programs for RUN_SECONDS at most, and none if that is 0.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEMORY = 8 << 30
"""Address space of a process; what is deeply nested is followed on a stack of half a gigabyte.

Not of one that may run programs: the checker reserves more for its notes than there is.
"""
IN_MEMORY = 2 << 30
"""Bytes that all processes of a request may have in memory at one time."""
OUTPUT = 8 << 20
"""Bytes of a file that a process writes, and of an answer."""
PROCESSES = 64
"""How many processes of a request may live at one time."""
TOO_LONG = 124
TOO_MANY = 125
TOO_LARGE = 126
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: orphans among the descendants become our children
_STEP = 0.05


def limited(command: list[str], text: bytes, seconds: float, *, runs: bool = False) -> tuple[int, bytes]:
    """Run a command that reads a text, and what it prints; its status, TOO_LONG, TOO_MANY or TOO_LARGE.

    It works in an empty folder, temporary files included. That is removed, and whatever it has started is ended.
    The command may itself run programs if ``runs``.
    """
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with (
        tempfile.TemporaryDirectory(prefix="accache-", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as told,
    ):
        given.write(text)
        given.seek(0)
        process = subprocess.Popen(
            command,
            stdin=given,
            stdout=told,
            cwd=folder,
            env={**os.environ, "TMPDIR": folder},
            preexec_fn=lambda: _limit(seconds, runs),
        )
        try:
            status = _wait(process, time.monotonic() + seconds)
        finally:
            _end_all()
        told.seek(0)
        return status, told.read(OUTPUT)


def _limit(seconds: float, runs: bool) -> None:
    """Limits of a process and of those that it starts, which cannot raise them."""
    for what, most in (
        (resource.RLIMIT_CPU, int(seconds) + 1),
        *(() if runs else ((resource.RLIMIT_AS, MEMORY),)),
        (resource.RLIMIT_FSIZE, OUTPUT),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, _processes_of_user() + 2 * PROCESSES),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def _processes_of_user() -> int:
    """How many threads the user has now, all of which count."""
    count = 0
    for task in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if task.stat().st_uid == os.getuid():
                count += sum(1 for _ in (task / "task").iterdir())
    return count


def _wait(process: subprocess.Popen[bytes], end: float) -> int:
    while True:
        try:
            return process.wait(_STEP)
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                return TOO_LONG
            found = _descendants()
            if len(found) > PROCESSES:
                return TOO_MANY
            if sum(map(_in_memory, found)) > IN_MEMORY:
                return TOO_LARGE


def _descendants() -> list[int]:
    """The processes that come from this one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
    found = [os.getpid()]
    for parent in found:
        found += [child for child, known in parents.items() if known == parent]
    return found[1:]


def _in_memory(process: int) -> int:
    """The bytes that a process has in memory for itself."""
    try:
        _, resident, shared, *_ = map(int, Path(f"/proc/{process}/statm").read_text().split())
    except OSError:
        return 0  # it has ended
    return (resident - shared) * resource.getpagesize()


def _end_all() -> None:
    """End what comes from this process, and what that starts meanwhile."""
    while children := _descendants():
        for sent in (signal.SIGSTOP, signal.SIGKILL):
            for child in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, sent)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def main() -> None:
    """Serve one request."""
    command = [sys.executable, "-m", "accache.serve.worker", sys.argv[2]]
    status, told = limited(command, sys.stdin.buffer.read(), float(sys.argv[1]), runs=float(sys.argv[2]) > 0)
    sys.stdout.buffer.write(told)
    sys.stdout.flush()
    os._exit(status if 0 <= status <= 255 else 1)


if __name__ == "__main__":
    main()
