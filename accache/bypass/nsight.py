"""What Nsight Compute measured of a kernel: CSV files of ``ncu --csv``."""

from __future__ import annotations

from dataclasses import dataclass

from accache.base.diagnostics import Reporter
from accache.base.nsight import sums

BYTES = "l1tex__m_xbar2l1tex_read_bytes_mem_lg_op_ld.sum"
SECTOR_HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
METRICS = (BYTES, SECTOR_HITS, SECTORS)
"""Bytes that L1 got from L2 for loads; sectors that global loads asked for, and those of them that L1 had."""


@dataclass(frozen=True)
class Measurement:
    """Sums over the launches of a kernel in one file: bytes from L2 to L1, sectors asked for, and those that hit."""

    bytes: int
    sectors: int
    sector_hits: int


def read_measurement(text: str, name: str, kernel: str) -> Measurement:
    """The measurement of a kernel in a file of that name, in either form.

    The forms are those of ``base.nsight``.
    ``kernel`` is the kernel's name in PTX or in CUDA.

    Raises:
        CompileError: there is no such table, or it lacks the kernel or one of METRICS.
    """
    found = sums(text, name, kernel, METRICS)
    for metric in METRICS:
        if metric not in found:
            raise Reporter().fail("ACC970", name=name, reason=f"it has no {metric} of the kernel '{kernel}'")
    return Measurement(*(found[metric] for metric in (BYTES, SECTORS, SECTOR_HITS)))
