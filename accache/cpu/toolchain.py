"""Call the compilers of this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from accache.base import resources
from accache.base.diagnostics import Reporter
from accache.base.environment import plain_english
from accache.base.progress import working

RUNTIME = resources.cpu_runtime()
INCLUDE = RUNTIME / "include"
# Stands for the directory a program was built in, so that names in #line come back as they were written.
WORKING_DIRECTORY = "/accache-working-directory"
# For programs that have parts of arrays on the device: each access is looked up in a shadow, which begins at this
# address (runtime/source/bounds.cpp), and ends the program in front of an array, too. Variables have no gaps.
BOUNDS_FLAGS = (
    *("-DACCACHE_CPU_BOUNDS", "-fsanitize=kernel-address", "-fasan-shadow-offset=0x7fff8000"),
    *("--param=asan-globals=0", "--param=asan-stack=0", "--param=asan-instrument-allocas=0"),
    "--param=asan-instrumentation-with-call-threshold=1000000",  # in line
)


class ToolError(Exception):
    """A compiler refused its input; carries the command and what it printed."""

    def __init__(self, command: Sequence[str], output: str) -> None:
        super().__init__(f"{' '.join(command)}\n{output}")
        self.command = tuple(command)
        self.output = output


def call(command: Sequence[str | Path], directory: Path | None = None, text: str | None = None) -> str:
    """Run a tool and return its standard output.

    Raises ToolError if it fails, and CompileError (ACC601) if it is not on this machine.
    """
    words = [str(word) for word in command]
    try:
        with working(f"waiting for {words[0]}"):
            done = subprocess.run(
                words, cwd=directory, input=text, capture_output=True, text=True, errors="replace", env=plain_english()
            )
    except FileNotFoundError as missing:
        raise Reporter().fail("ACC601", tool=words[0], purpose="a run on a CPU") from missing
    if done.returncode != 0:
        raise ToolError(words, done.stderr + done.stdout)
    return done.stdout


def cxx() -> str:
    """The C++ compiler: $CXX or g++."""
    return os.environ.get("CXX", "g++")


def cc() -> str:
    """The C compiler: $CC or cc."""
    return os.environ.get("CC", "cc")
