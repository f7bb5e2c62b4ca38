"""Run a built program and collect what it printed and what its checker found."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from accache.cpu.build import Program
from accache.cpu.findings import Finding, KernelCounters, read_findings

_SAID = "accache-cpu: "


@dataclass(frozen=True)
class RunResult:
    """How a program ended; a negative ``returncode`` is the signal that killed it.

    ``findings`` and ``counters`` stay empty unless the program was built with ``check``.
    """

    returncode: int
    stdout: str
    stderr: str
    findings: tuple[Finding, ...] = ()
    counters: tuple[KernelCounters, ...] = ()

    @property
    def complaint(self) -> str:
        """What the run-time library last said of a kernel, such as a barrier to which not all threads come, or ''."""
        lines = [line for line in self.stderr.splitlines() if line.startswith(_SAID)]
        return lines[-1].removeprefix(_SAID) if lines else ""


def environment_of_run(changed: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program that ends when this process does, killed or not, with some variables changed."""
    return {**os.environ, "ACCACHE_CPU_STARTER": str(os.getpid()), **changed}


def run(
    program: Program,
    arguments: Sequence[str] = (),
    *,
    seed: int | None = None,
    workers: int | None = None,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    capture: bool = True,
    quiet: bool = False,
    stdin: str | None = None,
    timeout: float | None = None,
) -> RunResult:
    """Run a program; with a ``seed`` threads and blocks run in a shuffled order.

    ``capture=False`` lets the program write to our own standard output and error; without ``stdin`` it reads our input.
    What a ``quiet`` one prints goes nowhere.
    Raises subprocess.TimeoutExpired after ``timeout`` seconds.
    """
    settings = environment_of_run(environment or {})
    if seed is not None:
        settings["ACCACHE_CPU_SEED"] = str(seed)
    if workers is not None:
        settings["ACCACHE_CPU_WORKERS"] = str(workers)
    output = subprocess.DEVNULL if quiet else subprocess.PIPE if capture else None
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        report = Path(folder) / "findings.jsonl"
        settings["ACCACHE_CPU_FINDINGS"] = str(report)
        done = subprocess.run(
            [str(program.executable.absolute()), *arguments],
            cwd=directory,
            env=settings,
            input=stdin,
            stdout=output,
            stderr=output,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
        )
        findings, counters = read_findings(report, program.executable) if program.check else ((), ())
    return RunResult(done.returncode, done.stdout or "", done.stderr or "", findings, counters)
