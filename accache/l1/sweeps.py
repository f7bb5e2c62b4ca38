"""Sweeps: a cache with other sizes, ways, lines or registers, in all combinations (paper, section 7)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from accache.l1.gpus import Gpu, with_shared
from accache.l1.hierarchy import SECTOR_BYTES
from accache.l1.requests import MAX_SECTORS
from accache.l1.trace import MAX_BYTES

SWEPT = ("size", "ways", "line", "mshrs", "shared")
AXES = {
    "size": "size of L1 [bytes]",
    "ways": "ways of a set",
    "line": "line [bytes]",
    "mshrs": "registers for lines on their way",
    "shared": "shared memory carved out [bytes]",
}
"""What a parameter is called beside its values."""
FACTOR = "a parameter, as a multiple of the GPU's"
MAX_LINE = MAX_SECTORS * SECTOR_BYTES
PAPER = "paper"
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Section 7 changes associativity, size, line and registers by these, one at a time."""
_LARGEST = 1 << 30
_VALUE = re.compile(r"(\d{1,15})(k?)")


def parse_sweep(text: str) -> tuple[str, tuple[int, ...]]:
    """The name and the values of one sweep, k stands for 1024; for "paper", that and nothing.

    Raises:
        ValueError: it is not of the form ``name=value,value``, or a value is not one that can be swept.

    >>> parse_sweep("size=8k,16k")
    ('size', (8192, 16384))
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


def points(gpu: Gpu, sweeps: Sequence[tuple[str, tuple[int, ...]]]) -> tuple[Point, ...]:
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
        variant, label = _variant(gpu, dict(named)), _in_k(values[-1])
        found.append(Point(variant, series or names[-1], values[-1], label, AXES[names[-1]]))
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
    return _value("shared", text, largest)


def as_csv(records: Sequence[Mapping[str, object]]) -> str:
    """Records with the same names as lines of comma-separated values, the names first.

    Lists of words are joined by blanks, and what moves between caches gets columns of its own; tables and sources of
    parameters are only in JSON.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = [_flat(record) for record in records]
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


def _in_k(value: int) -> str:
    """A number, in k if it is a large multiple of it.

    >>> _in_k(16384), _in_k(1024), _in_k(6)
    ('16k', '1k', '6')
    """
    return f"{value // 1024}k" if value and value % 1024 == 0 else str(value)


def _value(name: str, text: str, largest: int = _LARGEST) -> int:
    found = _VALUE.fullmatch(text)
    value = int(found[1]) * (1024 if found[2] else 1) if found else -1
    smallest = 0 if name == "shared" else 1
    if not smallest <= value <= largest:
        raise ValueError(f"'{text}' is not a value for {name}: {smallest} to {largest}, or a number of k")
    return value


def _variant(gpu: Gpu, values: Mapping[str, int]) -> Gpu:
    if "shared" in values:
        if "size" in values:
            raise ValueError("size and shared cannot both be swept: one follows from the other")
        gpu = with_shared(gpu, values["shared"])
    size, ways = values.get("size", gpu.size), values.get("ways", gpu.ways)
    line = values.get("line", gpu.line_bytes)
    if not MAX_BYTES <= line <= MAX_LINE or not _is_power_of_two(line):
        raise ValueError(f"a line of {line} bytes is not a power of two from {MAX_BYTES} to {MAX_LINE}")
    sets, rest = divmod(size, ways * line)
    if gpu.index != "modulo" and (rest or not _is_power_of_two(sets)):
        raise ValueError(f"{size} bytes in {ways} ways with lines of {line} bytes make no power of two of sets")
    if rest or not sets:
        raise ValueError(f"{size} bytes are no whole number of sets of {ways} ways with lines of {line} bytes")
    return replace(gpu, sets=sets, ways=ways, line_bytes=line, mshrs=values.get("mshrs", gpu.mshrs))


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0
