"""How kernels become objects for the CPU: g++ compiles them, and the run-time library for CPUs is linked."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from accache.base.compilers import rejected
from accache.cc.settings import Settings
from accache.cc.targets import LinkWords, Target, if_needed
from accache.cpu import toolchain


def _builder() -> Any:
    """The module that compiles and links: slow to import, and a call whose kernels are kept does without."""
    return import_module("accache.cpu.build")


def _compile(text: str, name: str, folder: Path, flags: Sequence[str], *, settings: Settings) -> Path:
    try:
        compiled: Path = _builder().compile_kernels(text, name, folder, flags, check=settings.check)
    except toolchain.ToolError as error:
        raise rejected(error.output) from error
    return compiled


def _link(inputs: Sequence[str], folder: Path, flags: Sequence[str], settings: Settings) -> LinkWords:
    try:
        before, behind = _builder().link_inputs(check=settings.check)
    except toolchain.ToolError as error:
        raise rejected(error.output) from error
    first = ("-no-pie", *map(str, before)) if settings.check else ()
    return LinkWords(first, if_needed(*map(str, behind), "-lstdc++", "-lm", "-lpthread"))


def _finish(program: Path, folder: Path, settings: Settings) -> None:
    if settings.check:
        _builder().describe(program, folder)


TARGET = Target(
    compile=_compile,
    link=_link,
    finish=_finish,
    tools=lambda: (toolchain.cxx(), "ld", "objcopy"),
    bounds=toolchain.BOUNDS_FLAGS,
)
