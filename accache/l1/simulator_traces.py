"""Traces of Accel-Sim's tracer and of NVBit's mem_trace, as text: all blocks of one launch, a warp instruction a line.

Accel-Sim's are those that its post-processing has ordered by blocks (``kernel-N.traceg``): a line has PC, mask of
lanes, destination registers, opcode, source registers, width, and addresses in one of three forms; before version 3
of the tracer, the block and the warp stand in front of these. NVBit's lines have the block, a hardware warp, the opcode
and 32 addresses, which are 0 for lanes that take no part.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from accache.base.choices import LoadPolicy
from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.l1.text_traces import unpacked_lines
from accache.l1.trace import MAX_ACCESSES, MAX_ADDRESS, MAX_SITES, MAX_THREADS, Site, Trace, wrong_block

ACCEL_SIM, NVBIT = b"-kernel name", b"MEMTRACE: CTX "
_HEADER = re.compile(r"-([\w ]+?) = (.*)")
_EXTENTS = re.compile(r"\((\d{1,10}),(\d{1,10}),(\d{1,10})\)")
_BLOCK = re.compile(r"thread block = (\d{1,10}),(\d{1,10}),(\d{1,10})")
_WARP = re.compile(r"warp = (\d{1,4})")
_LAUNCH = re.compile(r".*- LAUNCH - .*grid size (\d+),(\d+),(\d+) - block size (\d+),(\d+),(\d+) .*")
_ACCESS = re.compile(r".*- grid_launch_id (\d+) - CTA (\d+),(\d+),(\d+) - warp (\d+) - (\S+) -((?: 0x[0-9a-f]+){32}) ?")
_LOADS, _STORES = ("LDG", "LD", "LDGSTS"), ("STG", "ST")
_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_POLICIES: dict[str, LoadPolicy] = {
    "EF": "evict_first",
    "EL": "evict_last",
    "NA": "no_allocate",
    "CG": "cg",
    "CV": "cg",
}
_PLACED_UNTIL, _PLACE = 3, 4
"""The version of the tracer from which on lines no longer begin with the block and the warp, and these words."""
_WINDOW = 1 << 24
"""Bytes of the windows through which generic addresses reach shared and local memory."""
_LANES = 32
Extents = tuple[int, int, int]
_CODES = {"thread": "I", "direction": "B", "address": "Q", "bytes": "B", "step": "I", "site": "I"}
"""What is known of an access, and the type of its column: those of ``trace.Trace``."""


class _Wrong(Exception):
    """What is wrong with a line."""


class _Columns:
    """The accesses so far, a column for each of _CODES."""

    def __init__(self, grid: Extents, block: Extents) -> None:
        reason = wrong_block(block)
        if reason or min(grid) < 1 or grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2] > MAX_THREADS:
            raise _Wrong(reason or f"a grid of {grid} blocks of {block} threads has more than {MAX_THREADS} of them")
        self.grid, self.block = grid, block
        self.threads = block[0] * block[1] * block[2]
        self.columns = {name: array(code) for name, code in _CODES.items()}
        self.sites: dict[tuple[str, LoadPolicy], int] = {}
        self.steps: dict[int, int] = {}

    def warp(self, place: Extents, warp: int) -> int:
        """The first thread of a warp of a block."""
        if any(at >= extent for at, extent in zip(place, self.grid, strict=True)):
            raise _Wrong(f"block {place} is none of a grid of {self.grid}")
        if warp * _LANES >= self.threads:
            raise _Wrong(f"a block of {self.threads} threads has no warp {warp}")
        block = place[0] + self.grid[0] * (place[1] + self.grid[1] * place[2])
        return block * self.threads + warp * _LANES

    def add(self, first: int, name: str, opcode: str, lanes: list[int], *, addresses: list[int]) -> None:
        """An instruction of the warp whose first thread is given."""
        words = opcode.split(".")
        kind = words[0]
        if kind not in _LOADS + _STORES or not lanes:
            return
        width = next((_WIDTHS[word] for word in words[1:] if word in _WIDTHS), 4)
        site = self.sites.setdefault((name, _policy(words)), len(self.sites))
        step = self.steps[first] = self.steps.get(first, -1) + 1
        if len(self.columns["address"]) + len(lanes) > MAX_ACCESSES or site >= MAX_SITES:
            raise _Wrong(f"there are more than {MAX_ACCESSES} accesses, or {MAX_SITES} instructions that make them")
        if max(addresses) > MAX_ADDRESS or min(addresses) < 0:
            raise _Wrong(f"an address is none of 0 to {MAX_ADDRESS}")
        if lanes[-1] + first % self.threads >= self.threads:
            raise _Wrong(f"a block of {self.threads} threads has no thread {lanes[-1] + first % self.threads}")
        count = len(lanes)
        values = (
            [first + lane for lane in lanes],
            [int(kind in _STORES)] * count,
            addresses,
            [width] * count,
            [step] * count,
            [site] * count,
        )
        for column, more in zip(self.columns.values(), values, strict=True):
            column.extend(more)

    def trace(self) -> Trace:
        """All of them, thread after thread; it takes the columns, so that no more than one of them is there twice."""
        order = np.argsort(np.asarray(self.columns["thread"]), kind="stable")
        thread, direction, address, size, step, site = (np.asarray(self.columns.pop(name))[order] for name in _CODES)
        sites = tuple(Site(name, policy=policy) for name, policy in self.sites)
        return Trace(
            self.block, thread, direction, address, bytes=size, step=step, site=site, sites=sites, is_whole=True
        )


def _policy(words: list[str]) -> LoadPolicy:
    if "STRONG" in words and "GPU" in words:
        return "cg"
    return next((_POLICIES[word] for word in words if word in _POLICIES), "ca")


def read_accel_sim(path: Path) -> Trace:
    """The trace of a launch by Accel-Sim's tracer, post-processed.

    Raises:
        OSError: the file cannot be read.
        CompileError: it is no such trace; the message names the line.
    """
    return _read(path, _accel_sim)


def read_nvbit(path: Path) -> Trace:
    """The trace of a launch by NVBit's mem_trace. The warps of a block are numbered as they first access memory.

    Raises:
        OSError: the file cannot be read.
        CompileError: it is no such trace; the message names the line.
    """
    return _read(path, _nvbit)


class _Lines:
    """The lines of a file, and the number of the one that came last."""

    def __init__(self, path: Path) -> None:
        self.path, self.number = path, 0

    def __iter__(self) -> Iterator[str]:
        for line in unpacked_lines(self.path):
            self.number += 1
            yield line


def _read(path: Path, parse: Callable[[Iterable[str]], _Columns]) -> Trace:
    lines = _Lines(path)
    try:
        return parse(lines).trace()
    except (_Wrong, ValueError, IndexError) as error:
        reason = str(error) if isinstance(error, _Wrong) else "this is no instruction of such a trace"
        raise Reporter().fail("ACC803", Location(str(path), max(1, lines.number)), reason=reason) from error


def _accel_sim(lines: Iterable[str]) -> _Columns:
    """The accesses in an Accel-Sim trace: its header, then blocks."""
    header: dict[str, str] = {}
    columns: _Columns | None = None
    place, first = (0, 0, 0), 0
    windows: tuple[int, ...] = ()
    for line in lines:
        if not line or line.startswith(("#", "insts = ")):
            header |= {"format": line} if line.startswith("#traces format") else {}
        elif found := _HEADER.fullmatch(line):
            header[found[1]] = found[2]
        elif found := _BLOCK.fullmatch(line):
            if columns is None:
                columns = _Columns(_extents(header, "grid dim"), _extents(header, "block dim"))
                windows = tuple(int(header.get(f"{name} base_addr", "0"), 16) for name in ("shmem", "local mem"))
            place = (int(found[1]), int(found[2]), int(found[3]))
        elif columns is None:
            raise _Wrong("a 'thread block = x,y,z' comes before instructions")
        elif found := _WARP.fullmatch(line):
            first = columns.warp(place, int(found[1]))
        else:
            _instruction(columns, first, line.split()[_in_front(header) :], windows)
    return columns or _Columns(_extents(header, "grid dim"), _extents(header, "block dim"))


def _in_front(header: dict[str, str]) -> int:
    """How many words stand before the PC of a line: the block and the warp, or the number of a line of the source."""
    version = header.get("accelsim tracer version", "")
    if int(version) < _PLACED_UNTIL if version.isdecimal() else "threadblock_x" in header.get("format", ""):
        return _PLACE
    return int(header.get("enable lineinfo") == "1")


def _extents(header: dict[str, str], name: str) -> Extents:
    found = _EXTENTS.fullmatch(header.get(name, ""))
    if found is None:
        raise _Wrong(f"there is no '-{name} = (x,y,z)'")
    return int(found[1]), int(found[2]), int(found[3])


def _instruction(columns: _Columns, first: int, words: list[str], windows: tuple[int, ...]) -> None:
    """One line: PC mask count [registers] opcode count [registers] width [form addresses]."""
    mask, at = int(words[1], 16), 3 + _count(words[2])
    opcode = words[at]
    at += 2 + _count(words[at + 1])
    lanes = [lane for lane in range(_LANES) if mask >> lane & 1]
    if int(words[at]) == 0 or not lanes:
        return
    addresses = _addresses(words[at + 1], words[at + 2 :], len(lanes))
    is_generic = opcode.split(".")[0] in ("LD", "ST")
    if not (is_generic and any(base and base <= addresses[0] < base + _WINDOW for base in windows)):
        columns.add(first, f"0x{words[0]}", opcode, lanes, addresses=addresses)


def _count(word: str) -> int:
    """How many registers follow."""
    if not word.isdecimal():
        raise _Wrong(f"'{word}' is no number of registers")
    return int(word)


def _addresses(form: str, words: list[str], count: int) -> list[int]:
    """Those of so many lanes: a list, a first one and a stride, or a first one and the steps to the next."""
    if form == "0":
        found = [int(word, 16) for word in words[:count]]
    elif form == "1":
        found = [int(words[0], 16) + int(words[1]) * lane for lane in range(count)]
    elif form == "2":
        found = [int(words[0], 16)]
        for word in words[1:count]:
            found.append(found[-1] + int(word))
    else:
        raise _Wrong(f"addresses have the form {form}, not 0, 1 or 2")
    if len(found) != count:
        raise _Wrong(f"there are {len(found)} addresses for {count} lanes")
    return found


def _nvbit(lines: Iterable[str]) -> _Columns:
    """The accesses in the output of mem_trace; lines of the program itself are skipped."""
    columns: _Columns | None = None
    launch, warps, of_block = "", dict[tuple[Extents, str], int](), Counter[Extents]()
    for line in lines:
        if not line.startswith("MEMTRACE: CTX "):
            continue
        if found := _LAUNCH.fullmatch(line):
            if columns is not None:
                raise _Wrong("a second launch begins; keep the lines of one")
            numbers = [int(number) for number in found.groups()]
            columns = _Columns((numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5]))
        elif found := _ACCESS.fullmatch(line):
            if columns is None:
                raise _Wrong("its launch, with grid size and block size, is missing")
            launch = launch or found[1]
            if found[1] != launch:
                raise _Wrong("this is another launch; keep the lines of one")
            place = (int(found[2]), int(found[3]), int(found[4]))
            if (place, found[5]) not in warps:
                warps[place, found[5]] = of_block[place]
                of_block[place] += 1
            first = columns.warp(place, warps[place, found[5]])
            addresses = [int(word, 16) for word in found[7].split()]
            lanes = [lane for lane, address in enumerate(addresses) if address]
            columns.add(first, found[6], found[6], lanes, addresses=[each for each in addresses if each])
        else:
            raise _Wrong("this is neither a launch nor an access")
    if columns is None:
        raise _Wrong("there is no launch")
    return columns
