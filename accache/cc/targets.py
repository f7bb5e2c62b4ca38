"""What kernels are compiled for: one row of functions a target."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from accache.base.compilers import rejected
from accache.cc.settings import Settings
from accache.cpu import build, toolchain
from accache.workflows import cuda

# Options for the host's code that concern the kernels' object too.
_SHARED = re.compile(r"-O.*|-g(?!split-dwarf|record|no-record|strict|z|column).*|-f(no-)?(pic|PIC|pie|PIE|plt)|-m.+")


class LinkWords(Struct, frozen=True):
    """What the host's link needs besides the user's words: in front of them and behind them."""

    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


class Compile(Protocol):
    """What compiles a .cu text, of a file of a name, to an object file in a folder."""

    def __call__(self, text: str, name: str, folder: Path, flags: Sequence[str], *, settings: Settings) -> Path:
        """Compile it."""


class Target(Struct, frozen=True):
    """How to compile a .cu text to an object file, and how to link such objects.

    link: (the link's inputs, folder, flags, settings).
    finish: (program, folder, settings) after the link. tools: the programs whose version counts.
    bounds: flags for files that put parts of arrays on the device.
    """

    compile: Compile
    link: Callable[[Sequence[str], Path, Sequence[str], Settings], LinkWords]
    finish: Callable[[Path, Path, Settings], None]
    tools: Callable[[], tuple[str, ...]]
    bounds: tuple[str, ...] = ()


def shared_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """Those of a C compiler's flags that the kernels' compiler gets too."""
    return tuple(flag for flag in flags if _SHARED.fullmatch(flag))


def _compile_for_cpu(text: str, name: str, folder: Path, flags: Sequence[str], *, settings: Settings) -> Path:
    try:
        return build.compile_kernels(text, name, folder, flags, check=settings.check)
    except toolchain.ToolError as error:
        raise rejected(error.output) from error


def _link_for_cpu(inputs: Sequence[str], folder: Path, flags: Sequence[str], settings: Settings) -> LinkWords:
    try:
        before, behind = build.link_inputs(check=settings.check)
    except toolchain.ToolError as error:
        raise rejected(error.output) from error
    first = ("-no-pie", *map(str, before)) if settings.check else ()
    return LinkWords(first, _if_needed(*map(str, behind), "-lstdc++", "-lm", "-lpthread"))


def _finish_for_cpu(program: Path, folder: Path, settings: Settings) -> None:
    if settings.check:
        build.describe(program, folder)


def _compile_for_cuda(text: str, name: str, folder: Path, flags: Sequence[str], *, settings: Settings) -> Path:
    return cuda.compile_kernels(text, name, folder, flags, arch=settings.arch, options=settings.options)


def _link_for_cuda(inputs: Sequence[str], folder: Path, flags: Sequence[str], settings: Settings) -> LinkWords:
    first = (str(cuda.device_link(inputs, folder, flags, settings.arch)),) if inputs else ()
    return LinkWords(first, _if_needed(str(cuda.openacc_archive()), *cuda.libraries(), "-lstdc++", "-lm", "-lpthread"))


def _finish_for_cuda(program: Path, folder: Path, settings: Settings) -> None:
    """Nothing is left to do."""


def _if_needed(*words: str) -> tuple[str, ...]:
    return ("-Wl,--push-state,--as-needed", *words, "-Wl,--pop-state")


TARGETS = {
    "cpu": Target(
        compile=_compile_for_cpu,
        link=_link_for_cpu,
        finish=_finish_for_cpu,
        tools=lambda: (toolchain.cxx(), "ld", "objcopy"),
        bounds=build.BOUNDS_FLAGS,
    ),
    "cuda": Target(_compile_for_cuda, _link_for_cuda, _finish_for_cuda, lambda: ("nvcc", "g++")),
}
