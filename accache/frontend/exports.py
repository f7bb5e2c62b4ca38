"""File-scope names for the types and enumerators that functions declare: kernels and stubs stand outside of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Exports:
    """Gives names that nothing in a translation unit has; ``text`` is the unit after preprocessing."""

    text: str = ""
    given: set[str] = field(default_factory=set)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every identifier of the unit; looked for only when a name is needed."""
        return frozenset(_WORD.findall(self.text))

    def name(self, *parts: str) -> str:
        """A name made of some words, such as ``area_point`` for the struct point of area()."""
        wanted = "_".join(part for part in parts if part)
        candidate, count = wanted, 1
        while candidate in self.words or candidate in self.given:
            count += 1
            candidate = f"{wanted}{count}"
        self.given.add(candidate)
        return candidate
