"""The modifiers of an instruction, taken one after the other by the rule that understands them."""

from __future__ import annotations

from typing import TypeVar

from accache.ptx.rules.types import TYPES, Type

Name = TypeVar("Name", bound=str)
"""One of a few words."""


class Unsupported(Exception):
    """The machine does not execute such an instruction; the text says why."""


class Modifiers:
    """Modifiers of which each must be taken by name; ``count`` is the number of operands of the instruction."""

    def __init__(self, words: tuple[str, ...], count: int = 0) -> None:
        self._words = list(words)
        self.count = count

    def flag(self, name: str) -> bool:
        """Whether a modifier is there; it is taken."""
        if name not in self._words:
            return False
        self._words.remove(name)
        return True

    def one_of(self, *names: str) -> str:
        """The first modifier that is one of these, taken; empty if there is none."""
        found = next((word for word in self._words if word in names), "")
        if found:
            self._words.remove(found)
        return found

    def required(self, *names: Name) -> Name:
        """The first modifier that is one of these, taken; raises Unsupported if there is none."""
        found = next((name for word in self._words for name in names if word == name), None)
        if found is None:
            raise Unsupported(f"without one of {', '.join(names)}")
        self._words.remove(found)
        return found

    def starting(self, *beginnings: str) -> tuple[str, ...]:
        """All modifiers that begin so, taken."""
        found = tuple(word for word in self._words if word.startswith(beginnings))
        self._words = [word for word in self._words if word not in found]
        return found

    def type(self) -> Type:
        """The first type, taken."""
        found = next((word for word in self._words if word in TYPES), "")
        if not found:
            raise Unsupported(f"not with .{self._words[-1]}" if self._words else "without a type")
        self._words.remove(found)
        return TYPES[found]

    def last_type(self) -> Type:
        """The last type, which stays."""
        found = next((word for word in reversed(self._words) if word in TYPES), "")
        if not found:
            raise Unsupported(f"not with .{self._words[-1]}" if self._words else "without a type")
        return TYPES[found]

    def finish(self) -> None:
        """All modifiers have been taken.

        :raises Unsupported: one is left.
        """
        if self._words:
            raise Unsupported(f"not with .{self._words[0]}")
