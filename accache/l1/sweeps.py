"""Sweeps: a cache with other values of its parameters, in all combinations (paper, section 7)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from accache.l1.gpus import Gpu, with_shared
from accache.l1.hierarchy import SECTOR_BYTES
from accache.l1.policies import WRITES
from accache.l1.requests import MAX_SECTORS
from accache.l1.sets import INDEXES
from accache.l1.trace import MAX_BYTES

Value = int | str
Sweep = tuple[str, tuple[Value, ...]]
"""A parameter, and the values that it takes."""
_LARGEST = 1 << 30
_TICKS = 1 << 16


@dataclass(frozen=True)
class Parameter:
    """What can be swept: what it is called beside its values, and these, numbers of a range or words."""

    axis: str
    smallest: int = 1
    largest: int = _LARGEST
    words: tuple[str, ...] = ()


PARAMETERS = {
    "size": Parameter("size of L1 [bytes]"),
    "sets": Parameter("sets"),
    "ways": Parameter("ways of a set"),
    "line": Parameter("line [bytes]"),
    "index": Parameter("what chooses the set", words=INDEXES),
    "mshrs": Parameter("registers for lines on their way"),
    "warp_mshrs": Parameter("registers for lines on their way of a warp"),
    "latency": Parameter("least latency of a miss [ticks]", 0, _TICKS),
    "deviation": Parameter("deviation of the latency [ticks]", 0, _TICKS >> 4),
    "hit_latency": Parameter("latency of a hit [ticks]", 0, _TICKS),
    "writes": Parameter("what stores do to L1", words=WRITES),
    "multiprocessors": Parameter("multiprocessors that blocks are dealt out to"),
    "shared": Parameter("shared memory carved out [bytes]", 0),
    "l2_size": Parameter("size of L2 [bytes]"),
}
"""By the names that reports have for them (``parameters``)."""
SWEPT = tuple(PARAMETERS)
OF_TRAFFIC = ("writes", "l2_size")
"""Those that the timed model does not know: they change nothing but the bytes that move."""
_OTHERS = ("mshrs", "warp_mshrs", "latency", "hit_latency", "writes", "multiprocessors")
"""Those on which no other depends, and that a GPU has by the same names."""
FACTOR = "a parameter, as a multiple of the GPU's"
MAX_LINE = MAX_SECTORS * SECTOR_BYTES
PAPER = "paper"
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Section 7 changes associativity, size, line and registers by these, one at a time."""
_VALUE = re.compile(r"(\d{1,15})(k?)")


def parse_sweep(text: str) -> Sweep:
    """The name and the values of one sweep, k stands for 1024; for "paper", that and nothing.

    Raises:
        ValueError: it is not of the form ``name=value,value``, or a value is not one that can be swept.

    >>> parse_sweep("size=8k,16k")
    ('size', (8192, 16384))
    >>> parse_sweep("writes=around,through")
    ('writes', ('around', 'through'))
    """
    if text == PAPER:
        return PAPER, ()
    name, equals, values = text.partition("=")
    if not equals or name not in SWEPT:
        raise ValueError(f"'{text}' is not of the form NAME=VALUE,VALUE with one of the names {', '.join(SWEPT)}")
    parsed = tuple(_value(name, value) for value in values.split(","))
    if len(set(parsed)) < len(parsed):
        raise ValueError(f"'{text}' has a value twice")
    return name, parsed


@dataclass(frozen=True)
class Point:
    """A cache of a sweep: in ``series``, at the place ``value`` of the x ``axis``, which has ``label`` there."""

    gpu: Gpu
    series: str
    value: float
    label: str
    axis: str


def points(gpu: Gpu, sweeps: Sequence[Sweep]) -> tuple[Point, ...]:
    """The caches of a sweep, as they are drawn: the last sweep runs along the x axis, the others make series.

    The sweep "paper" is that of section 7: its x axis has factors, and each parameter is a series.

    Raises:
        ValueError: a name is swept twice, or a combination makes no cache.
    """
    if (PAPER, ()) in sweeps:
        if len(sweeps) > 1:
            raise ValueError("the paper's sweep cannot be combined with others")
        return _section_7(gpu)
    names = [name for name, _ in sweeps]
    if len(set(names)) < len(names):
        raise ValueError("a name is swept twice")
    if not sweeps:
        return (Point(gpu, "", 0, "", ""),)
    found = []
    for values in product(*(values for _, values in sweeps)):
        named = list(zip(names, values, strict=True))
        series = ", ".join(f"{name} {_in_k(value)}" for name, value in named[:-1])
        variant, last = _variant(gpu, dict(named)), values[-1]
        place = sweeps[-1][1].index(last) if isinstance(last, str) else last
        found.append(Point(variant, series or names[-1], place, _in_k(last), PARAMETERS[names[-1]].axis))
    return tuple(found)


def _section_7(gpu: Gpu) -> tuple[Point, ...]:
    found = []
    for name in ("ways", "size", "line", "mshrs"):
        value = {"ways": gpu.ways, "size": gpu.size, "line": gpu.line_bytes, "mshrs": gpu.mshrs}[name]
        if value is None:
            continue
        for factor in FACTORS:
            changed = value * factor
            if changed != int(changed) or changed < 1:
                raise ValueError(f"{factor:g} of {value} is no number of {name}; sweep values of your own")
            found.append(Point(_variant(gpu, {name: int(changed)}), name, factor, f"{factor:g}x", FACTOR))
    return tuple(found)


def parse_bytes(text: str, largest: int = _LARGEST) -> int:
    """A number of bytes; k stands for 1024.

    Raises:
        ValueError: it is none.

    >>> parse_bytes("64k")
    65536
    """
    return _number("shared", text, 0, largest)


def as_csv(records: Sequence[Mapping[str, Any]], swept: Sequence[str] = ()) -> str:
    """Records with the same names as lines of comma-separated values, the names first.

    Lists of words are joined by blanks; what moves between caches gets columns of its own, and so do the parameters
    that are ``swept`` (a class of misses is called latency, too). Tables, and other parameters, are only in JSON.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = [
        _flat(record) | {f"parameter_{name}": record["parameters"][name]["value"] for name in swept}
        for record in records
    ]
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return text.getvalue()


def _flat(record: Mapping[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in record.items():
        if name == "traffic" and isinstance(value, dict):
            found |= {f"traffic_{what}": number for what, number in value.items()}
        elif name == "without" and isinstance(value, list):
            found[name] = " ".join(value)
        elif not isinstance(value, (list, dict)):
            found[name] = value
    return found


def _in_k(value: Value) -> str:
    """A value; a number in k if it is a large multiple of it.

    >>> _in_k(16384), _in_k(1024), _in_k(6), _in_k("fold")
    ('16k', '1k', '6', 'fold')
    """
    return f"{value // 1024}k" if isinstance(value, int) and value and value % 1024 == 0 else str(value)


def _value(name: str, text: str) -> Value:
    known = PARAMETERS[name]
    if not known.words:
        return _number(name, text, known.smallest, known.largest)
    if text not in known.words:
        raise ValueError(f"'{text}' is not a value for {name}: {', '.join(known.words)}")
    return text


def _number(name: str, text: str, smallest: int, largest: int) -> int:
    found = _VALUE.fullmatch(text)
    value = int(found[1]) * (1024 if found[2] else 1) if found else -1
    if not smallest <= value <= largest:
        raise ValueError(f"'{text}' is not a value for {name}: {smallest} to {largest}, or a number of k")
    return value


def _variant(gpu: Gpu, values: Mapping[str, Any]) -> Gpu:
    if "shared" in values:
        if "size" in values:
            raise ValueError("size and shared cannot both be swept: one follows from the other")
        gpu = with_shared(gpu, values["shared"])
    line, index = values.get("line", gpu.line_bytes), values.get("index", gpu.index)
    if not MAX_BYTES <= line <= MAX_LINE or not _is_power_of_two(line):
        raise ValueError(f"a line of {line} bytes is not a power of two from {MAX_BYTES} to {MAX_LINE}")
    sets, ways = _sets_and_ways(gpu, values, line, is_hashed=index != "modulo")
    l2 = replace(gpu.l2, size=values.get("l2_size", gpu.l2.size))
    if l2.size < l2.ways * line:
        raise ValueError(f"an L2 of {l2.size} bytes does not hold a set of {l2.ways} lines of {line} bytes")
    others = {name: values[name] for name in _OTHERS if name in values}
    deviation = float(values.get("deviation", gpu.deviation))
    return replace(gpu, sets=sets, ways=ways, line_bytes=line, index=index, l2=l2, deviation=deviation, **others)


def _sets_and_ways(gpu: Gpu, values: Mapping[str, Any], line: int, *, is_hashed: bool) -> tuple[int, int]:
    """Those of a cache with lines of so many bytes; its size stays, unless both are swept."""
    size, sets, ways = values.get("size", gpu.size), values.get("sets"), values.get("ways", gpu.ways)
    if sets is not None and "ways" in values:
        if "size" in values or "shared" in values:
            raise ValueError("the size, sets and ways cannot all be swept: one follows from the others")
        size = sets * ways * line
        if size > _LARGEST:
            raise ValueError(f"{sets} sets of {ways} ways with lines of {line} bytes are more than {_LARGEST} bytes")
    elif sets is not None:
        ways = size // (sets * line)
        if not ways or ways * sets * line != size:
            raise ValueError(f"{size} bytes are no whole number of ways of {sets} sets with lines of {line} bytes")
    sets, rest = divmod(size, ways * line)
    if is_hashed and (rest or not _is_power_of_two(sets)):
        raise ValueError(f"{size} bytes in {ways} ways with lines of {line} bytes make no power of two of sets")
    if rest or not sets:
        raise ValueError(f"{size} bytes are no whole number of sets of {ways} ways with lines of {line} bytes")
    return sets, ways


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0
