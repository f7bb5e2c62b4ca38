"""Hold the model against a file of Nsight Compute's counters, kernel by kernel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.nsight import base_name, kernels_in, sums
from accache.base.options import OptionError
from accache.l1.gpus import Gpu, gpu_named
from accache.l1.measured import METRICS, NEEDED, Compared, as_table, compared, mean_error, predicted
from accache.library.modelling import study

_NOT_MODELLED = ("ACC972", "ACC974", "ACC975")
"""A kernel that the run does not launch, that loads nothing, or whose block does too much to be traced."""


class Comparison(Struct, frozen=True):
    """Rows for the kernels of a file of counters, the cache that was modelled, and what there is to say."""

    rows: tuple[Compared, ...]
    gpu: Gpu
    diagnostics: tuple[Diagnostic, ...]

    def to_dict(self) -> dict[str, Any]:
        """What ``accache model --measured --json`` prints."""
        rows = [
            {
                "kernel": row.kernel,
                "quantity": row.quantity,
                "predicted": row.predicted,
                "measured": row.measured,
                "error": row.error,
                "reason": row.reason,
            }
            for row in self.rows
        ]
        return {"gpu": self.gpu.name, "compared": rows, "mean_absolute_error": mean_error(self.rows)}

    def __str__(self) -> str:
        return as_table(self.rows, self.gpu)


def compare(program: str | None, trace: str | None, measured: str, options: Mapping[str, Any]) -> Comparison:
    """Model each kernel of the file ``measured``, or that of the options; the others are as for ``modelling.model``.

    A trace is that of one kernel, which the file has alone, or which the options name.

    Raises:
        CompileError: a file cannot be read, the program cannot be compiled or run, or the counters lack a metric.
        OptionError: an option has no such value, or it is not known which kernel the trace is of.
    """
    text = _read(measured)
    shown = {base_name(kernel): kernel for kernel in kernels_in(text, measured)}
    wanted = [options["kernel"]] if options.get("kernel") else list(shown)
    if trace is not None and len(wanted) != 1:
        raise OptionError(f"a trace is of one kernel, and '{measured}' has {', '.join(wanted) or 'none'}", "measured")
    rows: list[Compared] = []
    told: list[Diagnostic] = []
    gpu = gpu_named(options["gpu"])
    for kernel in wanted:
        counters = _counters(text, measured, kernel)
        try:
            made = study(program, trace, (), {**options, "kernel": "" if program is None else kernel})
        except CompileError as error:
            if error.diagnostics[0].code not in _NOT_MODELLED:
                raise
            rows += compared(kernel, counters, {}, error.diagnostics[0].message)
            continue
        gpu = made.gpus[0]
        rows += compared(kernel, counters, predicted(made.traces[0], gpu, made.tools))
        told += made.diagnostics
    return Comparison(tuple(rows), gpu, tuple(dict.fromkeys(told)))


def _counters(text: str, name: str, kernel: str) -> dict[str, int]:
    """What a file counted of a kernel; raises CompileError if it lacks something."""
    found = sums(text, name, kernel, METRICS)
    if lacking := [metric for metric in NEEDED if metric not in found]:
        raise Reporter().fail("ACC970", name=name, reason=f"it has no {lacking[0]} of the kernel '{kernel}'")
    return found


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError as error:
        raise Reporter().fail("ACC101", name=path, reason=error.strerror or error) from error
