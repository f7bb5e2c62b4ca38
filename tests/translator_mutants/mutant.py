"""A bug: a piece of a module's text that stands there once, what stands there instead, and the test that notices.

A bug whose text is gone is an error: write it anew for what stands there now.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A bug in ``accache/MODULE.py``; ``test`` is a test function, or ``equivalent`` says why nothing can notice it.

    ``number`` counts the bugs of one group.
    """

    module: str
    before: str
    after: str
    test: str
    equivalent: str = ""
    number: int = 1

    def __str__(self) -> str:
        return f"{self.module}: {self.before.strip()} -> {self.after.strip() or '(nothing)'} [{self.test}]"


def bugs(module: str, file: str, *changes: tuple[str, str, str]) -> list[Mutant]:
    """Bugs of one module, and the functions of a file of tests that notice them."""
    return [
        Mutant(module, before, after, f"{file}::{name}", number=number)
        for number, (before, after, name) in enumerate(changes, 1)
    ]
