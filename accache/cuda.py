"""Build a translated program with nvcc and run it on a GPU."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from accache.compilers import rejected
from accache.diagnostics import Reporter
from accache.options import Options


def build_and_run(
    host: str, device: str, directory: Path, options: Options, flags: Sequence[str], arguments: Sequence[str]
) -> int:
    """Compile host C with the C compiler and the rest with nvcc, link, run; the program's exit status.

    Raises CompileError if there is no nvcc, or if a compiler rejects the program.
    """
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise Reporter().fail("ACC601", tool="nvcc", purpose="--target cuda")
    (directory / "host.c").write_text(host, encoding="utf-8", errors="surrogateescape")
    (directory / "device.cu").write_text(device, encoding="utf-8", errors="surrogateescape")
    compiler = shlex.split(options.cc)
    _check([*compiler, "-O2", *flags, "-c", "host.c", "-o", "host.o"], directory)
    _check([nvcc, "-O2", f"-arch={options.arch}", "device.cu", "host.o", "-lm", "-o", "program"], directory)
    return subprocess.run([directory / "program", *arguments], check=False).returncode


def _check(command: Sequence[str], directory: Path) -> None:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        raise rejected(done.stderr)
