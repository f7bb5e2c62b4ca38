"""Run a CUDA program on this CPU up to the launch of a kernel, and decide by what that launch does from its PTX."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.cpu.captures import prepare_capture
from accache.cpu.definitions import parameter_names
from accache.cpu.run import run
from accache.l1.gpus import Gpu
from accache.l1.tools import PLAIN, Tools
from accache.ptx.machine.launch import Captured
from accache.ptx.replay.capture_file import read_captured
from accache.ptx.replay.names import plain_name
from accache.ptx.replay.replay import in_module
from accache.ptx.text.syntax import Module
from accache.workflows.building import build_cuda
from accache.workflows.bypass.deciding import Choice, Decide, Result, decide_on_launch, kernels_named
from accache.workflows.tracing import trace_launch


@dataclass(frozen=True)
class Invocation:
    """How a program is compiled for the CPU (``flags``: -I, -D, -U and -std) and called (``arguments``).

    Messages name ``source``, which the program was made from, if it is not itself the user's. ``compiling`` are the
    arguments of nvcc, the flags among them. The run finds multiprocessors as ``gpu`` has them, if that is given.
    """

    name: str
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    source: str = ""
    compiling: tuple[str, ...] = ()
    gpu: Gpu | None = None

    @property
    def device(self) -> Mapping[str, str]:
        """The environment in which the CPU's device has them (cpu/runtime/source/device_api.cpp)."""
        if self.gpu is None or self.gpu.unified is None:
            return {}
        chip = self.gpu.unified.architecture
        return {"ACCACHE_CPU_DEVICE": f"{self.gpu.multiprocessors} {chip.shared_per_sm} {chip.reserved_per_block}"}


def by_run(invocation: Invocation, kernel: str, choice: Choice, tools: Tools = PLAIN) -> Decide:
    """What decides on a kernel by its first launch in a run of the program; without a name, by the first of all.

    The launch is executed from the very PTX that is decided on.
    """

    def decide(module: Module, reporter: Reporter) -> Result:
        known = {function.name for function in kernels_named(module, kernel, reporter)}
        captured = in_module(first_launch(invocation, plain_name(kernel), reporter), module)
        if captured.launch.kernel not in known:
            raise reporter.fail("ACC972", name=invocation.source or invocation.name, what=f"no kernel '{kernel}'")
        trace = trace_launch(module, captured.launch)
        return decide_on_launch(module, captured.launch.kernel, trace, choice, tools=tools, reporter=reporter)

    return decide


def first_launch(invocation: Invocation, kernel: str, reporter: Reporter) -> Captured:
    """The first launch of a kernel in a run on this CPU, with the memory that it found; what is printed is dropped.

    Raises:
        CompileError: the program cannot be read, compiled or run here, or it does not launch such a kernel.
    """
    name = invocation.source or invocation.name
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        directory = Path(folder)
        built = build_cuda(invocation.name, Options(preprocessor=invocation.flags), directory, capture=True)
        captures, environment = prepare_capture(built.program, built.device_text, directory, 1, kernel=kernel)
        environment = {**environment, **invocation.device}
        done = run(built.program, invocation.arguments, workers=1, environment=environment)
        if done.returncode != 0:
            reporter.report("ACC973", name=name, status=ended(done.returncode, done.complaint))
        names = parameter_names(built.device_text)
        launch = next(read_captured(captures, names), None) if captures.exists() else None
    if launch is None:
        raise reporter.fail("ACC972", name=name, what=f"no kernel '{kernel}'" if kernel else "no kernel")
    return launch


def ended(status: int, complaint: str) -> str:
    """An exit status, and what the run-time library said before the end."""
    return f"{status} ({complaint})" if complaint else str(status)
