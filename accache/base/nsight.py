"""What Nsight Compute counted of kernels: CSV files of ``ncu --csv``, with a metric a column or a metric a row.

The forms are those of ``ncu --csv --page raw`` (metrics are columns, units stand in the second row) and of ``ncu
--csv`` (columns named Metric Name, Metric Unit and Metric Value). Lines of ncu's own in front are skipped.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Sequence

from accache.base.diagnostics import CompileError, Reporter

_SCALE = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNIT = re.compile(r"([KMGT]?)(?:byte|sector|request)s?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NAME = "Kernel Name"


def sums(text: str, name: str, kernel: str, metrics: Sequence[str]) -> dict[str, int]:
    """Sums of metrics over the launches of a kernel in a file of that name; those that it lacks are left out.

    ``kernel`` is the kernel's name in PTX or in CUDA.

    Raises:
        CompileError: there is no such table, or a value is no number of bytes, sectors or requests.
    """
    header, *rows = _table(text, name)
    by = _by_rows if "Metric Name" in header else _by_columns
    found = by(header, rows, name, kernel, metrics=metrics)
    return {metric: sum(found[metric]) for metric in metrics if found[metric]}


def kernels_in(text: str, name: str) -> tuple[str, ...]:
    """The names of the kernels in a file, as it shows them, in their order.

    Raises:
        CompileError: there is no such table.
    """
    header, *rows = _table(text, name)
    place = header.index(_NAME)
    return tuple(dict.fromkeys(row[place] for row in rows if row[0]))


def _table(text: str, name: str) -> list[list[str]]:
    """The rows from the header on, all as long as it."""
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise _wrong(name, 'no line starts with "ID", as the header of ncu\'s does')
    rows = [row for row in csv.reader(io.StringIO("\n".join(lines[start:]))) if row and not row[0].startswith("==")]
    if short := next((number for number, row in enumerate(rows) if len(row) != len(rows[0])), 0):
        raise _wrong(name, f"row {short} of its table has {len(rows[short])} cells, not {len(rows[0])}")
    if _NAME not in rows[0]:
        raise _wrong(name, f"it has no column '{_NAME}'")
    return rows


def _by_columns(
    header: list[str], rows: Sequence[list[str]], name: str, kernel: str, *, metrics: Sequence[str]
) -> dict[str, list[int]]:
    values: defaultdict[str, list[int]] = defaultdict(list)
    kernels = header.index(_NAME)
    units = rows[0] if rows else []
    for row in rows[1:]:
        if is_kernel(row[kernels], kernel):
            for metric in set(metrics) & set(header):
                place = header.index(metric)
                values[metric].append(_number(row[place], units[place], name))
    return values


def _by_rows(
    header: list[str], rows: Sequence[list[str]], name: str, kernel: str, *, metrics: Sequence[str]
) -> dict[str, list[int]]:
    values: defaultdict[str, list[int]] = defaultdict(list)
    wanted = (_NAME, "Metric Name", "Metric Unit", "Metric Value")
    if lacking := [column for column in wanted if column not in header]:
        raise _wrong(name, f"it has no column '{lacking[0]}'")
    places = [header.index(column) for column in wanted]
    for row in rows:
        who, metric, unit, value = (row[place] for place in places)
        if metric in metrics and is_kernel(who, kernel):
            values[metric].append(_number(value, unit, name))
    return values


def is_kernel(shown: str, kernel: str) -> bool:
    """Whether ncu shows a kernel under that name: ``f(int *)``, ``f``, ``void f<int>(int *)`` or as in PTX.

    >>> [is_kernel(shown, "_Z1fPi") for shown in ("f(int *)", "void f<int>(int *)", "_Z1fPi", "g(int *)")]
    [True, True, True, False]
    """
    base = base_name(shown)
    return kernel in (shown, base) or (kernel.startswith("_Z") and f"{len(base)}{base}" in kernel)


def base_name(shown: str) -> str:
    """The name of a kernel that ncu shows, without its type, namespace, template arguments and parameters.

    >>> base_name("void outer::f<int>(int *)")
    'f'
    """
    return re.sub(r"<.*>", "", shown.partition("(")[0]).split("::")[-1].split(" ")[-1]


def _number(text: str, unit: str, name: str) -> int:
    """A count, such as 1,234 sectors or 1.5 Mbyte."""
    scale, digits = _UNIT.fullmatch(unit), text.replace(",", "")
    if scale is None or not _NUMBER.fullmatch(digits):
        raise _wrong(name, f"'{text}' is no number of bytes, sectors or requests ('{unit}')")
    return round(float(digits) * _SCALE[scale[1]])


def _wrong(name: str, reason: str) -> CompileError:
    return Reporter().fail("ACC970", name=name, reason=reason)
