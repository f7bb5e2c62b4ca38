"""What a launch makes sure of so that neighbouring elements are loaded and stored by one instruction."""

from __future__ import annotations

from msgspec import Struct

WIDEST = 16
"""Bytes of the widest access of memory."""
MOST = 4
"""Elements of the widest access, whatever their size."""


class Alignment(Struct, frozen=True):
    """Arrays that begin at multiples of WIDEST bytes, and numbers that are multiples of another one."""

    arrays: tuple[str, ...] = ()
    multiples: tuple[tuple[str, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.arrays)


def widest(size: int) -> int:
    """How many elements of a size in bytes the widest access has: 1, 2 or 4.

    >>> [widest(size) for size in (1, 2, 4, 8, 12, 16)]
    [4, 4, 4, 2, 1, 1]
    """
    return min(MOST, WIDEST // size) if size in (1, 2, 4, 8) else 1
