"""Run every CUDA C++ program of a folder under ``--check``, and hold what is found against the programs' names.

    python tests/conformance/check_runner.py FOLDER [--flags=-Idir] [--arguments='a 2']... [--seeds=3] [--table=FILE]

Suites with known answers have these in the names of files: ``race_...`` and ``...Bug`` are programs with a fault, all
others, ``norace_...`` among them, have none. A program is a .cu file with a main function, in itself or in a header
that it includes from its own folder or from one of the -I folders. Each runs in its folder once for each seed and each
``--arguments``; words of these that name files from the current folder on name them still.
The columns of the table:

    file      below the folder
    result    right, missed (a fault that nobody tells), false alarm, or why there is no answer: refused, timed out
    detail    the kinds of what was found, or the first message
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.cpu.build import Program
from accache.cpu.run import run
from accache.workflows.building import build_cuda

_MAIN = re.compile(r"\bmain\s*\(")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)
_FAULT = re.compile(r"(?:^|_)race|Bug")
LIMIT = 60  # seconds of a run


@dataclass(frozen=True)
class Row:
    """What became of a program; see the columns above."""

    file: str
    result: str
    detail: str = ""


def has_fault(name: str) -> bool:
    """What a file's name says of it.

    >>> [has_fault(name) for name in ("race_block_waw", "norace_block_waw", "push_cond", "push_cond_atomicBug")]
    [True, False, False, True]
    """
    return _FAULT.search(name) is not None


def has_main(path: Path, folders: Sequence[Path], seen: frozenset[Path] = frozenset()) -> bool:
    """Whether a file, or a header that it includes from its own folder or some others, has a main function."""
    text = path.read_text(errors="replace")
    if _MAIN.search(text):
        return True
    found = (folder / name for name in _INCLUDE.findall(text) for folder in (path.parent, *folders))
    return any(has_main(header, folders, seen | {path}) for header in found if header.is_file() and header not in seen)


def words_of(arguments: str) -> list[str]:
    """The words of a program's arguments; what names a file of the current folder does so from any other, too."""
    return [str(Path(word).absolute()) if Path(word).is_file() else word for word in shlex.split(arguments)]


def kinds_of(program: Program, ways: Sequence[list[str]], seeds: int, folder: Path) -> list[str]:
    """The kinds of what is found over all ways to call it and all seeds; raises subprocess.TimeoutExpired."""
    found: list[str] = []
    for arguments in ways:
        for seed in range(seeds):
            result = run(program, arguments, seed=seed, directory=folder, timeout=LIMIT)
            found += [finding.kind for finding in result.findings]
    return sorted(set(found))


def judge(path: Path, folder: Path, flags: tuple[str, ...], ways: Sequence[list[str]], seeds: int) -> Row:
    """Run one program."""
    name = str(path.relative_to(folder))
    try:
        with tempfile.TemporaryDirectory() as place:
            program = build_cuda(str(path), Options(preprocessor=flags), Path(place), check=True).program
            kinds = kinds_of(program, ways, seeds, path.parent)
    except CompileError as error:
        return Row(name, "refused", error.diagnostics[0].message)
    except subprocess.TimeoutExpired:
        return Row(name, "timed out")
    expected = has_fault(path.stem)
    result = "right" if expected == bool(kinds) else "missed" if expected else "false alarm"
    return Row(name, result, " ".join(kinds))


def main() -> int:
    """Run a folder, print the table and how often each result came."""
    parser = argparse.ArgumentParser(description="Hold findings against what the names of programs say.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--flags", default="")
    parser.add_argument("--arguments", action="append")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--table", type=Path)
    chosen = parser.parse_args()
    folder = chosen.folder.resolve()
    flags = tuple(shlex.split(chosen.flags))
    folders = [Path(flag[2:]).absolute() for flag in flags if flag.startswith("-I") and flag != "-I"]
    ways = [words_of(arguments) for arguments in chosen.arguments or [""]]
    files = [path for path in sorted(folder.rglob("*.cu")) if has_main(path, folders)]
    rows = []
    for path in files:
        rows.append(judge(path, folder, flags, ways, chosen.seeds))
        print("\t".join(astuple(rows[-1])), flush=True)
    if chosen.table:
        chosen.table.parent.mkdir(parents=True, exist_ok=True)
        chosen.table.write_text("".join("\t".join(astuple(row)) + "\n" for row in rows))
    for kind, known in (("with a fault", True), ("without one", False)):
        counts = Counter(row.result for row in rows if has_fault(Path(row.file).stem) == known)
        print(f"{kind}: {', '.join(f'{count} {result}' for result, count in counts.most_common()) or 'none'}")
    return int(any(row.result in ("missed", "false alarm") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
