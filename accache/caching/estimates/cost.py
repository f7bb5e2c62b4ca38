"""What a warp takes: issue slots, sectors of L1, turns of the banks, bytes to L2, and the clocks that these need."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import astuple

SLOTS_A_CLOCK = 3.2
"""Instructions that the four schedulers of a multiprocessor issue in a clock: 80 % of what they could."""
SECTORS_A_CLOCK = 4
"""Sectors of 32 bytes that L1 gives in a clock."""
L2_BYTES_A_CLOCK = 38.8
"""What L2 takes in a clock from one of the 132 multiprocessors of an H100, if it has the 5120 bytes of an A100."""


class Cost(Struct, frozen=True):
    """What a warp takes: issue slots, sectors of L1, turns of the banks of shared memory, bytes written to L2 and read.

    What is read is the least there may be, the same with a tile and without it.
    """

    slots: float = 0.0
    sectors: float = 0.0
    turns: float = 0.0
    written: float = 0.0
    read: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.slots + other.slots,
            self.sectors + other.sectors,
            self.turns + other.turns,
            self.written + other.written,
            self.read + other.read,
        )

    def times(self, factor: float) -> Cost:
        """The cost, so many times."""
        return Cost(*(part * factor for part in astuple(self)))

    def __or__(self, other: Cost) -> Cost:
        """One of two ways: the dearer in each."""
        return Cost(*map(max, astuple(self), astuple(other)))

    @property
    def limits(self) -> dict[str, float]:
        """Clocks of a multiprocessor that has warps enough, by what bounds it."""
        return {
            "issue": self.slots / SLOTS_A_CLOCK,
            "L1": self.sectors / SECTORS_A_CLOCK,
            "shared": self.turns,
            "L2": (self.written + self.read) / L2_BYTES_A_CLOCK,
        }

    @property
    def clocks(self) -> float:
        """The largest of its limits."""
        return max(self.limits.values())

    @property
    def bound(self) -> str:
        """What bounds it."""
        return max(self.limits, key=self.limits.__getitem__)

    def __str__(self) -> str:
        """Clocks to three digits, and what they are spent on.

        >>> str(Cost(slots=32.3))
        '10.1 clocks (issue)'
        """
        return in_words(self.clocks, self.bound)


FREE = Cost()


def in_words(clocks: float, bound: str) -> str:
    """An estimate to three digits, with what bounds it."""
    return f"{clocks:.1f} clocks ({bound})" if clocks < 100 else f"{clocks:.0f} clocks ({bound})"
