"""Papers 001 and 003: which arrays are preloaded, and what lines of threads move; 003's rows are bench/private.py's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import private

from accache.l1.gpus import gpu_named
from accache.library.suggesting import suggest
from figures.figure import Chart, Figure, Row, Settings
from figures.kernels import OWN

GPUS = ("kepler", "h100")
LINES_GPU = "h100"
SIZE = 4
"""Bytes of a record that threads scan."""


def preloads(settings: Settings) -> Figure:
    """Paper 001: what becomes of the arrays of plain kernels, by ``accache suggest``, on GPUs with and without L1."""
    rows: list[Row] = []
    for program in OWN[:2] if settings.quick else OWN[:-1]:
        for gpu in GPUS:
            for kernel in suggest(str(program), gpu=gpu).to_dict()["kernels"]:
                for array in kernel["arrays"]:
                    rows.append((f"{program.name} {kernel['name']}", gpu, *_told(array)))
    columns = ("kernel", "GPU", "array", "thread density", "decision", "sectors of L1", "with a copy")
    said = (
        "times: 1.26 times as fast on a GTX 980 and 1.62 on a P100, geometric means; the text at hand is the abstract, "
        "which has no table"
    )
    return Figure("preloads", said, columns, tuple(rows), Chart("kernel", "thread density", "array", "GPU"))


def _told(array: Mapping[str, Any]) -> Row:
    """What a row says of an array; kernels whose threads differ have no density, and arrays that stay no copy."""
    sectors = array["sectors"] or {}
    decision = array["decision"] if array["rule"] is None else array["rule"]
    return array["name"], array["density"], decision, sectors.get("with_l1"), sectors.get("with_copy")


def lines(settings: Settings) -> Figure:
    """Paper 003: bytes from L2 to L1 for each that threads ask for, by L1 alone and by lines of 16 and 32 bytes."""
    streams = (1,) if settings.quick else (1, 2, 4)
    threads = (256,) if settings.quick else (256, 1024, 2048)
    source = settings.scratch / "scan.c"
    source.write_text(private.program(streams, (SIZE,)))
    kernels = [
        private.Kernel(source, options, settings.scratch / f"scan, {name}") for name, options in private.ways(())
    ]
    rows: list[Row] = []
    for count in streams:
        for each in threads:
            cell = private.scanned(kernels, count, SIZE, each, gpu=gpu_named(LINES_GPU))
            for way, moved in zip(("L1 alone", "16-byte lines", "32-byte lines"), cell.moved, strict=True):
                rows.append((count, each, way, round(moved, 2), "lines" if cell.takes_lines else "L1"))
    columns = ("streams", "threads", "way", "bytes a byte", "auto takes")
    said = (
        "a draft without results: instructions 25 % more, monitoring under 1 % of the time, 6 and 9 % of registers an "
        "array"
    )
    return Figure("lines of threads", said, columns, tuple(rows), Chart("threads", columns[3], "way", "streams"))
