"""Where the elements of an array lie that one iteration may use: its subarray, and references in and beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fuzz.choices import Choices

MARGIN = 6
"""Elements before and behind those that subarrays hold: references may leave the subarray, not the array."""


@dataclass(frozen=True)
class Dimension:
    """One dimension of a subarray: it starts ``low`` behind ``base`` and has ``length`` elements.

    ``reach`` says how far references may go below and above ``base``.
    """

    base: str
    low: int
    length: int
    reach: tuple[int, int]

    def at(self, offset: int) -> str:
        """The index so far from the base."""
        return self.base if not offset else f"{self.base} {'+' if offset > 0 else '-'} {abs(offset)}"

    @property
    def text(self) -> str:
        """The dimension as the cache directive writes it."""
        return f"[{self.at(self.low)}:{self.length}]"


@dataclass(frozen=True)
class Subarray:
    """An array as one iteration sees it. ``written``: each element belongs to one iteration only.

    ``pitch`` is the distance of rows where the array is a flat pointer.
    """

    array: str
    dimensions: tuple[Dimension, ...]
    written: bool = False
    pitch: str = ""

    @property
    def text(self) -> str:
        """The subarray as the cache directive writes it."""
        return self.array + "".join(dimension.text for dimension in self.dimensions)

    def element(self, indices: Sequence[str]) -> str:
        """The element with these indices."""
        if self.pitch:
            row, column = indices
            return f"{self.array}[({row})*{self.pitch} + {column}]"
        return self.array + "".join(f"[{index}]" for index in indices)

    def reference(self, choices: Choices, *, outside: bool, counter: str = "") -> str:
        """A random element; of the subarray unless ``outside``. ``counter`` runs from 0 over the last dimension."""
        indices = []
        for number, dimension in enumerate(self.dimensions):
            low, high = dimension.low, dimension.low + dimension.length - 1
            if counter and number == len(self.dimensions) - 1:
                indices.append(f"{dimension.at(low)} + {counter}")
                continue
            if outside and not self.written:
                low, high = max(dimension.reach[0], low - 2), min(dimension.reach[1], high + 2)
            indices.append(dimension.at(low + choices.below(high - low + 1)))
        return self.element(indices)
