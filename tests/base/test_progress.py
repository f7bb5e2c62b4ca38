"""Progress on a terminal: after two seconds, gone at the end; and nothing where no terminal is."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

SCRIPT = """
import time
from accache.base import progress
progress.PATIENCE = 0.2
with progress.working("quick work"):
    pass
list(progress.counted("caches", (time.sleep(0.2) or each for each in range(4)), 4))
"""


def told(environment: dict[str, str], *, on_terminal: bool) -> str:
    """What the script writes to standard error."""
    ours, theirs = pty.openpty()
    stream = theirs if on_terminal else subprocess.PIPE
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(command, stderr=stream, env={**os.environ, **environment}) as process:
        os.close(theirs)
        process.wait()
        text = b"" if on_terminal or process.stderr is None else process.stderr.read()
    if on_terminal:
        os.set_blocking(ours, False)
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
    os.close(ours)
    return text.decode()


def test_a_terminal_is_told_how_far_it_is() -> None:
    text = told({"TERM": "xterm"}, on_terminal=True)
    assert "quick work" not in text
    assert "accache: caches: 1 of 4 ..." in text or "accache: caches: 0 of 4 ..." in text
    assert text.endswith("\r\033[K")


def test_nobody_else_is_told() -> None:
    assert told({"TERM": "xterm"}, on_terminal=False) == ""
    assert told({"TERM": "dumb"}, on_terminal=True) == ""
