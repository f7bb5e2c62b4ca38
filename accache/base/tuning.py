"""Which form of each kernel was measured to be the quickest: a file beside the program that can be committed.

``jacobi.c`` has ``jacobi.tune.json``. A person may read and change it: each kernel has the name of a form, as ``accache
explain`` calls it, and the milliseconds of those that were measured.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct, field

from accache.base.diagnostics import Reporter
from accache.base.output import write_files

VERSION = 1


class TunedKernel(Struct, frozen=True):
    """The quickest form of a kernel, and the milliseconds that all its launches took in each form."""

    form: str
    milliseconds: dict[str, float] = field(default_factory=dict)


class Tuning(Struct, frozen=True):
    """What was measured of a program's kernels, by their names, on which GPU; planned for an architecture."""

    version: int
    gpu: str
    arch: str
    kernels: dict[str, TunedKernel]

    @property
    def choices(self) -> tuple[tuple[str, str], ...]:
        """The forms as ``Options.choices`` has them."""
        return tuple((name, kernel.form) for name, kernel in self.kernels.items())


def tuning_path(program: str) -> Path:
    """The file of a program's measurements.

    >>> tuning_path("samples/jacobi.c").name
    'jacobi.tune.json'
    """
    return Path(program).with_suffix(".tune.json")


def read_tuning(program: str) -> Tuning:
    """What was measured of a program.

    Raises:
        CompileError: nothing was (ACC430), or the file does not hold it (ACC431).
    """
    path = tuning_path(program)
    try:
        text = path.read_bytes()
    except OSError:
        raise Reporter().fail("ACC430", what="no kernel of this program", name=path) from None
    try:
        found = msgspec.json.decode(text, type=Tuning)
    except msgspec.DecodeError as error:
        raise Reporter().fail("ACC431", name=path, reason=error) from error
    if found.version != VERSION:
        raise Reporter().fail("ACC431", name=path, reason=f"it has version {found.version}, not {VERSION}")
    return found


def write_tuning(program: str, tuning: Tuning) -> Path:
    """Write what was measured, and tell where; raises OSError."""
    path = tuning_path(program)
    text = msgspec.json.format(msgspec.json.encode(tuning), indent=2).decode()
    write_files(((str(path), text + "\n"),))
    return path
