"""What there is to tell of each construct of a program, kept by content: only one that changed is planned again.

It follows from the arguments of ``plan_alone`` and from nothing else, so the key is a digest of all of these. Places in
it are counted from the construct's first line: a line typed above a construct leaves its key as it is, and what is
told moves along. Words that may quote a line are kept for the construct at that very line.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import re
from collections import OrderedDict
from collections.abc import Iterator
from threading import Lock
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.base.text import Location, Span
from accache.caching.decisions import Decision
from accache.driver import Lowered, plan_alone
from accache.frontend.source.inclusion import with_places
from accache.ir.openacc.regions import Program, Region
from accache.ir.openacc.routines import Routine
from accache.report.records import SubarrayReport
from accache.report.text import Report

LIMIT = 500
"""Constructs of which something is kept: those of some files, and what they were a few changes ago."""
_NUMBER = re.compile(r"\d+\.\d+|\d+")


class Hint(Struct, frozen=True):
    """A few words that stand behind a line."""

    location: Location
    text: str


class Told(Struct, frozen=True):
    """What there is to tell: messages, decisions (without tiles), and a few words for each directive."""

    diagnostics: tuple[Diagnostic, ...] = ()
    decisions: tuple[Decision, ...] = ()
    hints: tuple[Hint, ...] = ()


class _Kept(Struct, frozen=True):
    """What is told of a construct whose first line was ``line``; ``is_fixed`` if it may quote a line."""

    line: int
    told: Told
    is_fixed: bool


class Constructs:
    """Tells of the constructs of programs, and keeps what it told; threads may share it.

    ``planned`` counts the constructs and sets of routines that were planned.
    """

    def __init__(self) -> None:
        self.planned = 0
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self._lock = Lock()

    def told(self, program: Program, path: str, options: Options) -> Told:
        """What there is to tell of all routines and constructs of a program."""
        diagnostics, decisions, hints = Reporter(), list[Decision](), list[Hint]()
        for part in _parts(program):
            found = self._of(part, path, options)
            diagnostics.include(found.diagnostics)
            decisions += found.decisions
            hints += found.hints
        return Told(tuple(diagnostics.diagnostics), tuple(decisions), tuple(hints))

    def _of(self, part: _Part, path: str, options: Options) -> Told:
        if options.tune == "measure":  # reads a file of measurements
            return self._plan(part, path, options)
        digest = hashlib.sha256(pickle.dumps((path, options, sorted(part.program.names))))
        for written in part.written:
            digest.update(written)
        key = digest.digest()
        with self._lock:
            kept = self._kept.get(key)
        if kept is None or (kept.is_fixed and kept.line != part.origin.line):
            told = self._plan(part, path, options)
            kept = _Kept(part.origin.line, told, _quotes(told, part.lines))
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > LIMIT:
                self._kept.popitem(last=False)
        return _moved(kept.told, part.origin.file, part.origin.line - kept.line)

    def _plan(self, part: _Part, path: str, options: Options) -> Told:
        self.planned += 1
        reporter = Reporter()
        try:
            lowered, report = plan_alone(part.program, path, options, reporter)
        except CompileError as error:
            return Told(error.diagnostics)
        decisions = tuple(replace(item, tile=None) for item in lowered.decisions)
        return Told(tuple(reporter.diagnostics), decisions, tuple(_hints(lowered, report)))


class _Part(Struct, frozen=True):
    """A construct with the routines that it may call, or all routines, as a program of its own.

    ``written`` are the same as bytes, with places counted from ``origin``; ``lines`` are those of all places in it.
    """

    program: Program
    origin: Location
    written: tuple[bytes, ...]
    lines: frozenset[int]


class _Written(Struct, frozen=True):
    """A value as bytes, in which places are counted from ``origin``, and the lines of its places."""

    origin: Location
    data: bytes
    lines: frozenset[int]

    def seen_from(self, origin: Location) -> bytes:
        """The bytes, and where the value is as seen from another place."""
        line = self.origin.line - origin.line if self.origin.file == origin.file else self.origin.line
        return self.data + f"{line} {self.origin.file}".encode("utf-8", "surrogateescape")

    def names(self, name: str) -> bool:
        """Whether a name may stand in the value."""
        return name.encode("utf-8", "surrogateescape") in self.data


class _Writer(pickle.Pickler):
    """Writes values with the places of one file counted from a line, and offsets from an offset."""

    def __init__(self, file: io.BytesIO, origin: Location, offset: int) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.origin = origin
        self.offset = offset
        self.lines: set[int] = set()

    def reducer_override(self, value: object) -> Any:
        if isinstance(value, Location) and value.file == self.origin.file:
            self.lines.add(value.line)
            return Location, (value.file, value.line - self.origin.line, value.column, value.length)
        if isinstance(value, Span):
            return Span, (value.start - self.offset, value.end - self.offset)
        return NotImplemented


def _written(value: object, origin: Location, offset: int = 0) -> _Written:
    buffer = io.BytesIO()
    writer = _Writer(buffer, origin, offset)
    writer.dump(value)
    return _Written(origin, buffer.getvalue(), frozenset(writer.lines))


def _parts(program: Program) -> Iterator[_Part]:
    """All routines, and each construct with those that it may call; of names those that stand there."""
    routines = [(routine, _written(routine, routine.location)) for routine in program.routines]
    if routines:
        yield _part((), routines[0][1], routines, program.names)
    for region in program.regions:
        written = _written(region, region.location, region.text.span.start)
        yield _part((region,), written, _called(written, routines), program.names)


def _part(
    regions: tuple[Region, ...], first: _Written, routines: list[tuple[Routine, _Written]], names: frozenset[str]
) -> _Part:
    written = (first, *(item for _, item in routines))
    visible = frozenset(name for name in names if any(item.names(name) for item in written))
    program = Program(regions, names=visible, routines=tuple(routine for routine, _ in routines))
    lines = frozenset[int]().union(*(item.lines for item in written))
    return _Part(program, first.origin, tuple(item.seen_from(first.origin) for item in written), lines)


def _called(written: _Written, routines: list[tuple[Routine, _Written]]) -> list[tuple[Routine, _Written]]:
    """The routines whose names stand in a construct, or in one of these, in their order."""
    reached, found = [written], set[int]()
    while reached:
        here = reached.pop()
        for number, (routine, item) in enumerate(routines):
            if number not in found and (here.names(routine.name) or here.names(routine.symbol)):
                found.add(number)
                reached.append(item)
    return [routines[number] for number in sorted(found)]


def _hints(lowered: Lowered, report: Report) -> Iterator[Hint]:
    """What became of the subarrays of each directive, in a few words."""
    places = {(item.location.line, item.location.column): item.location for item in lowered.decisions}
    words: dict[Location, list[str]] = {}
    for item in (item for kernel in report.kernels for item in kernel.subarrays):
        place = places[item.line, item.column]
        words.setdefault(Location(place.file, place.line), []).append(_short(item))
    return (Hint(place, "; ".join(dict.fromkeys(found))) for place, found in words.items())


def _short(item: SubarrayReport) -> str:
    """The method and the bytes of a subarray."""
    if item.shared_bytes:
        return f"{item.method}, {item.shared_bytes:,} bytes"
    return {"none": "not cached", "register": "in registers", "local": "a thread's own", "off": "off"}.get(
        item.method, item.method
    )


def _quotes(told: Told, lines: frozenset[int]) -> bool:
    """Whether a number in what is told may be that of a line."""
    numbers = (number for text in _texts(told) for number in _NUMBER.findall(text))
    return any("." not in number and int(number) in lines for number in numbers)


def _texts(value: object) -> Iterator[str]:
    """The texts in a value; those of places are the names of files."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, Struct) and not isinstance(value, Location):
        for name in value.__struct_fields__:
            yield from _texts(getattr(value, name))


def _moved(told: Told, file: str, lines: int) -> Told:
    """What is told of a construct that now stands so many lines further down."""

    def place(location: Location) -> Location:
        is_here = location.file == file and location.line
        return replace(location, line=location.line + lines) if is_here else location

    return with_places(place, told) if lines else told
