"""Read what the checker wrote, with source lines in the place of code addresses."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from accache.base.resources import ATOMICS
from accache.base.text import Location
from accache.cpu.definitions import ATOMIC_FUNCTION
from accache.cpu.toolchain import INCLUDE, WORKING_DIRECTORY, call

Position = tuple[int, int, int]
_Place = tuple[Location | None, str]
_LIBRARY = re.compile(r"accache_\w+\.(?:cuh|h)")
_NO_ACCESSES = {
    "barrier-divergence": "barrier",
    "wide-shift": "shift",
    "index": "index",
}  # what else a finding can be of


@dataclass(frozen=True)
class Party:
    """One of the accesses of a finding: where in the source, and by which block and thread (None: not known)."""

    access: str
    location: Location | None
    function: str
    block: Position | None
    thread: Position | None

    def __str__(self) -> str:
        who = f" by block {_position(self.block)} thread {_position(self.thread)}" if self.block and self.thread else ""
        where = f" at {self.location}" if self.location else ""
        return f"{self.access}{where}{who}"


FindingKind: TypeAlias = Literal[
    "race", "out-of-bounds", "use-after-free", "invalid-free", "uninitialised", "host-pointer", "barrier-divergence",
    "wide-shift", "illegal-address", "misaligned", "index", "stale", "unfinished", "unwritten",
]  # fmt: skip
FoundMemory: TypeAlias = Literal["global", "heap", "shared", "variable", "host", "local"]


@dataclass(frozen=True)
class Finding:
    """Something a kernel must not do.

    An ``index`` is one past what the type of an array says; of a ``stale`` place one side reads what the other has
    newer. Of the host and of transfers, which have no ``kernel``, the kind is stale, unfinished (a queue still uses
    it), unwritten (it comes to the host, and nobody wrote it) or race. The ``memory`` local is a thread's own.
    ``element`` is the index in ``array``, in elements (of the access's size where the array's is unknown);
    ``first_element`` is the first one that is there, where a section in a data clause does not begin with its array.
    ``times`` counts how often it happened. ``use`` is there if ``party`` only copied a value, as a fetch does: who used
    the copy. ``launch`` is the kernel launch in which it was first seen, from 0 on.
    ``repeat`` are options with which ``accache run --check`` shows it again; empty if that was not asked for.
    """

    kind: FindingKind
    kernel: str
    party: Party
    other: Party | None
    memory: FoundMemory | Literal[""]
    array: str
    element: int | None
    array_elements: int | None
    detail: str
    times: int
    use: Party | None = None
    launch: int | None = None
    repeat: str = ""
    first_element: int = 0

    def __str__(self) -> str:
        where = f"in kernel {self.kernel}" if self.kernel else "on the host"
        text = f"{self.party.location or '?'}: {self.kind} {where}: {self.party}"
        if self.memory:
            text += f", {self.place}"
        if self.other:
            text += f"; {'conflicts with ' if self.kind == 'race' else ''}{self.other}"
            text += " by another thread" if self.is_with_any_thread else ""
        if self.use:
            text += f"; {self.use}"
        if self.detail:
            text += f"; {self.detail}"
        return text + (f" ({self.times} times)" if self.times > 1 else "")

    @property
    def is_with_any_thread(self) -> bool:
        """Whether the other access is a kernel's and its thread is not known: one of several readers, or long ended."""
        return self.kind == "race" and bool(self.kernel) and self.other is not None and self.other.thread is None

    @property
    def parties(self) -> tuple[Party, ...]:
        """All who are told of."""
        return tuple(party for party in (self.party, self.other, self.use) if party is not None)

    @property
    def place(self) -> str:
        """The array element in words."""
        if self.element is None:
            return f"{self.memory} memory"
        if self.memory == "local" and self.array_elements == 1:
            return f"local variable {self.array}"
        size = f" ({self._there(self.array_elements)})" if self.array_elements is not None else ""
        return f"{self.memory} array {self.array or 'of unknown name'}[{self.element}]{size}"

    def _there(self, count: int) -> str:
        """Which elements of the array are there, in words."""
        first = self.first_element
        return f"{self.array}[{first}:{count}] is on the device" if first else f"it has {count} elements"


@dataclass(frozen=True)
class Counters:
    """Accesses of one kernel by memory and kind."""

    global_loads: int
    global_stores: int
    global_atomics: int
    shared_loads: int
    shared_stores: int
    shared_atomics: int

    def __add__(self, other: Counters) -> Counters:
        return Counters(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


@dataclass(frozen=True)
class KernelCounters:
    """What all launches of a kernel did: ``own`` outside of copy routines, ``copying`` inside of them."""

    kernel: str
    launches: int
    own: Counters
    copying: Counters

    @property
    def total(self) -> Counters:
        """All accesses."""
        return self.own + self.copying


def read_findings(report: Path, executable: Path) -> tuple[tuple[Finding, ...], tuple[KernelCounters, ...]]:
    """The findings and counters in a checker's report; both empty if the program launched nothing."""
    records = _records(report)
    counters = (
        KernelCounters(record["kernel"], record["launches"], Counters(**record["own"]), Counters(**record["copying"]))
        for record in records
        if record["type"] == "kernel"
    )
    return _findings(records, _places((records,), executable)), tuple(counters)


def read_reports(reports: Sequence[Path], executable: Path) -> tuple[tuple[Finding, ...], ...]:
    """The findings in each of several reports, whose source lines are asked for together."""
    each = tuple(map(_records, reports))
    places = _places(each, executable)
    return tuple(_findings(records, places) for records in each)


_Record = Mapping[str, Any]


def _records(report: Path) -> tuple[_Record, ...]:
    lines = report.read_text(errors="replace").splitlines() if report.exists() else []
    return tuple(json.loads(line) for line in lines if line.endswith("}"))


def _places(reports: Sequence[Sequence[_Record]], executable: Path) -> Mapping[int, _Place]:
    """Where the accesses of all findings are."""
    keys = ("pc", "other_pc", "use_pc")
    addresses = {record[key] for records in reports for record in records for key in keys if record.get(key)}
    return source_places(executable, sorted(addresses))


def _findings(records: Sequence[_Record], places: Mapping[int, _Place]) -> tuple[Finding, ...]:
    times = {record["number"]: record["times"] for record in records if record["type"] == "count"}
    # an emulated atomic update loads and then swaps: one access to the program
    told = [
        _finding(record, places, times.get(record["number"], 1)) for record in records if record["type"] == "finding"
    ]
    outside = Counter[Location | None]()
    for finding in told:
        outside[finding.party.location] += finding.times if finding.kind == "out-of-bounds" else 0
    # an index past a row may lead out of the array as well, which says more; but not that of each row does
    kept = [finding for finding in told if finding.kind != "index" or finding.times > outside[finding.party.location]]
    return tuple({replace(finding, times=0, launch=None): finding for finding in kept}.values())


def _finding(record: _Record, places: Mapping[int, _Place], times: int) -> Finding:
    unit = record.get("element_bytes") or record.get("bytes") or 1
    known = bool(record.get("array_bytes"))
    other = None
    if "other_pc" in record or "other_block" in record:
        other = _party(record, "other_", places)
    return Finding(
        kind=record["kind"],
        kernel=record["kernel"],
        party=_party(record, "", places),
        other=other,
        memory=record.get("memory", ""),
        array=record.get("array", ""),
        element=record["offset"] // unit if known else None,
        array_elements=record["array_bytes"] // unit if known else None,
        detail=record["detail"],
        times=times,
        use=_use(record, places),
        launch=record.get("launch"),
        first_element=record.get("first_byte", 0) // unit,
    )


def _party(record: _Record, prefix: str, places: Mapping[int, _Place]) -> Party:
    location, function = places.get(record.get(f"{prefix}pc", 0), (None, ""))
    if not prefix and "file" in record:
        location = Location(record["file"], record["line"])
    access = record.get(f"{prefix}access", _NO_ACCESSES.get(record["kind"], "access"))
    return Party(
        access, location, function, _triple(record.get(f"{prefix}block")), _triple(record.get(f"{prefix}thread"))
    )


def _use(record: _Record, places: Mapping[int, _Place]) -> Party | None:
    if "use_pc" not in record:
        return None
    location, function = places.get(record["use_pc"], (None, ""))
    return Party("used", location, function, _triple(record["block"]), _triple(record["use_thread"]))


def source_places(executable: Path, addresses: Sequence[int]) -> dict[int, _Place]:
    """Source line and function of return addresses: the innermost place that is not in functions of ours.

    One in the run-time library is taken where it stands in no function of the program's.
    """
    if not addresses:
        return {}
    # A return address follows the call; the call's own line is one byte before it.
    query = "\n".join(f"{address - 1:#x}" for address in addresses)
    output = call(("addr2line", "-e", executable, "-a", "-f", "-i", "-C"), text=query)
    places: dict[int, _Place] = {}
    lines = output.splitlines()
    address = 0
    for position, line in enumerate(lines):
        if line.startswith("0x"):
            address = int(line, 16) + 1
            frames = [frame for frame in _frames(lines, position + 1) if not _is_ours(frame)]
            places[address] = next((frame for frame in frames if not is_in_library(frame[0])), (*frames, (None, ""))[0])
    return places


def _frames(lines: Sequence[str], position: int) -> list[_Place]:
    """The inlined frames listed from ``position`` on, innermost first: pairs of function and file:line lines."""
    frames: list[_Place] = []
    while position + 1 < len(lines) and not lines[position].startswith("0x"):
        file, _, line = lines[position + 1].partition(" (")[0].rpartition(":")
        file = file.removeprefix(f"{WORKING_DIRECTORY}/")
        location = Location(file, int(line)) if line.isdigit() and not file.startswith("??") else None
        frames.append((location, lines[position]))
        position += 2
    return frames


def is_in_library(place: Location | None) -> bool:
    """Whether a place is in a file of the run-time library, as ``#line`` directives call them."""
    return place is not None and _LIBRARY.fullmatch(place.file) is not None


def _is_ours(place: _Place) -> bool:
    """Whether a place is in the headers that stand for CUDA's, or in an atomic function that accache has written."""
    location, function = place
    if location is not None and (location.file == ATOMICS or Path(location.file).absolute().is_relative_to(INCLUDE)):
        return True
    return ATOMIC_FUNCTION.search(function) is not None


def _triple(values: Sequence[int] | None) -> Position | None:
    return (values[0], values[1], values[2]) if values else None


def _position(position: Position) -> str:
    return f"({position[0]},{position[1]},{position[2]})"
