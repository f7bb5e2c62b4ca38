"""How kernels become objects for GPUs: nvcc compiles them, and a device link comes before the host's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from accache.cc.settings import Settings
from accache.cc.targets import LinkWords, Target, if_needed
from accache.workflows import cuda


def _compile(text: str, name: str, folder: Path, flags: Sequence[str], *, settings: Settings) -> Path:
    return cuda.compile_kernels(text, name, folder, flags, arch=settings.arch, options=settings.options)


def _link(inputs: Sequence[str], folder: Path, flags: Sequence[str], settings: Settings) -> LinkWords:
    first = (str(cuda.device_link(inputs, folder, flags, settings.arch)),) if inputs else ()
    return LinkWords(first, if_needed(str(cuda.openacc_archive()), *cuda.libraries(), "-lstdc++", "-lm", "-lpthread"))


def _finish(program: Path, folder: Path, settings: Settings) -> None:
    """Nothing is left to do."""


TARGET = Target(_compile, _link, _finish, lambda: ("nvcc", "g++"))
