"""Findings as they are drawn: who made each access, and why two of them are a race."""

from __future__ import annotations

import shutil
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.base.text import Location, SourceFile
from accache.cli.main import main
from accache.cpu.findings import Finding, Party
from accache.report.conflicts import Conflict, conflicts_of

SOURCE = SourceFile("prog.c", "a[i] = b[i];\n")
HERE = Location("prog.c", 1)
SUMS = """#include <stdio.h>
int main(void)
{
    int sums[4] = {0, 0, 0, 0};
#pragma acc parallel loop copy(sums)
    for (int i = 0; i < 64; ++i)
        sums[i / 16] += i;
    printf("%d\\n", sums[0] > 0);
    return 0;
}
"""


def drawn(access: str, other: Party | None, *, kernel: str = "k", detail: str = "") -> Conflict:
    party = Party(access, HERE, "", (0, 0, 0) if kernel else None, (3, 0, 0) if kernel else None)
    found = Finding("race", kernel, party, other, "global", "a", element=3, array_elements=9, detail=detail, times=1)
    (conflict,) = conflicts_of(SOURCE, (found,))
    return conflict


def test_two_writes_are_not_told_as_one() -> None:
    other = Party("write", HERE, "", (0, 0, 0), (4, 0, 0))
    assert drawn("write", other).why.startswith("Both write, and nothing orders them")
    assert drawn("atomic", other).why.startswith("Both write, and nothing orders them")
    assert drawn("read", other).why.startswith("One of the two writes, and nothing orders them")


def test_an_atomic_access_is_told_as_a_sentence() -> None:
    access = drawn("atomic", Party("write", HERE, "", (0, 0, 0), (4, 0, 0))).accesses[0]
    assert (access.who, access.what) == ("block (0, 0, 0), thread (3, 0, 0)", "updates atomically")


def test_a_thread_of_a_kernel_that_is_not_known_is_not_the_host() -> None:
    conflict = drawn("write", Party("read", HERE, "", None, None))
    assert [access.who for access in conflict.accesses] == ["block (0, 0, 0), thread (3, 0, 0)", "another thread"]
    assert conflict.why.endswith("Of the threads that read it, which one this is was not kept.")
    queued = drawn("write", Party("write", HERE, "", None, None), detail="they are in two queues")
    assert queued.accesses[1].who == "another thread"
    assert queued.why.endswith("They are in two queues.")


def test_what_the_host_does_is_told_of_the_host() -> None:
    assert drawn("read", None, kernel="").accesses[0].who == "the host"


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_readers_that_a_run_does_not_know_are_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sums.c").write_text(SUMS)
    done = CliRunner().invoke(main, ["run", "-q", "--check", "--html", "sums.html", "sums.c"])
    assert done.exit_code == 3
    assert "; conflicts with read at sums.c:7 by another thread (60 times)" in done.stderr
    page = unescape(Path("sums.html").read_text())
    assert "<strong>another thread</strong> reads <code>sums[0]</code>" in page
    assert "<strong>the host</strong>" not in page
