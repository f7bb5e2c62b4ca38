"""Build and run every C file of a folder with accache, and write a table of what became of each.

    python tests/conformance/runner.py FOLDER [--flags=-DN=3] [--table=FILE] [--only=PATTERN] [--oracles] [--cuda]

A file is a program that says by its exit status whether it passed. Nothing here knows a particular suite.
Kernels run on the CPU with separate device memory. The columns of the table:

    file       below the folder
    result     pass, refused, compile error, link error, failed, crashed, timed out, broken (a fault in accache)
    detail     the codes of the refusal, the exit status, or the signal
    said       the first message of whoever refused, or what the program said last
    launches   kernels launched
    single     of these, with one thread altogether
    sequential loops that accache says it runs sequentially
    cuda       with --cuda: whether nvcc compiles the translation: yes, no or - (not translated)
    gcc, acc   with --oracles: what plain gcc and gcc -fopenacc make of it: pass, no (does not compile), or how it ends
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).parents[2]
COMPILER = (sys.executable, "-m", "accache", "cc")
LIBRARIES = ("-lm",)
_ERROR = re.compile(r"^(?:.*?:\d+(?::\d+)?: )?error: (.*) \[(ACC\d+)\]$", re.M)
_LAUNCH = re.compile(r"^accache: launch .* grid=\((.*?)\) block=\((.*?)\)", re.M)
_SEQUENTIAL = re.compile(r"runs sequentially.*\[ACC\d+\]$", re.M)


@dataclass(frozen=True)
class Limits:
    """Seconds a compiler and a program may take."""

    compile: float = 120
    run: float = 20


@dataclass(frozen=True)
class Row:
    """What became of a file; see the columns above."""

    file: str
    result: str
    detail: str = ""
    said: str = ""
    launches: int = 0
    single: int = 0
    sequential: int = 0
    cuda: str = ""
    gcc: str = ""
    acc: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a process ended; ``status`` is None after a time-out, and negative for a signal."""

    status: int | None
    output: str


@dataclass(frozen=True)
class Suite:
    """A folder of programs, and how to build them."""

    folder: Path
    flags: tuple[str, ...] = ()
    limits: Limits = Limits()
    oracles: bool = False
    cuda: bool = False
    only: str = "*.c"

    def files(self) -> tuple[Path, ...]:
        """Every C file, or those whose names match ``only``, in alphabetical order."""
        return tuple(path for path in sorted(self.folder.rglob("*.c")) if path.match(self.only))

    def try_file(self, path: Path) -> Row:
        """Build and run one file."""
        with tempfile.TemporaryDirectory(prefix="conformance-") as work:
            row = self._with_accache(path, Path(work))
            others = {}
            if self.cuda:
                others["cuda"] = self._with_nvcc(path, Path(work)) if row.result != "refused" else "-"
            if self.oracles:
                others["gcc"] = self._with_gcc(path, Path(work), ())
                others["acc"] = self._with_gcc(path, Path(work), ("-fopenacc",))
            return Row(**{**vars(row), **others})

    def _with_accache(self, path: Path, work: Path) -> Row:
        name, program = str(path.relative_to(self.folder)), work / "program"
        built = self._build((*COMPILER, "--target=cpu"), path, program)
        if built.status != 0:
            return Row(name, *refusal(built))
        sequential = len(_SEQUENTIAL.findall(built.output))
        ran = execute((str(program),), work, self.limits.run, {"ACCACHE_NOTIFY": "1"})
        launches = _LAUNCH.findall(ran.output)
        single = sum(1 for sizes in launches if set(sizes) == {"1,1,1"})
        return Row(name, *ending(ran), len(launches), single, sequential)

    def _build(self, compiler: Sequence[str], path: Path, program: Path, *more: str) -> Outcome:
        command = (*compiler, *self.flags, str(path), "-o", str(program), *(more or LIBRARIES))
        return execute(command, path.parent, self.limits.compile, {"PYTHONPATH": str(ROOT), "LC_ALL": "C"})

    def _with_nvcc(self, path: Path, work: Path) -> str:
        built = self._build((*COMPILER, "--target=cuda"), path, work / "program.o", "-c")
        return "yes" if built.status == 0 else "no: " + refusal(built)[1]

    def _with_gcc(self, path: Path, work: Path, flags: tuple[str, ...]) -> str:
        program = work / "oracle"
        if self._build(("gcc", "-w", *flags), path, program).status != 0:
            return "no"
        result, detail, _ = ending(execute((str(program),), work, self.limits.run, {}))
        return f"{result} {detail}".strip()


def execute(command: Sequence[str], directory: Path, limit: float, environment: dict[str, str]) -> Outcome:
    """Run a command: what it prints, errors included, and its status. Past the limit it dies with its children."""
    process = subprocess.Popen(
        command,
        cwd=directory,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        status = None
    return Outcome(status, output.decode("utf-8", "replace"))


def refusal(built: Outcome) -> tuple[str, str, str]:
    """Result, detail and message of a file that was not built."""
    if built.status is None:
        return "timed out", "compiler", ""
    lines = built.output.strip().splitlines()
    if "Traceback (most recent call last)" in built.output:
        return "broken", "", shortened(lines[-1])
    errors = _ERROR.findall(built.output)
    if errors:
        return "refused", " ".join(dict.fromkeys(code for _, code in errors)), shortened(errors[0][0])
    errors = [line for line in lines if "error" in line or "undefined reference" in line]
    link = "undefined reference" in built.output or "multiple definition" in built.output
    return "link error" if link else "compile error", f"status {built.status}", shortened((errors or ["nothing"])[0])


def ending(ran: Outcome) -> tuple[str, str, str]:
    """Result, detail and message of a program's run."""
    if ran.status is None:
        return "timed out", "program", ""
    said = [line for line in ran.output.splitlines() if ": accache: " in line]
    message = shortened(said[-1]) if said else ""
    if ran.status < 0:
        return "crashed", signal.Signals(-ran.status).name, message
    return ("failed", f"status {ran.status}", message) if ran.status else ("pass", "", "")


def shortened(line: str) -> str:
    """A line that fits a table."""
    line = " ".join(line.split())
    return line if len(line) <= 120 else line[:117] + "..."


def write_table(rows: Iterable[Row], output: TextIO) -> tuple[Row, ...]:
    """Write a line a file as soon as it is done, columns parted by tabs, below a head; the rows."""
    print("\t".join(field.name for field in fields(Row)), file=output, flush=True)
    done = []
    for row in rows:
        print("\t".join(map(str, astuple(row))), file=output, flush=True)
        done.append(row)
    return tuple(done)


def summary(rows: Sequence[Row]) -> str:
    """How many files there are of each result, and what stood in the way most often."""
    results = Counter(row.result for row in rows)
    lines = [f"{len(rows)} files", *(f"{count:5}  {result}" for result, count in results.most_common())]
    refusals = Counter(f"{row.detail.partition(' ')[0]} {row.said}" for row in rows if row.result == "refused")
    if refusals:
        lines += ["refused:", *(f"{count:5}  {text}" for text, count in refusals.most_common())]
    passed = [row for row in rows if row.result == "pass"]
    lines += [
        f"of {len(passed)} passed:",
        f"{sum(1 for row in passed if not row.launches):5}  launch no kernel",
        f"{sum(1 for row in passed if row.single):5}  launch a kernel with one thread",
        f"{sum(1 for row in passed if row.sequential):5}  run a loop sequentially",
    ]
    if any(row.cuda for row in rows):
        lines.append(f"{sum(1 for row in rows if row.cuda == 'yes'):5}  translations compile with nvcc")
    if any(row.gcc for row in rows):
        able = [row for row in rows if "pass" in (row.gcc, row.acc)]
        lines += [
            f"{sum(1 for row in rows if row.gcc == 'pass'):5}  pass with plain gcc",
            f"{sum(1 for row in rows if row.acc == 'pass'):5}  pass with gcc -fopenacc",
            f"{len(able):5}  pass with one of them, of which accache passes {sum(r.result == 'pass' for r in able)}",
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run a suite, write the table, print the summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--flags", default="", help="options for every compiler")
    parser.add_argument("--table", type=Path, help="where the table goes (default: standard output)")
    parser.add_argument("--only", default="*.c", metavar="PATTERN", help="only files with such names: atomic*.c")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=Limits().run, help="seconds a program may run")
    parser.add_argument("--oracles", action="store_true", help="build and run with gcc and gcc -fopenacc too")
    parser.add_argument("--cuda", action="store_true", help="compile with nvcc too")
    options = parser.parse_args()
    limits = Limits(run=options.limit)
    flags = tuple(shlex.split(options.flags))
    suite = Suite(options.folder.resolve(), flags, limits, options.oracles, options.cuda, options.only)
    with ThreadPoolExecutor(options.jobs) as pool, ExitStack() as files:
        output = sys.stdout
        if options.table:
            options.table.parent.mkdir(parents=True, exist_ok=True)
            output = files.enter_context(options.table.open("w"))
        rows = write_table(pool.map(suite.try_file, suite.files()), output)
    print(summary(rows), end="")


if __name__ == "__main__":
    main()
