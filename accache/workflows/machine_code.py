"""What nvcc makes of a translation: PTX, and with a disassembler SASS, each line with its line of source."""

from __future__ import annotations

import subprocess
import sysconfig
import tempfile
from collections.abc import Iterable
from pathlib import Path
from shutil import which

from accache.ptx.loads.embedding import compile_to_cubin, compile_to_ptx
from accache.ptx.text.listing import CodeLine, ptx_lines, sass_lines
from accache.report.page import MachineCode, Page
from accache.workflows.cuda import kernels_alone

_PURPOSE = "explain --ptx"
_NO_NVDISASM = "SASS needs nvdisasm: of CUDA's toolkit, or pip install '.[sass]' in a checkout of accache"


def disassembler() -> Path | None:
    """The program nvdisasm: of CUDA's toolkit, or of the package nvidia-cuda-nvdisasm; None without either."""
    found = which("nvdisasm")
    if found:
        return Path(found)
    return next(iter(Path(sysconfig.get_path("purelib")).glob("nvidia/*/bin/nvdisasm")), None)


def machine_code(device: str, page: Page, arch: str) -> MachineCode:
    """What nvcc makes of the kernels of a page, whose CUDA text has #line directives.

    Raises CompileError if nvcc is not there or rejects the text.
    """
    names = [kernel.report.name for kernel in page.kernels]
    kernels = [f"{name}{version}" for name in names for version in ("", "_fewer", "_single")]
    linked = {line.source for line in page.cuda}  # lines of accache's own follow a #line directive, too

    def of_program(lines: Iterable[CodeLine]) -> tuple[CodeLine, ...]:
        return tuple(line if line.source in linked else CodeLine(line.text, 0) for line in lines)

    with tempfile.TemporaryDirectory(prefix="accache-") as name:
        folder = Path(name)
        text, ptx, cubin = folder / "kernels.cu", folder / "kernels.ptx", folder / "kernels.cubin"
        text.write_text(device, encoding="utf-8", errors="surrogateescape")
        compile_to_ptx((f"-arch={arch}", *kernels_alone(text), str(text)), ptx, _PURPOSE)
        written = ptx.read_text(encoding="utf-8", errors="surrogateescape")
        listing = of_program(ptx_lines(written, page.file, kernels))
        tool = disassembler()
        if tool is None:
            return MachineCode(listing, reason=_NO_NVDISASM)
        compile_to_cubin((f"-arch={arch}", str(ptx)), cubin, _PURPOSE)
        done = subprocess.run([tool, "-g", "-c", cubin], capture_output=True, text=True, check=False)
        if done.returncode:
            return MachineCode(listing, reason=f"nvdisasm cannot read the code: {done.stderr.strip()[:200]}")
        return MachineCode(listing, of_program(sass_lines(done.stdout, page.file, kernels)))
