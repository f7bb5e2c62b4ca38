"""What a checked run found, as it is drawn: the accesses of each finding, who made them, and what they meet at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from accache.base.text import Location, SourceFile
from accache.cpu.findings import Finding, Party

SHOWN = 20
"""Findings that a page draws."""
_UNORDERED = (
    "nothing orders them: no barrier, no atomic access and no end of a kernel stands between them, so either may come "
    "first."
)
_WHY = {
    "stale": "The other copy of the array has a newer value.",
    "unfinished": "A queue may still be at work on this memory, and nobody waited for it.",
}
_VERBS = {"read": "reads", "write": "writes", "atomic": "updates atomically", "used": "uses the copy of"}


class Access(Struct, frozen=True):
    """An access of a finding: ``who`` does ``what``, ``where``; ``line`` is the program's, with its ``text``, or 0."""

    who: str
    what: str
    where: str
    line: int
    text: str


class Conflict(Struct, frozen=True):
    """A finding: its title, what its accesses meet at, why that is wrong, the accesses, and options that repeat it."""

    title: str
    place: str
    why: str
    accesses: tuple[Access, ...]
    repeat: str = ""


def conflicts_of(source: SourceFile, found: Sequence[Finding]) -> tuple[Conflict, ...]:
    """The findings of a run of a program; those past the first ones are left out."""
    lines = source.text.splitlines()
    return tuple(_conflict(each, source, lines) for each in found[:SHOWN])


def lines_of(source: SourceFile, found: Sequence[Finding]) -> Mapping[int, tuple[str, ...]]:
    """What there is to say of findings, in a few words, by the lines of the program that their accesses are in."""
    told: dict[int, list[str]] = {}
    for each in found:
        places = [line_of(party.location, source) for party in each.parties]
        for number, line in enumerate(places):
            others = sorted({other for other in places[:number] + places[number + 1 :] if other not in (0, line)})
            beside = f", with line {others[0]}" if others else ""
            text = f"{each.kind} on {each.array or each.memory}{beside}"
            if line and text not in told.setdefault(line, []):
                told[line].append(text)
    return {line: tuple(texts) for line, texts in sorted(told.items())}


def _conflict(found: Finding, source: SourceFile, lines: Sequence[str]) -> Conflict:
    where = f" in kernel {found.kernel}" if found.kernel else " on the host"
    times = f", {found.times} times" if found.times > 1 else ""
    accesses = tuple(_access(party, source, lines, is_with_any=found.is_with_any_thread) for party in found.parties)
    title = f"{found.kind}{where}: {found.place}{times}"
    why = " ".join(filter(None, (_why(found), _sentence(found.detail))))
    return Conflict(title, _element(found), why, accesses, found.repeat)


def _why(found: Finding) -> str:
    """Why a finding is wrong; "" where its detail says so."""
    if found.kind != "race" or found.other is None:
        return _WHY.get(found.kind, "")
    kinds = [party.access for party in (found.party, found.other)]
    told = {0: "Both write", 1: "One of the two writes"}.get(kinds.count("read"), "They meet")
    several = found.is_with_any_thread and found.other.access == "read"
    who = " Of the threads that read it, which one this is was not kept." if several else ""
    return f"{told}, and {_UNORDERED}{who}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _access(party: Party, source: SourceFile, lines: Sequence[str], *, is_with_any: bool) -> Access:
    line = line_of(party.location, source)
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    who = _who(party) or ("another thread" if is_with_any else "the host")
    return Access(who, _what(party), str(party.location or "?"), line, text)


def _who(party: Party) -> str:
    """The block and the thread; "" where they are not known, or there are none."""
    places = (", ".join(map(str, place)) if place else "" for place in (party.block, party.thread))
    names = (f"{name} ({place})" for name, place in zip(("block", "thread"), places, strict=True) if place)
    return ", ".join(names)


def _what(party: Party) -> str:
    return _VERBS.get(party.access, party.access)


def _element(found: Finding) -> str:
    return found.memory and f"{found.array or 'memory'}{'' if found.element is None else f'[{found.element}]'}"


def line_of(location: Location | None, source: SourceFile) -> int:
    """The line of the program that a place is in, 0 if it is in another file; places in our folder do not name it."""
    if location is None or Path(location.file).absolute() != Path(source.name).absolute():
        return 0
    return location.line
