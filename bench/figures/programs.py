"""Public CUDA programs that the user has: where each lies, and how it is built and called."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

SEED = 1


@dataclass(frozen=True)
class Program:
    """A CUDA program, of one file or of several that can stand in one.

    ``name`` is what tables call it; ``flags`` are those of the compilers. Of ``arguments``, ``{numbers N}`` is a file
    of so many random numbers from 0 to 1, one a line, and ``{output}`` a file to write.
    """

    name: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    sources: tuple[str, ...]
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def listed(file: Path, folder: Path) -> tuple[Program, ...]:
    """The programs of a list in TOML, a table each, whose sources lie in ``folder``.

    :raises msgspec.MsgspecError: the list is not of that form.
    :raises FileNotFoundError: a source is not there.
    """
    entries = msgspec.toml.decode(file.read_bytes(), type=dict[str, _Entry])
    programs = [
        Program(
            name,
            tuple(folder / source for source in entry.sources),
            tuple(f"-I{folder / flag[2:]}" if flag.startswith("-I") else flag for flag in entry.flags),
            entry.arguments,
        )
        for name, entry in entries.items()
    ]
    if missing := [source for program in programs for source in program.sources if not source.is_file()]:
        raise FileNotFoundError(f"{file.name} names {missing[0]}, which there is not")
    return tuple(programs)


def found(folder: Path) -> tuple[Program, ...]:
    """All .cu files below a folder, each a program that is called without arguments."""
    return tuple(unlisted(path) for path in sorted(folder.rglob("*.cu")))


def unlisted(source: Path) -> Program:
    """A program without flags and arguments, called after its folder and its file."""
    return Program("/".join(source.parts[-2:]), (source,))


def one_file(program: Program, scratch: Path) -> tuple[Path, tuple[str, ...]]:
    """The file to build, and the flags that it needs; of several sources it is made in ``scratch``."""
    folders = dict.fromkeys(f"-I{source.parent}" for source in program.sources)
    path = program.sources[0]
    if len(program.sources) > 1:
        path = scratch / f"{program.name}.cu"
        path.write_text("\n".join(source.read_text() for source in program.sources))
    return path, (*folders, *program.flags)


def words(arguments: Sequence[str], scratch: Path) -> tuple[str, ...]:
    """What a program is called with; files for it are made in ``scratch``."""
    return tuple(_word(argument, number, scratch) for number, argument in enumerate(arguments))


def _word(argument: str, number: int, scratch: Path) -> str:
    if not argument.startswith("{"):
        return argument
    path = scratch / f"argument {number}"
    kind, _, count = argument.strip("{}").partition(" ")
    if kind == "numbers":
        numbers = random.Random(SEED)
        path.write_text("".join(f"{numbers.random():.6f}\n" for _ in range(int(count))))
    elif kind != "output":
        raise ValueError(f"{argument} is neither {{numbers N}} nor {{output}}")
    return str(path)
