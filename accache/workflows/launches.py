"""Run a program on this CPU and take its launches down, as values that the PTX machine executes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from accache.base.text import SourceFile
from accache.cpu.captures import prepare_capture
from accache.cpu.definitions import parameter_names
from accache.cpu.run import run
from accache.ptx.machine.launch import Captured
from accache.ptx.replay.capture_file import read_captured
from accache.ptx.replay.names import matching_kernel
from accache.ptx.replay.replay import in_module, unordered_kernels
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module
from accache.workflows.building import Built
from accache.workflows.cuda import compile_to_ptx


class Selection(Struct, frozen=True):
    """The launches to take down: the first ``launches`` of them, of one ``kernel`` or, if that is empty, of all."""

    launches: int
    kernel: str = ""


class CapturedRun(Struct, frozen=True):
    """A run that has ended with an exit status, and the PTX of its kernels. Its launches are read from a file."""

    status: int
    module: Module
    file: Path
    parameters: dict[str, tuple[str, ...]]

    def launches(self) -> Iterator[Captured]:
        """The launches, in their order, with the names that the PTX has for kernels and variables.

        Raises CompileError for a kernel that the PTX does not have (ACC942), and for a broken file (ACC940).
        """
        if self.file.exists():
            for captured in read_captured(self.file, self.parameters):
                yield in_module(captured, self.module)


def capture(
    built: Built, arguments: Sequence[str], selection: Selection, directory: Path, *, arch: str, seed: int | None = None
) -> CapturedRun:
    """Run a program that was built to capture; its output goes where ours does.

    ``directory`` is for the file, and for what compilers make; nvcc compiles the kernels for ``arch``. Without a
    ``seed`` threads run as they are counted. Raises CompileError if there is no nvcc, or it rejects the program.
    """
    text = compile_to_ptx(built.device_file, directory, arch, built.device_flags)
    module = parse(SourceFile("kernels.ptx", text))
    kernels = tuple(kernel.name for kernel in module.kernels)
    unordered = unordered_kernels(module)
    file, environment = prepare_capture(
        built.program,
        built.device_text,
        directory,
        selection.launches,
        kernel=selection.kernel,
        is_unordered=lambda symbol: matching_kernel(symbol, kernels) in unordered,
    )
    result = run(built.program, arguments, seed=seed, workers=1, environment=environment, capture=False)
    return CapturedRun(result.returncode, module, file, parameter_names(built.device_text))
