"""Find the fewest threads that show a finding again: the program runs once more, and tries them at the launch."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from accache.cpu.build import Program
from accache.cpu.findings import Finding, Party, Position, read_reports
from accache.cpu.run import environment_of_run

_UNSEEN_BY_SOME = ("barrier-divergence",)
"""Kinds that threads which do not run would hide or make: a barrier waits for those that run."""
_ENDED = (0, -signal.SIGSEGV, -signal.SIGBUS)
"""How a trial ends that does not wait for ever: some findings are of accesses that end the program."""
_POSITION = r"\d{1,10}(\.\d{1,10}){0,2}"
_THREADS = re.compile(rf"\d{{1,10}}:{_POSITION}(:{_POSITION})?")
THREADS = "LAUNCH:BLOCK or LAUNCH:BLOCK:THREAD, where a block or thread is x, x.y or x.y.z"
"""What each of the words behind --threads is."""
LONGEST = 60.0
"""Seconds that the second run may take beyond ten times those of the first."""


@dataclass(frozen=True)
class _Trial:
    """Threads that may show a finding, and the file for what they show."""

    finding: Finding
    threads: str
    report: Path

    def is_among(self, shown: Sequence[Finding]) -> bool:
        """Whether the finding is among those that the threads show, and the launch came to its end."""
        return _status(self.report) in _ENDED and _bare(self.finding) in map(_bare, shown)


def are_threads(text: str) -> bool:
    """Whether a text is what --threads takes.

    >>> are_threads("0:1.2:28,3:0"), are_threads("0:1:"), are_threads("1")
    (True, False, False)
    """
    return all(_THREADS.fullmatch(each) for each in text.split(","))


def repeated(
    program: Program,
    arguments: Sequence[str],
    findings: Sequence[Finding],
    seed: int,
    *,
    seconds: float,
    stdin: str | None = None,
    limit: float | None = None,
) -> tuple[Finding, ...]:
    """The findings of a run under ``seed``, each with options that repeat it; that run took so many ``seconds``.

    The program runs once more, its output dropped, for ``limit`` seconds at most; at the launch of a finding, copies of
    the process run the threads that the finding names, and the blocks of these. The first of the two that shows the
    very same finding is told. Without ``stdin`` it reads our input, if that can be read again.
    """
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        trials = [
            _Trial(finding, threads, Path(folder) / f"{number}-{attempt}")
            for number, finding in enumerate(findings)
            for attempt, threads in enumerate(choices(finding))
        ]
        if trials:
            longest = 10 * seconds + LONGEST
            timeout = longest if limit is None else min(longest, limit)
            _run(program, arguments, trials, seed, folder=Path(folder), stdin=stdin, timeout=timeout)
        reports = read_reports([trial.report for trial in trials], program.executable)
        showing: dict[Finding, str] = {}
        for trial, shown in zip(trials, reports, strict=True):
            if trial.is_among(shown):
                showing.setdefault(trial.finding, f" --threads {trial.threads}")
    return tuple(replace(finding, repeat=f"--seed {seed}{showing.get(finding, '')}") for finding in findings)


def choices(finding: Finding) -> Iterator[str]:
    """The threads of a finding, if all are known, then their blocks, as ``--threads`` takes them."""
    known = [party for party in finding.parties if party.block is not None and party.thread is not None]
    if finding.launch is None or finding.kind in _UNSEEN_BY_SOME or not known:
        return
    for parts in (_thread, _block) if len(known) == len(finding.parties) else (_block,):
        yield ",".join(dict.fromkeys(f"{finding.launch}:{parts(party)}" for party in known))


def _thread(party: Party) -> str:
    return f"{_block(party)}:{_axes(party.thread)}"


def _block(party: Party) -> str:
    return _axes(party.block)


def _axes(position: Position | None) -> str:
    """A position without the zeros at its end.

    >>> _axes((3, 1, 0))
    '3.1'
    """
    axes = list(position or (0,))
    while len(axes) > 1 and not axes[-1]:
        axes.pop()
    return ".".join(map(str, axes))


def _bare(finding: Finding) -> Finding:
    """What a repetition must have in common: all but how often it happened."""
    return replace(finding, times=0)


def _status(report: Path) -> int | None:
    """How a trial ended, which its last line tells."""
    lines = report.read_text(errors="replace").splitlines() if report.exists() else []
    status: int | None = json.loads(lines[-1])["status"] if lines and '"end"' in lines[-1] else None
    return status


def _run(
    program: Program,
    arguments: Sequence[str],
    trials: Sequence[_Trial],
    seed: int,
    *,
    folder: Path,
    stdin: str | None,
    timeout: float,
) -> None:
    listed = folder / "trials"
    listed.write_text("".join(f"{trial.threads} {trial.report}\n" for trial in trials))
    settings = {
        "ACCACHE_CPU_SEED": str(seed),
        "ACCACHE_CPU_TRIALS": str(listed),
        "ACCACHE_CPU_FINDINGS": os.devnull,
    }
    with suppress(subprocess.TimeoutExpired):  # what was tried until then stands
        subprocess.run(
            [str(program.executable.absolute()), *arguments],
            env=environment_of_run(settings),
            stdin=_input() if stdin is None else None,
            input=stdin,
            encoding="utf-8",
            errors="replace",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=timeout,
        )


def _input() -> int | None:
    """A file on standard input from its start; nothing else can be read again."""
    with suppress(OSError, ValueError):
        number = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
        if stat.S_ISREG(os.fstat(number).st_mode):
            os.lseek(number, 0, os.SEEK_SET)
            return None
    return subprocess.DEVNULL
