"""What ptxas says that kernels need of a multiprocessor: registers, and static shared memory."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from accache.base.options import Options
from accache.ptx.replay.names import plain_name
from accache.report.occupancy import occupancy
from accache.report.text import Report
from accache.workflows.cuda import compile_verbosely, fast_math, kernels_alone

_ENTRY = re.compile(r"Compiling entry function '([^']+)'(.*?)Used (\d+) registers([^\n]*)", re.DOTALL)
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclass(frozen=True)
class Usage:
    """What a thread of a kernel needs of registers, and a block of static shared memory, in bytes; 0 is not known."""

    registers: int = 0
    shared: int = 0


def resource_usage(
    source: Path, directory: Path, arch: str, purpose: str, *, flags: tuple[str, ...] = ()
) -> dict[str, Usage]:
    """What each kernel of a file of PTX or CUDA needs, by its name in machine code.

    Raises CompileError: nvcc is not there (``purpose`` needs it), or does not take the file.
    """
    told = compile_verbosely(source, directory, arch, purpose, flags=flags)
    return {
        name: Usage(int(registers), int(shared[1]) if (shared := _SHARED.search(rest)) else 0)
        for name, _, registers, rest in _ENTRY.findall(told)
    }


def with_registers(report: Report, device: str, options: Options) -> Report:
    """A report whose occupancies count the registers that ptxas gives the kernels of its CUDA text.

    Raises CompileError: nvcc is not there, or rejects the text.
    """
    with tempfile.TemporaryDirectory(prefix="accache-") as name:
        text = Path(name) / "kernels.cu"
        text.write_text(device, encoding="utf-8", errors="surrogateescape")
        flags = (*kernels_alone(text), *fast_math(options))
        found = resource_usage(text, Path(name), options.arch, "explain --registers", flags=flags)
    registers = {plain_name(kernel): usage.registers for kernel, usage in found.items()}
    kernels = (
        replace(
            kernel,
            occupancy=occupancy(options.arch, kernel.threads, kernel.shared_bytes, registers.get(kernel.name, 0)),
        )
        for kernel in report.kernels
    )
    return replace(report, kernels=tuple(kernels))
