"""What ptxas says of the kernels of a PTX text: registers, shared memory, spills."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

_KERNEL = re.compile(
    r"Compiling entry function '(?P<name>[^']+)'.*?"
    r"(?P<frame>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads.*?"
    r"Used (?P<registers>\d+) registers(?P<rest>[^\n]*)",
    re.S,
)
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclass(frozen=True)
class Resources:
    """Registers of a thread, static shared bytes of a block, and bytes that a thread spills and fills.

    ``frame`` are bytes of its local memory: 0 where ptxas keeps in registers what PTX has there.
    """

    registers: int
    shared: int
    spilled: int
    frame: int


def resources(ptx: str, arch: str, folder: Path) -> dict[str, Resources]:
    """Those of each kernel of a PTX text; nvcc calls ptxas, with line numbers of the PTX for disassemblers.

    ``folder`` gets the file ``cost.cubin``.
    """
    (folder / "cost.ptx").write_text(ptx)
    command = ["nvcc", "-cubin", f"-arch={arch}", "-lineinfo", "-Xptxas", "-v", "cost.ptx", "-o", "cost.cubin"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return parsed(done.stderr)


def parsed(text: str) -> dict[str, Resources]:
    """What ``ptxas -v`` printed, by kernel."""
    found = {}
    for kernel in _KERNEL.finditer(text):
        shared = _SHARED.search(kernel["rest"])
        spilled = int(kernel["stores"]) + int(kernel["loads"])
        static = int(shared[1]) if shared else 0
        found[kernel["name"]] = Resources(int(kernel["registers"]), static, spilled, int(kernel["frame"]))
    return found
