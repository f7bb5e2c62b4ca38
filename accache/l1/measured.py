"""What the model predicts of a launch, beside what Nsight Compute counted of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accache.l1.gpus import Gpu
from accache.l1.hierarchy import SECTOR_BYTES
from accache.l1.requests import make_requests
from accache.l1.tables import movement
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Trace, parts_of, without_last_block

SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
SECTOR_HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
NEEDED = (SECTORS, SECTOR_HITS)
METRICS = (*NEEDED, REQUESTS)
"""Sectors that loads of global memory asked for, those that L1 had, and loads of warps, which a file may lack."""
HIT_RATE, WIDTH = "L1 hit rate of read sectors, %", "sectors of a load"


@dataclass(frozen=True)
class Compared:
    """One quantity of a kernel; ``predicted`` is None where the kernel could not be modelled, for a ``reason``."""

    kernel: str
    quantity: str
    predicted: float | None
    measured: float
    reason: str = ""

    @property
    def error(self) -> float | None:
        """By how much the prediction is too large."""
        return None if self.predicted is None else self.predicted - self.measured


def quantities(counters: Mapping[str, int]) -> dict[str, float]:
    """What counters say that does not depend on how much of a launch is looked at."""
    found = {HIT_RATE: 100 * counters[SECTOR_HITS] / counters[SECTORS]} if counters[SECTORS] else {}
    return found | ({WIDTH: counters[SECTORS] / counters[REQUESTS]} if counters.get(REQUESTS) else {})


def predicted(trace: Trace, gpu: Gpu, tools: Tools = PLAIN) -> dict[str, float]:
    """The same of a trace, in the fixed order: the mean over its multiprocessors.

    Where it tells how many have a block less than others, these two kinds are weighed by that.

    Raises:
        CompileError: steps of a thread go back.
        ValueError: a block has more threads than the multiprocessor holds.
    """
    parts = list(parts_of(trace))
    whole = [part for part, blocks in zip(parts, trace.blocks_of, strict=False) if blocks == max(trace.blocks_of)]
    less = [part for part, blocks in zip(parts, trace.blocks_of, strict=False) if blocks < max(trace.blocks_of)]
    if len(parts) == 1:
        whole, less = [trace], [without_last_block(trace)] if trace.shorter else []
    in_l1, asked, loads = _mean(whole, gpu, tools)
    if less:
        in_l1, asked, loads = (
            one * (1 - trace.shorter) + other * trace.shorter
            for one, other in zip((in_l1, asked, loads), _mean(less, gpu, tools), strict=True)
        )
    return {HIT_RATE: 100 * in_l1 / asked, WIDTH: asked / SECTOR_BYTES / loads}


def _mean(parts: Sequence[Trace], gpu: Gpu, tools: Tools) -> tuple[float, float, float]:
    """What ``_counted`` says of one of several multiprocessors, on the average."""
    found = [_counted(part, gpu, tools) for part in parts if (part.direction == 0).any()]
    in_l1, asked, loads = (sum(column) / len(parts) for column in zip(*found, strict=True)) if found else (0, 0, 0)
    return in_l1, asked, loads


def _counted(trace: Trace, gpu: Gpu, tools: Tools) -> tuple[float, float, float]:
    """Bytes of sectors that L1 has, bytes of those asked for, and loads of warps."""
    total = movement(trace, gpu, tools).total
    loads = len(make_requests(trace, gpu, tools.coalesce, tools.order).instruction_first) - 1
    return total.in_l1, total.asked, loads


def compared(kernel: str, counters: Mapping[str, int], model: Mapping[str, float], reason: str = "") -> list[Compared]:
    """A row for each quantity that was measured."""
    known = quantities(counters)
    return [Compared(kernel, name, model.get(name), value, reason) for name, value in known.items()]


def mean_error(rows: Sequence[Compared]) -> float | None:
    """The mean of the absolute errors of hit rates, in points; None if there are none."""
    errors = [abs(row.error) for row in rows if row.quantity == HIT_RATE and row.error is not None]
    return sum(errors) / len(errors) if errors else None


def as_table(rows: Sequence[Compared], gpu: Gpu) -> str:
    """A line for each row, and the mean error of hit rates."""
    width = max(len(row.kernel) for row in rows)
    lines = [f"{'kernel, L1 of ' + gpu.name:<{width + 2}}  {'':<30}{'predicted':>12}{'measured':>12}{'error':>10}"]
    for row in rows:
        numbers = f"{row.measured:>24.2f}  {row.reason}"
        if row.predicted is not None and row.error is not None:
            numbers = f"{row.predicted:>12.2f}{row.measured:>12.2f}{row.error:>+10.2f}"
        lines.append(f"{row.kernel:<{width + 2}}  {row.quantity:<30}{numbers}")
    mean = mean_error(rows)
    told = "no hit rate could be compared" if mean is None else f"mean absolute error of hit rates: {mean:.2f} points"
    return "\n".join((*lines, told, ""))
