"""What Nsight Compute measured of a kernel: CSV files of ``ncu --csv``, with a metric a column or a metric a row."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from accache.base.diagnostics import CompileError, Reporter

BYTES = "l1tex__m_xbar2l1tex_read_bytes_mem_lg_op_ld.sum"
SECTOR_HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
METRICS = (BYTES, SECTOR_HITS, SECTORS)
"""Bytes that L1 got from L2 for loads; sectors that global loads asked for, and those of them that L1 had."""
_SCALE = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNIT = re.compile(r"([KMGT]?)(?:byte|sector)s?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Measurement:
    """Sums over the launches of a kernel in one file: bytes from L2 to L1, sectors asked for, and those that hit."""

    bytes: int
    sectors: int
    sector_hits: int


def read_measurement(text: str, name: str, kernel: str) -> Measurement:
    """The measurement of a kernel in a file of that name, in either form.

    The forms are those of ``ncu --csv --page raw`` (metrics are columns, units stand in the second row) and of ``ncu
    --csv`` (columns named Metric Name, Metric Unit and Metric Value). Lines of ncu's own in front are skipped.
    ``kernel`` is the kernel's name in PTX or in CUDA.

    Raises:
        CompileError: there is no such table, or it lacks the kernel or one of METRICS.
    """
    rows = _table(text, name)
    header = rows[0]
    if "Metric Name" in header:
        values = _by_rows(header, rows[1:], name, kernel)
    else:
        values = _by_columns(header, rows[1:], name, kernel)
    for metric in METRICS:
        if not values[metric]:
            raise _wrong(name, f"it has no {metric} of the kernel '{kernel}'")
    return Measurement(*(sum(values[metric]) for metric in (BYTES, SECTORS, SECTOR_HITS)))


def _table(text: str, name: str) -> list[list[str]]:
    """The rows from the header on, all as long as it."""
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise _wrong(name, 'no line starts with "ID", as the header of ncu\'s does')
    rows = [row for row in csv.reader(io.StringIO("\n".join(lines[start:]))) if row and not row[0].startswith("==")]
    if short := next((number for number, row in enumerate(rows) if len(row) != len(rows[0])), 0):
        raise _wrong(name, f"row {short} of its table has {len(rows[short])} cells, not {len(rows[0])}")
    if "Kernel Name" not in rows[0]:
        raise _wrong(name, "it has no column 'Kernel Name'")
    return rows


def _by_columns(header: list[str], rows: Sequence[list[str]], name: str, kernel: str) -> dict[str, list[int]]:
    values: defaultdict[str, list[int]] = defaultdict(list)
    kernels = header.index("Kernel Name")
    units = rows[0] if rows else []
    for row in rows[1:]:
        if is_kernel(row[kernels], kernel):
            for metric in set(METRICS) & set(header):
                place = header.index(metric)
                values[metric].append(_number(row[place], units[place], name))
    return values


def _by_rows(header: list[str], rows: Sequence[list[str]], name: str, kernel: str) -> dict[str, list[int]]:
    values: defaultdict[str, list[int]] = defaultdict(list)
    wanted = ("Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
    if lacking := [column for column in wanted if column not in header]:
        raise _wrong(name, f"it has no column '{lacking[0]}'")
    places = [header.index(column) for column in wanted]
    for row in rows:
        who, metric, unit, value = (row[place] for place in places)
        if metric in METRICS and is_kernel(who, kernel):
            values[metric].append(_number(value, unit, name))
    return values


def is_kernel(shown: str, kernel: str) -> bool:
    """Whether ncu shows a kernel under that name: ``f(int *)``, ``f``, ``void f<int>(int *)`` or as in PTX.

    >>> [is_kernel(shown, "_Z1fPi") for shown in ("f(int *)", "void f<int>(int *)", "_Z1fPi", "g(int *)")]
    [True, True, True, False]
    """
    base = re.sub(r"<.*>", "", shown.partition("(")[0]).split("::")[-1].split(" ")[-1]
    return kernel in (shown, base) or (kernel.startswith("_Z") and f"{len(base)}{base}" in kernel)


def _number(text: str, unit: str, name: str) -> int:
    """A count, such as 1,234 sectors or 1.5 Mbyte."""
    scale, digits = _UNIT.fullmatch(unit), text.replace(",", "")
    if scale is None or not _NUMBER.fullmatch(digits):
        raise _wrong(name, f"'{text}' is no number of bytes or sectors ('{unit}')")
    return round(float(digits) * _SCALE[scale[1]])


def _wrong(name: str, reason: str) -> CompileError:
    return Reporter().fail("ACC970", name=name, reason=reason)
