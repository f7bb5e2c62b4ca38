"""Standard streams that are closed, full or broken: an error and its exit status, no traceback and no silence."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

_BROKEN_PIPE = 128 + signal.SIGPIPE  # as a shell tells of other tools
# descriptor -> how /dev/null is opened in its place: what is not allowed on a closed stream still fails.
_INSTEAD = {0: os.O_WRONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}


@contextmanager
def guarded(program: str) -> Iterator[None]:
    """Run a command; ends it with status 1 and a message where the system refuses to write, or anything like it."""
    _fill_closed()
    output = sys.stdout
    try:
        try:
            yield
        finally:
            if not sys.stdout.closed:  # a server that speaks there closes it at its end
                sys.stdout.flush()
    except SystemExit as end:
        if sys.stdout is not output:  # click replaces it at a broken pipe, and ends with 1
            end.code = _BROKEN_PIPE
        raise
    except OSError as error:
        _discard_rest(sys.stdout)
        if error.errno == errno.EPIPE:
            raise SystemExit(_BROKEN_PIPE) from error
        reason = error.strerror or str(error)
        what = f"cannot use '{error.filename}'" if error.filename else "cannot write"
        with suppress(OSError):
            print(f"{program}: error: {what}: {reason}", file=sys.stderr, flush=True)
        raise SystemExit(1) from error
    finally:
        try:
            sys.stderr.flush()
        except OSError:
            _discard_rest(sys.stderr)


def _fill_closed() -> None:
    """Open what is closed of the standard streams, or files and programs would get their numbers."""
    for descriptor in _INSTEAD:
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, _INSTEAD[descriptor])  # the lowest free number, which is this one
            os.set_inheritable(descriptor, True)
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def _stream(descriptor: int, mode: str) -> IO[Any]:
    return os.fdopen(descriptor, mode, encoding="utf-8", errors="surrogateescape", closefd=False)


def _discard_rest(stream: IO[Any]) -> None:
    """Let what is still buffered go nowhere: the interpreter writes it when it ends, and has a status for failures."""
    with suppress(OSError, io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
