"""Standard streams that cannot be written end a command with a message; nothing breaks off in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from families import some

PROGRAM = """\
void f(int n, float *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
}
"""
MAIN, COMPILER = "from accache.cli.main import main; main()", "from accache.cc.console import main; main()"
CALLS = [
    (MAIN, "--help"),
    (MAIN, "translate", "--help"),
    (MAIN, "translate", "a.c"),
    (MAIN, "translate", "-q", "--dump-after=lower", "a.c"),
    (MAIN, "explain", "a.c"),
    (MAIN, "doctor"),
    (MAIN, "cc", "--help"),
    (COMPILER, "--help"),
]


def _call(tmp_path: Path, redirection: str, call: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    (tmp_path / "a.c").write_text(PROGRAM)
    words = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-c", *call]
    return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("call", some(((call,) for call in CALLS), 2), ids=lambda call: " ".join(call)[-30:])
@pytest.mark.parametrize(
    ("redirection", "reason"), [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
def test_output_that_cannot_be_written_is_an_error(
    tmp_path: Path, call: tuple[str, ...], redirection: str, reason: str
) -> None:
    done = _call(tmp_path, redirection, call)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] in (
        f"accache: error: cannot write: {reason}",
        f"accache cc: error: cannot write: {reason}",
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("call", [(MAIN, "translate", "-q", "a.c"), (COMPILER, "--help")], ids=["click", "print"])
def test_a_broken_pipe_ends_as_with_other_tools(tmp_path: Path, call: tuple[str, ...]) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", *call]
    done = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_closed_streams_do_not_become_files(tmp_path: Path) -> None:
    done = _call(tmp_path, ">&- 2>&- <&-", (MAIN, "translate", "a.c", "-o", "a.cu"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "__global__" in (tmp_path / "a.cu").read_text()
    assert _call(tmp_path, "<&-", (MAIN, "translate", "-")).returncode == 1


def test_errors_that_cannot_be_told_leave_the_status(tmp_path: Path) -> None:
    assert _call(tmp_path, "2> /dev/full", (MAIN, "translate", "no.c")).returncode == 1
