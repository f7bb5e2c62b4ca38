"""``--tune measure``: run a program with its kernels in their best few forms, and keep the quickest of each.

The forms are those of the planner, whose estimates say which are worth a run; all of them are legal, so that a
measurement decides nothing but speed. In one run every kernel has its next form.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.tuning import VERSION, TunedKernel, Tuning
from accache.driver import Translation, translate
from accache.report.records import CandidateReport, KernelReport
from accache.workflows.building import host_flags
from accache.workflows.cuda import build_timed

MOST_FORMS = 5
PLAIN = "plain"

Timer = Callable[[Translation, Options, Sequence[str]], Mapping[str, float]]
"""Runs a translated program with arguments: the milliseconds of all launches of each kernel, by its name in PTX."""


def tune(path: str, options: Options, arguments: Sequence[str], gpu: str, *, timer: Timer) -> Tuning:
    """Measure the kernels of a program of which there are several forms.

    Raises CompileError as translating and building do, and where a kernel is never launched (ACC609).
    """
    usual = replace(options, tune="model", choices=())
    kernels = [kernel for kernel in translate(path, usual).report.kernels if len(kernel.candidates) > 1]
    measured: dict[str, dict[str, float]] = {kernel.name: {} for kernel in kernels}
    for row in zip_longest(*map(worth_measuring, kernels)):
        chosen = {kernel.name: form for kernel, form in zip(kernels, row, strict=True) if form is not None}
        translation = translate(path, replace(usual, choices=tuple(chosen.items()), line=True))
        times = timer(translation, usual, arguments)
        for name, form in chosen.items():
            if (spent := time_of(name, times)) is not None:
                measured[name][form] = round(spent, 6)
    reporter = Reporter()
    for kernel in kernels:
        if not measured[kernel.name]:
            reporter.report("ACC609", kernel=kernel.name)
    reporter.stop_on_errors()
    return Tuning(VERSION, gpu, options.arch, {name: _quickest(times) for name, times in measured.items()})


def worth_measuring(kernel: KernelReport) -> tuple[str, ...]:
    """The names of the forms to measure: what the estimate takes, the plain one, the best with tiles, others.

    Of those with tiles also the best one in which a thread has one iteration.
    """
    wanted: list[CandidateReport] = [item for item in kernel.candidates if item.chosen]
    wanted += [item for item in kernel.candidates if item.name == PLAIN]
    tiled = [item for item in kernel.candidates if item.subarrays]
    wanted += [*tiled[:1], *[item for item in tiled if not item.iterations][:1]]
    wanted += kernel.candidates
    return tuple(dict.fromkeys(item.name for item in wanted))[:MOST_FORMS]


def time_of(kernel: str, times: Mapping[str, float]) -> float | None:
    """The milliseconds of a kernel's launches, in whatever version each took; None if there were none."""
    own = re.compile(rf"(^|\d){re.escape(kernel)}(?!_?\d)")
    found = [spent for name, spent in times.items() if own.search(name)]
    return sum(found) if found else None


def _quickest(times: Mapping[str, float]) -> TunedKernel:
    """Of equal ones the first, which the estimate prefers."""
    return TunedKernel(min(times, key=times.__getitem__), dict(times))


def gpu_name() -> str:
    """The GPU of this machine; raises CompileError if there is none (ACC608)."""
    found = ""
    if shutil.which("nvidia-smi"):
        command = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = done.stdout.strip() if not done.returncode else ""
    if not found:
        raise Reporter().fail("ACC608")
    return found.splitlines()[0]


def time_on_gpu(translation: Translation, options: Options, arguments: Sequence[str]) -> Mapping[str, float]:
    """The times of a program on this machine's GPU, each launch repeated by the launch timer.

    Raises CompileError if it cannot be built, or does not come to its end (ACC610).
    """
    with tempfile.TemporaryDirectory(prefix="accache-tune-") as name:
        folder = Path(name)
        flags = host_flags(translation, options)
        program = build_timed(translation.host, translation.device, folder, options, flags=flags)
        file = folder / "times"
        environment = {**os.environ, "ACCACHE_TIMES": str(file)}
        done = subprocess.run(
            [program, *arguments], capture_output=True, text=True, errors="replace", env=environment, check=False
        )
        if done.returncode not in (0, -signal.SIGALRM) or not file.exists():
            raise Reporter().fail("ACC610", reason=done.stderr.strip()[-300:] or f"status {done.returncode}")
        return read_times(file.read_text())


def read_times(text: str) -> Mapping[str, float]:
    r"""What the launch timer writes: a line a launch, of kernel, grid, block and milliseconds.

    >>> read_times("k 1,1,1 32,1,1 3 1 2\nk 1,1,1 32,1,1 4\n")
    {'k': 6.0}
    """
    found: dict[str, float] = {}
    for line in text.splitlines():
        kernel, _, _, *times = line.split()
        found[kernel] = found.get(kernel, 0.0) + median(map(float, times))
    return found
