"""Executables built side by side and kept, and cases looked at until time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from accache.base.diagnostics import CompileError
from gpu.cases import Case, sources
from gpu.results import Record, Results
from gpu.targets import Absent, Failed, Target

Look = Callable[[Case, Path], Record]
_Look = Callable[[], Record | None]


@dataclass(frozen=True)
class Workshop:
    """Where a stage works: ``until`` is the ``time.monotonic()`` after which no case is begun.

    Executables stay in ``folder/programs``, and what is there is not built again: a machine without a GPU can build for
    one that has it.
    """

    target: Target
    folder: Path
    jobs: int
    until: float

    @property
    def time_is_up(self) -> bool:
        """Whether nothing new is begun."""
        return time.monotonic() > self.until

    def build(self, cases: Iterable[Case], *, timed: bool) -> None:
        """Build what some cases need, and tell what cannot be built; refusals are no failures."""
        with ThreadPoolExecutor(self.jobs) as pool:
            for case, built in self._builds(cases, pool, timed=timed):
                if (found := _found(built.result)) and not self.time_is_up:
                    print(f"{case.build}: {short(found)}", flush=True)

    def record(self, results: Results, cases: Iterable[Case], look: Look, *, timed: bool, alone: bool = True) -> None:
        """Write down for each new case what ``look`` finds of its executable, or why there is none.

        ``alone``: one look at a time, though executables may still be built beside it.
        """
        new = [case for case in cases if not results.has(case.key)]
        with ThreadPoolExecutor(self.jobs) as pool:
            builds = {case.build: built for case, built in self._builds(new, pool, timed=timed)}
            looks = [partial(self._look, case, builds[case.build], look) for case in new]
            for case, record in _one_by_one(new, looks) if alone else _side_by_side(new, looks, pool):
                if record is None:
                    print(f"time is up before {case.key}", flush=True)
                    pool.shutdown(wait=False, cancel_futures=True)
                    return
                results.add(case.key, program=case.program.name, column=case.column, **record)
                print(f"{case.key}: {short(record)}", flush=True)

    def _builds(
        self, cases: Iterable[Case], pool: ThreadPoolExecutor, *, timed: bool
    ) -> Sequence[tuple[Case, Future[Path]]]:
        """The executables of cases; those that differ in arguments alone share one."""
        first = {case.build: case for case in reversed(list(cases))}
        return [(case, pool.submit(self.executable, case, timed=timed)) for case in reversed(first.values())]

    def executable(self, case: Case, *, timed: bool) -> Path:
        """The executable of a case, built if need be; raises Failed, or CompileError where accache refuses it."""
        kind = "timed" if timed and self.target.name != "cpu" else "exact"  # a CPU times the same executables
        place = self.folder / "programs" / kind / case.build.replace(" ", ".").replace("/", ".")
        return self.kept(
            place, lambda folder: self.target.build(sources(case, self.target.arch, folder), folder, timed=timed)
        )

    def _build(self, case: Case, folder: Path, *, timed: bool) -> None:
        self.target.build(sources(case, self.target.arch, folder), folder, timed=timed)

    def kept(self, place: Path, build: Callable[[Path], object]) -> Path:
        """The executable of a folder, where ``build`` puts it if it is not there yet; raises Failed."""
        program = place / "program"
        if not program.exists():
            if self.time_is_up:
                raise Failed("time is up")
            part = place.with_name(f"{place.name}.part")  # what is cut off does not count
            part.mkdir(parents=True, exist_ok=True)
            build(part)
            part.rename(place)
        return program

    def _look(self, case: Case, built: Future[Path], look: Look) -> Record | None:
        if self.time_is_up:
            return None
        return _found(lambda: look(case, built.result()))


def _one_by_one(cases: Sequence[Case], looks: Sequence[_Look]) -> Iterator[tuple[Case, Record | None]]:
    for case, look in zip(cases, looks, strict=True):
        yield case, look()


def _side_by_side(
    cases: Sequence[Case], looks: Sequence[_Look], pool: ThreadPoolExecutor
) -> Iterator[tuple[Case, Record | None]]:
    """As they end. In the pool they are behind all builds, so that none waits for one that has no thread."""
    tasks = {pool.submit(look): case for case, look in zip(cases, looks, strict=True)}
    for task in as_completed(tasks):
        yield tasks[task], task.result()


def _found(look: Callable[[], object]) -> Record:
    """What is found, if it is a record, or why nothing is."""
    try:
        found = look()
    except CompileError as error:
        return {"refused": str(error.diagnostics[0].message) if error.diagnostics else str(error)}
    except Absent as error:
        return {"absent": str(error)}
    except Failed as error:
        return {"failed": str(error)}
    return found if isinstance(found, dict) else {}


def short(found: Record) -> str:
    """A record in few words."""
    return ", ".join(f"{name} {value}" for name, value in found.items() if not isinstance(value, list))[:200]
