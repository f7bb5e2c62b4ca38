"""Run a program and the sequential one, and tell where the values of their arrays and results first differ."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from accache.base.text import Location
from accache.cpu.build import Program
from accache.cpu.run import RunResult, environment_of_run, run


@dataclass(frozen=True)
class Difference:
    """A value that the program and the sequential one have differently, as texts.

    It stands in ``element`` of ``name``, ``member`` bytes from its start; a ``result`` is that of a reduction.
    ``location`` is the directive that brought it to the host, ``writer`` the first construct behind which the two
    differ. So many of its ``elements`` differ there: ``count``.
    """

    result: bool
    name: str
    element: int
    member: int
    own: str
    sequential: str
    count: int
    elements: int
    location: Location
    writer: Location | None = None


@dataclass(frozen=True)
class Parting:
    """The two programs bring different data to the host, or one of them nothing more (None): what, and where."""

    own: tuple[str, Location] | None
    sequential: tuple[str, Location] | None


@dataclass(frozen=True)
class Compared:
    """How a program ran beside the sequential one, which ended with ``status``."""

    result: RunResult
    status: int
    found: Difference | Parting | None


@dataclass(frozen=True)
class Beside:
    """What to hold a program against: ``layouts`` tells what its arrays hold, ``bound`` how far numbers may be apart.

    ``bound`` is relative, and for floating-point numbers alone; with 0 all is compared bit for bit.
    """

    layouts: str
    bound: float = 0.0


def compare(
    program: Program,
    beside: Beside,
    arguments: Sequence[str],
    *,
    seed: int | None = None,
    capture: bool = False,
    stdin: str | None = None,
    timeout: float | None = None,
) -> Compared:
    """Run the sequential program and then the program; if values differ, both once more, to learn since when.

    Only the program's own first run uses our standard output and error, unless it is to ``capture`` them.
    Raises subprocess.TimeoutExpired.
    """
    assert program.sequential is not None, "it was built without"
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        trial = _Trial(
            program, program.sequential, beside, tuple(arguments), seed=seed, timeout=timeout, folder=Path(folder)
        )
        given = _input(stdin)
        status = trial.record(given)
        result, found = trial.run(given, capture=capture)
        if found is None or found["type"] == "order":
            return Compared(result, status, _parting(found) if found else None)
        writer = None
        if "watch" in found:
            trial.record(given, found["watch"])
            watched = trial.run(given, found["watch"], capture=True)[1]
            writer = _location(watched) if watched is not None and watched["type"] == "watched" else None
        return Compared(result, status, _difference(found, writer))


@dataclass(frozen=True)
class _Trial:
    program: Program
    sequential: Path
    beside: Beside
    arguments: tuple[str, ...]
    seed: int | None
    timeout: float | None
    folder: Path

    def settings(self, watch: str) -> dict[str, str]:
        layouts = self.folder / "layouts"
        layouts.write_text(self.beside.layouts, encoding="utf-8", errors="surrogateescape")
        watched = {"ACCACHE_CPU_WATCH": watch} if watch else {}
        return {"ACCACHE_CPU_LAYOUTS": str(layouts), "ACCACHE_CPU_BOUND": repr(self.beside.bound), **watched}

    def record(self, given: str | None, watch: str = "") -> int:
        """Let the sequential program write what its arrays hold; its exit status."""
        settings = {**self.settings(watch), "ACCACHE_CPU_VALUES": str(self.folder / "records")}
        done = subprocess.run(
            [str(self.sequential.absolute()), *self.arguments],
            env=environment_of_run(settings),
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=self.timeout,
        )
        return done.returncode

    def run(self, given: str | None, watch: str = "", *, capture: bool) -> tuple[RunResult, dict[str, Any] | None]:
        """Run the program; what it found to differ, if anything."""
        report = self.folder / "differences"
        report.write_text("")
        settings = {
            **self.settings(watch),
            "ACCACHE_CPU_COMPARE": str(self.folder / "records"),
            "ACCACHE_CPU_DIFFERENCES": str(report),
        }
        result = run(
            self.program,
            self.arguments,
            seed=self.seed,
            environment=settings,
            capture=capture,
            stdin=given,
            timeout=self.timeout,
        )
        text = report.read_text(encoding="utf-8", errors="surrogateescape")
        return result, json.loads(text) if text else None


def _input(stdin: str | None) -> str | None:
    """What all runs read: the given text, or what stands in a file or pipe; None if a person types."""
    if stdin is not None:
        return stdin
    stream: IO[str] | None = sys.__stdin__
    try:
        mode = os.fstat(stream.fileno()).st_mode if stream is not None else 0
    except (OSError, ValueError):
        return None
    is_data = stream is not None and (stat.S_ISREG(mode) or stat.S_ISFIFO(mode))
    return stream.read() if is_data and stream is not None else None


def _location(record: Mapping[str, Any]) -> Location:
    return Location(record["file"], record["line"])


def _parting(record: Mapping[str, Any]) -> Parting:
    own, sequential = record.get("own"), record.get("sequential")
    return Parting(_party(own) if own else None, _party(sequential) if sequential else None)


def _party(record: Mapping[str, Any]) -> tuple[str, Location]:
    what = f"'{record['name']}' ({record['bytes']} bytes)" if record["name"] else "the result of a reduction"
    return what, _location(record)


def _difference(record: Mapping[str, Any], writer: Location | None) -> Difference:
    is_result = record["type"] == "result"
    return Difference(
        is_result,
        record["name"],
        record["element"],
        record["member"],
        own=record["own"],
        sequential=record["sequential"],
        count=record["count"],
        elements=record["elements"],
        location=_location(record),
        writer=_location(record) if is_result else writer,
    )
