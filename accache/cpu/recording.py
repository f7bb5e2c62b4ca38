"""What one block of each kernel does to memory, in the order in which this CPU did it: a run that was recorded."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from accache.base.text import Location
from accache.cpu.build import Program
from accache.cpu.findings import is_in_library, source_places
from accache.cpu.run import RunResult, run

Shape = tuple[int, int, int]


class Event(NamedTuple):
    """An access: by a thread of the block, in a phase (the barriers before it), of bytes of an array from an offset on.

    ``access`` is r, w or a (atomic), ``memory`` is global, shared, heap or variable. ``element_bytes`` is 0 where it
    is not known; ``copying`` that a routine makes it that fetches a tile or writes it back. ``line`` is 0 if unknown.
    There are hundreds of thousands, of which tuples are made fastest.
    """

    thread: int
    phase: int
    access: str
    memory: str
    array: str
    offset: int
    element_bytes: int
    bytes: int
    copying: bool
    file: str
    line: int


@dataclass(frozen=True)
class Block:
    """The first block of a kernel's first launch: what its threads do, and all that they fetch and write back.

    Of each thread as many accesses are recorded, of those in the first warp more: those in ``cut`` did others, too.
    Copies of threads behind the first warp are missing from the phase ``cut_phase`` on; None where none is.
    """

    kernel: str
    shape: Shape
    grid: Shape
    events: tuple[Event, ...]
    cut: tuple[int, ...] = ()
    cut_phase: int | None = None


def record(
    program: Program,
    arguments: Sequence[str],
    directory: Path,
    *,
    seed: int | None = None,
    all_warps: bool = True,
    with_lines: bool = False,
    stdin: str = "",
    timeout: float | None = None,
) -> tuple[RunResult, tuple[Block, ...]]:
    """Run a program that was built with ``check``, and read what its first blocks did.

    Threads run in the order of a ``seed``, if there is one. Of threads behind the first warp there are only copies
    unless ``all_warps`` are recorded. Kernels have lines of method private ``with_lines`` even if these do not pay for
    so few threads. What the program prints is lost.

    Raises subprocess.TimeoutExpired after ``timeout`` seconds.
    """
    path = directory / "record.tsv"
    where = {"ACCACHE_CPU_RECORD": str(path)}
    where |= {"ACCACHE_CPU_RECORD_WARPS": "all"} if all_warps else {}
    where |= {"ACCACHE_CPU_LINES": "all"} if with_lines else {}
    result = run(program, arguments, seed=seed, environment=where, quiet=True, stdin=stdin, timeout=timeout)
    return result, read_record(path, program.executable)


def read_record(path: Path, executable: Path) -> tuple[Block, ...]:
    """The blocks in the file that a run has written; none if there is no file."""
    rows = [line.split("\t") for line in path.read_text(errors="replace").splitlines()] if path.exists() else []
    places = _places({tuple(row[9:]) for row in rows if row[0].isdecimal()}, executable)
    blocks: list[Block] = []
    events: list[Event] = []
    for row in rows:
        if row[0] == "block":
            blocks.append(Block(row[1], _shape(row[2:5]), _shape(row[5:8]), ()))
            events = []
        elif row[0] == "end":
            phase, *cut = map(int, row[1:])
            cut_phase = phase if phase >= 0 else None
            blocks[-1] = replace(blocks[-1], events=tuple(events), cut=tuple(cut), cut_phase=cut_phase)
        else:
            events.append(_event(row, places[tuple(row[9:])]))
    return tuple(blocks)


def _places(calls: Set[tuple[str, ...]], executable: Path) -> dict[tuple[str, ...], Location | None]:
    """Where the program makes accesses: the innermost call that is in no file of accache's, or the access itself."""
    chains = {words: [int(address) for word in words for address in word.split()] for words in calls}
    found = source_places(executable, sorted({address for chain in chains.values() for address in chain}))
    places = {}
    for words, chain in chains.items():
        theirs = (found[address][0] for address in chain)
        places[words] = next((place for place in theirs if place is not None and not is_in_library(place)), None)
    return places


def _shape(words: Sequence[str]) -> Shape:
    x, y, z = map(int, words)
    return x, y, z


def _event(row: Sequence[str], place: Location | None) -> Event:
    thread, phase, access, memory, array, offset, element, size, copying = row[:9]
    file, line = (place.file, place.line) if place else ("", 0)
    return Event(
        int(thread),
        int(phase),
        access,
        memory,
        array=array,
        offset=int(offset),
        element_bytes=int(element),
        bytes=int(size),
        copying=copying == "1",
        file=file,
        line=line,
    )
