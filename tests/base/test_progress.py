"""Progress on a terminal: after two seconds, gone at the end; and nothing where no terminal is."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from accache.base.resources import samples

SCRIPT = """
import time
from accache.base import progress
progress.PATIENCE = 0.2
with progress.working("quick work"):
    pass
list(progress.counted("caches", (time.sleep(0.2) or each for each in range(4)), 4))
"""
NESTED = """
import time
from accache.base import progress
progress.PATIENCE = 0.2
with progress.working("the whole"):
    time.sleep(0.5)
    with progress.working("a part of it"):
        time.sleep(0.8)
with progress.working("what comes next"):
    time.sleep(0.5)
"""
COMMAND = """
import sys
from accache.base import progress
from accache.cli.main import main
progress.PATIENCE = 0.01
main(sys.argv[1:])
"""


STENCIL = str(samples() / "stencil.c")


def told(environment: dict[str, str], *words: str, on_terminal: bool, script: str = SCRIPT) -> str:
    """What the script writes to standard error."""
    ours, theirs = pty.openpty()
    stream = theirs if on_terminal else subprocess.PIPE
    command = [sys.executable, "-c", script, *words]
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


def test_one_line_at_a_time_is_shown() -> None:
    text = told({"TERM": "xterm"}, on_terminal=True, script=NESTED)
    assert "accache: the whole ..." in text
    assert "a part of it" not in text
    assert "accache: what comes next ..." in text


def test_making_a_page_is_told(tmp_path: Path) -> None:
    words = ("explain", "--html", str(tmp_path / "page.html"), "--no-run", STENCIL)
    text = told({"TERM": "xterm"}, *words, on_terminal=True, script=COMMAND)
    assert "accache: making the page ..." in text
    assert (tmp_path / "page.html").exists()


def test_compiling_a_program_is_told() -> None:
    text = told({"TERM": "xterm"}, "run", "-q", STENCIL, on_terminal=True, script=COMMAND)
    assert re.search(r"accache: waiting for \S*(cc|\+\+) \.\.\.", text)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("suggest", STENCIL), "looking for arrays that are worth a copy"),
        (("run", "-q", "--ptx", str(samples() / "gemm.c"), "--", "400", "7"), "executing a launch again from its PTX"),
        (("run", "-q", "--ptx", STENCIL), "waiting for nvcc"),
    ],
)
def test_what_nvcc_and_the_machine_for_ptx_do_is_told(words: tuple[str, ...], expected: str) -> None:
    text = told({"TERM": "xterm"}, *words, on_terminal=True, script=COMMAND)
    assert f"accache: {expected} ..." in text
