"""File-scope names for the types and enumerators that functions declare: kernels and stubs stand outside of them."""

from __future__ import annotations

import re

from msgspec import Struct, field

from accache.base.properties import cached_property
from accache.ir.names import free_name

_WORD = re.compile(r"[A-Za-z_]\w*")


class Exports(Struct, dict=True):
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
        name = free_name(wanted, lambda name: name in self.words or name in self.given)
        self.given.add(name)
        return name
