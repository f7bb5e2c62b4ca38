"""Counters of GV100 that others published.

They are those of HyFiSS's authors (figures-paper/compare.xlsx of their artefact), by launches, and of AccelWattch's
(hw_perf.csv in Accel-Sim's util/accelwattch/accelwattch_hw_profiler), averages over the launches of a kernel.
"""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

from accache.workflows.bypass.running import plain_name

_SPACES = {
    "m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
}
Rates: TypeAlias = Mapping[tuple[str, int | str], float]
"""Read sectors of global memory that L1 has, in %, by program and number of the launch in its run, or by its kernel."""
_RATE = "unified L1 cache hit rate for read transactions (global memory accesses)"
_LAUNCH = "Kernel ID"
MEASURED, SIMULATED = "NCU", "PPT"
"""The sheets of Nsight Compute's counters, and of the one simulator that has this rate, PPT-GPU."""


def hit_rates(path: Path, sheet: str = MEASURED) -> Rates:
    """Those of launches, in a sheet of the workbook.

    :raises OSError: there is no such file.
    :raises KeyError: it is no such workbook: there is no such sheet or column.
    """
    with zipfile.ZipFile(path) as book:
        rows = list(_rows(book, sheet))
    columns = {title: column for column, title in rows[0].items()}
    launch, rate = columns[_LAUNCH], columns[_RATE]
    return {(row["A"], int(row[launch])): float(row[rate]) for row in rows[1:] if "A" in row and rate in row}


def averages(path: Path) -> Rates:
    """Those of kernels that load something, in the file of comma-separated values.

    :raises OSError: there is no such file.
    :raises KeyError: it is no such file: there is no such column.
    """
    with path.open(newline="") as file:
        rows = [
            (row["Benchmark"], plain_name(row["Kernel"]), float(row["L1_RH"]), float(row["L1_RM"]))
            for row in csv.DictReader(file)
        ]
    return {(program, kernel): 100 * hits / (hits + misses) for program, kernel, hits, misses in rows if hits + misses}


def _rows(book: zipfile.ZipFile, sheet: str) -> Iterator[Mapping[str, str]]:
    """The cells of each row by their columns' letters."""
    texts = ["".join(item.itertext()) for item in _tree(book, "xl/sharedStrings.xml").findall("m:si", _SPACES)]
    for row in _tree(book, _path(book, sheet)).iterfind("m:sheetData/m:row", _SPACES):
        cells = {}
        for cell in row:
            value = cell.findtext("m:v", None, _SPACES)
            if value is not None:
                column = re.sub(r"\d", "", cell.get("r", ""))
                cells[column] = texts[int(value)] if cell.get("t") == "s" else value
        yield cells


def _path(book: zipfile.ZipFile, sheet: str) -> str:
    """Where a sheet is in the archive."""
    ids = {each.get("name"): each for each in _tree(book, "xl/workbook.xml").iterfind("m:sheets/m:sheet", _SPACES)}
    wanted = ids[sheet].get(f"{{{_SPACES['r']}}}id")
    targets = {each.get("Id"): each.get("Target") for each in _tree(book, "xl/_rels/workbook.xml.rels")}
    return f"xl/{targets[wanted]}"


def _tree(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(book.read(name))
