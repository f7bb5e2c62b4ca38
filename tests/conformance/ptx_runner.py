"""Run every CUDA C++ program of a folder on the CPU, execute its launches again from PTX, and write a table.

    python tests/conformance/ptx_runner.py FOLDER [--flags=-DN=3] [--arguments=FILE] [--table=FILE] [--launches=100]

A program is a .cu file with a main function. Nothing here knows a particular suite: FILE has a line for each program
that needs arguments, its name below the folder and then these. The columns of the table:

    file     below the folder
    result   agrees, differs, refused, compile error, failed, crashed, timed out, broken (a fault in accache)
    detail   codes of what accache said, or how the program ended
    said     the first message
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TextIO

from runner import ROOT, Outcome, execute, shortened

COMMAND = (sys.executable, "-m", "accache", "run", "--ptx", "--diagnostics=json")
DIFFERENCES = 3
_MAIN = re.compile(r"\bmain\s*\(")
_REPORT = re.compile(r"^\[\n(?:.*\n)*?\]$|^\[\]$", re.M)


@dataclass(frozen=True)
class Row:
    """What became of a program; see the columns above."""

    file: str
    result: str
    detail: str = ""
    said: str = ""


@dataclass(frozen=True)
class Suite:
    """A folder of programs, and how to run them; ``limit`` counts seconds."""

    folder: Path
    flags: tuple[str, ...]
    arguments: Mapping[str, tuple[str, ...]]
    launches: int
    limit: float

    def files(self) -> tuple[Path, ...]:
        """Every program, in alphabetical order."""
        found = sorted(self.folder.rglob("*.cu"))
        return tuple(path for path in found if _MAIN.search(path.read_text(errors="replace")))

    def try_file(self, path: Path) -> Row:
        """Run one program and compare it."""
        name = str(path.relative_to(self.folder))
        words = (f"--launches={self.launches}", path.name, *self.flags, "--", *self.arguments.get(name, ()))
        ran = execute((*COMMAND, *words), path.parent, self.limit, {"PYTHONPATH": str(ROOT)})
        return Row(name, *verdict(ran))


def verdict(ran: Outcome) -> tuple[str, str, str]:
    """Result, detail and message of a program."""
    if ran.status is None:
        return "timed out", "", ""
    if "Traceback (most recent call last)" in ran.output:
        return "broken", "", shortened(ran.output.strip().splitlines()[-1])
    reports = _REPORT.findall(ran.output)
    found = json.loads(reports[-1]) if reports else []
    codes = " ".join(dict.fromkeys(item["code"] for item in found))
    errors = [item for item in found if item["severity"] == "error"]
    said = shortened(errors[0]["message"]) if errors else ""
    if ran.status == DIFFERENCES and errors:
        return "differs", codes, said
    if ran.status == 1 and errors:
        return ("compile error" if "ACC602" in codes else "refused"), codes, said
    if ran.status:
        return ("crashed" if ran.status > 128 else "failed"), f"status {ran.status} {codes}".strip(), said
    return "agrees", codes, said


def write_table(rows: Iterable[Row], output: TextIO) -> tuple[Row, ...]:
    """Write a line a program as soon as it is done, columns parted by tabs, below a head; the rows."""
    print("\t".join(field.name for field in fields(Row)), file=output, flush=True)
    done = []
    for row in rows:
        print("\t".join(astuple(row)), file=output, flush=True)
        done.append(row)
    return tuple(done)


def summary(rows: Sequence[Row]) -> str:
    """How many programs there are of each result."""
    counts = Counter(row.result for row in rows)
    return "\n".join([f"{len(rows)} programs", *(f"{count:5}  {name}" for name, count in counts.most_common())]) + "\n"


def read_arguments(path: Path | None) -> dict[str, tuple[str, ...]]:
    """The arguments of programs by their names."""
    lines = [shlex.split(line) for line in path.read_text().splitlines()] if path else []
    return {words[0]: tuple(words[1:]) for words in lines if words}


def main() -> None:
    """Run a suite, write the table, print the summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--flags", default="", help="options for every compiler")
    parser.add_argument("--arguments", type=Path, help="a file: the name of a program and its arguments a line")
    parser.add_argument("--table", type=Path, help="where the table goes (default: standard output)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--launches", type=int, default=100, help="how many launches of a program are compared")
    parser.add_argument("--limit", type=float, default=300, help="seconds a program may take altogether")
    options = parser.parse_args()
    flags = tuple(shlex.split(options.flags))
    arguments = read_arguments(options.arguments)
    suite = Suite(options.folder.resolve(), flags, arguments, options.launches, options.limit)
    with ThreadPoolExecutor(options.jobs) as pool, ExitStack() as files:
        output = sys.stdout
        if options.table:
            options.table.parent.mkdir(parents=True, exist_ok=True)
            output = files.enter_context(options.table.open("w"))
        rows = write_table(pool.map(suite.try_file, suite.files()), output)
    print(summary(rows), end="")


if __name__ == "__main__":
    main()
