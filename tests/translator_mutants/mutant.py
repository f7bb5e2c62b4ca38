"""A bug: a piece of a module's text that stands there once, what stands there instead, and the test that notices.

A bug whose text is gone is an error: write it anew for what stands there now.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Mutant:
    """A bug in ``accache/MODULE.py``; ``test`` is a test function, or ``equivalent`` says why nothing can notice it.

    A module with a suffix of its own, as ``order.cpp``, is part of the run-time library for the CPU, and its test may
    be one case of a function. ``number`` counts the bugs of one group.
    """

    module: str
    before: str
    after: str
    test: str
    equivalent: str = ""
    number: int = 1

    @property
    def is_cpp(self) -> bool:
        """Whether the module is no Python."""
        return bool(Path(self.module).suffix)

    @property
    def path(self) -> Path:
        """The module's file."""
        return ROOT / "accache" / (self.module if self.is_cpp else f"{self.module}.py")

    def __str__(self) -> str:
        return f"{self.module}: {self.before.strip()} -> {self.after.strip() or '(nothing)'} [{self.test}]"


def bugs(module: str, file: str, *changes: tuple[str, str, str]) -> list[Mutant]:
    """Bugs of one module, and the functions of a file of tests that notice them."""
    return [
        Mutant(module, before, after, f"{file}::{name}", number=number)
        for number, (before, after, name) in enumerate(changes, 1)
    ]
