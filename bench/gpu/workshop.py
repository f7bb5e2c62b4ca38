"""Cases built side by side, and looked at one after the other until time is up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from accache.base.diagnostics import CompileError
from gpu.cases import Case, sources
from gpu.results import Results
from gpu.targets import Failed, Target


@dataclass(frozen=True)
class Workshop:
    """Where a stage works: ``until`` is the ``time.monotonic()`` after which no case is begun."""

    target: Target
    folder: Path
    jobs: int
    until: float

    def built(self, cases: Iterable[Case], *, timed: bool = False) -> Iterator[tuple[Case, Callable[[], Path]]]:
        """Each case with a function that waits for its executable; cases that differ in arguments alone share one.

        That function raises Failed, or CompileError where accache refuses the program.
        """
        # the folder goes last: builds that have begun when time is up still write there
        with tempfile.TemporaryDirectory(prefix="accache-gpu-") as name, ThreadPoolExecutor(self.jobs) as pool:
            tasks: dict[object, Future[Path]] = {}
            todo = list(cases)
            for case in todo:
                kind = (case.program, case.column, case.options)
                if kind not in tasks:
                    tasks[kind] = pool.submit(self._build, case, Path(name) / str(len(tasks)), timed)
            for case in todo:
                if time.monotonic() > self.until:
                    pool.shutdown(wait=False, cancel_futures=True)
                    print(f"time is up before {case.key}", flush=True)
                    return
                yield case, tasks[case.program, case.column, case.options].result

    def _build(self, case: Case, folder: Path, timed: bool) -> Path:
        folder.mkdir()
        return self.target.build(sources(case, self.target.arch, folder), folder, timed=timed)

    def record(
        self, results: Results, cases: Iterable[Case], look: Callable[[Case, Path], dict[str, object]], *, timed: bool
    ) -> None:
        """Write down for each new case what ``look`` finds of its executable, or why there is none."""
        new = [case for case in cases if not results.has(case.key)]
        for case, executable in self.built(new, timed=timed):
            try:
                found = look(case, executable())
            except CompileError as error:
                found = {"refused": str(error.diagnostics[0].message) if error.diagnostics else str(error)}
            except Failed as error:
                found = {"failed": str(error)}
            results.add(case.key, program=case.program.name, column=case.column, **found)
            print(f"{case.key}: {_short(found)}", flush=True)


def _short(found: dict[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in found.items() if not isinstance(value, list))[:200]
