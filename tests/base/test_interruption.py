"""A signal to accache ends the programs that it runs, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

MAIN, COMPILER = "from accache.cli.main import main; main()", "from accache.cc.console import main; main()"
SLEEPER = """\
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    FILE *file = fopen("pid", "w");
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    sleep(60);
}
"""
SLOW_COMPILER = """\
#!/bin/sh
sh -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 60'
exit 1
"""


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _started(folder: Path) -> int:
    """The process that tells its number in a file, once it runs."""
    for _ in range(2400):  # a busy machine may need a minute for the run-time library
        time.sleep(0.05)
        if (folder / "pid").exists() and (text := (folder / "pid").read_text()).strip():
            return int(text)
    raise AssertionError("nothing was started")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("call", "compiler"),
    [((MAIN, "run", "a.c"), None), ((MAIN, "translate", "a.c"), "CC"), ((COMPILER, "-c", "a.c"), "ACCACHE_CC")],
    ids=["run", "translate", "cc"],
)
def test_a_signal_ends_what_was_started(
    tmp_path: Path, number: int, call: tuple[str, ...], compiler: str | None
) -> None:
    (tmp_path / "a.c").write_text(SLEEPER)
    slow = tmp_path / "slow"
    slow.write_text(SLOW_COMPILER)
    slow.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    settings = {**os.environ, "TMPDIR": str(temporary), **({compiler: str(slow)} if compiler else {})}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    process = subprocess.Popen(
        [sys.executable, "-c", *call], cwd=tmp_path, env=settings, stderr=subprocess.PIPE, text=True
    )
    signal.signal(signal.SIGINT, before)
    with process:
        started = _started(tmp_path)
        process.send_signal(number)
        errors = process.communicate(timeout=30)[1]
    assert (process.returncode, "Traceback" in errors) == (128 + number, False)
    assert not _is_running(started)
    assert not list(temporary.iterdir())


def test_a_killed_accache_takes_its_program_along(tmp_path: Path) -> None:
    """Nobody is left to end the program: the system does."""
    (tmp_path / "a.c").write_text(SLEEPER)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    settings = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen([sys.executable, "-c", MAIN, "run", "a.c"], cwd=tmp_path, env=settings) as process:
        started = _started(tmp_path)
        process.kill()
        process.wait(timeout=30)
    for _ in range(100):
        if not _is_running(started):
            return
        time.sleep(0.05)
    os.kill(started, signal.SIGKILL)
    raise AssertionError("the program goes on")
