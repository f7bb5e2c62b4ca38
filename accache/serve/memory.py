"""Arrays of a construct that is carried out in Python, and what is noted of each access: races, bounds, banks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from msgspec import Struct, field

BANKS = 32
WARP = 32
Path = tuple[tuple[int, int], ...]
"""Where an access was made: for each parallel loop around it the number of the loop's turn, and the iteration."""


class Unset:
    """What memory holds before anything was written to it."""


UNSET: Final = Unset()
Value = int | float | Unset


class FaultError(Exception):
    """Something that a checked run finds: an access that must not be, or a race."""


class Memory(Struct, dict=True):
    """An array: its dimensions, its elements one behind the other, and the bytes of one.

    Only elements from ``first`` to ``end`` are there, of which ``where`` tells. It was declared inside of so many
    parallel loops; the threads of those further inside share it. ``is_noted`` if accesses may race.
    """

    name: str
    lengths: tuple[int, ...]
    cells: list[Value]
    size: int
    where: str = ""
    first: int = 0
    end: int = 0
    depth: int | None = None
    is_noted: bool = True
    writes: dict[int, tuple[Path, bool]] = field(default_factory=dict)
    reads: dict[int, tuple[Path, Path]] = field(default_factory=dict)

    def offset(self, indices: Sequence[int]) -> int:
        """The number of an element; raises FaultError where there is none."""
        found = 0
        for index, length in zip(indices, self.lengths, strict=True):
            if not 0 <= index < length:
                raise FaultError(f"{element(self.name, indices)} lies outside of {self.name}, {_sized(self.lengths)}")
            found = found * length + index
        if not self.first <= found < self.end:
            raise FaultError(f"{element(self.name, indices)} is not on the device, which has {self.where}")
        return found

    def indices(self, offset: int) -> tuple[int, ...]:
        """The subscripts of an element."""
        found: tuple[int, ...] = ()
        for length in reversed(self.lengths):
            offset, index = divmod(offset, length)
            found = (index, *found)
        return found


def allocated(name: str, lengths: tuple[int, ...], size: int, depth: int | None = None) -> Memory:
    """An array in which nothing was written yet."""
    count = prod(lengths)
    return Memory(name, lengths, [UNSET] * count, size, end=count, depth=depth)


def element(name: str, indices: Sequence[int]) -> str:
    """An element as C spells it: ``a[3][4]``."""
    return name + "".join(f"[{index}]" for index in indices)


def _sized(lengths: Sequence[int]) -> str:
    return f"which has {' x '.join(map(str, lengths))} elements"


class Box(Struct, dict=True):
    """The part of an array that a cache directive names in one turn of its region, and what the region uses of it.

    ``beside`` are the subscripts of the first element that it uses and the directive does not name.
    """

    array: str
    lower: tuple[int, ...]
    length: tuple[int, ...]
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    beside: tuple[int, ...] = ()

    def use(self, indices: Sequence[int]) -> None:
        """Note an access."""
        if any(not 0 <= at - low < count for at, low, count in zip(indices, self.lower, self.length, strict=True)):
            self.beside = self.beside or tuple(indices)
            return
        if not self.low:
            self.low, self.high = list(indices), list(indices)
        self.low = list(map(min, self.low, indices))
        self.high = list(map(max, self.high, indices))

    @property
    def missed(self) -> str:
        """What the region uses beside it, in words; '' if that is nothing."""
        if not self.beside:
            return ""
        there = "".join(f"[{low}:{count}]" for low, count in zip(self.lower, self.length, strict=True))
        return f"where it stands for {self.array}{there}, the loop uses {element(self.array, self.beside)}, too"

    @property
    def idle(self) -> tuple[tuple[int, int], ...] | None:
        """How many elements at the begin and the end of each dimension nothing used; None if nothing used any."""
        if not self.low:
            return None
        ends = zip(self.low, self.high, self.lower, self.length, strict=True)
        return tuple((low - lower, lower + length - 1 - high) for low, high, lower, length in ends)


class Notes(Struct, dict=True):
    """What is noted while a construct is carried out.

    ``path`` tells where in the parallel loops it is, ``atomic`` whether in an atomic construct. ``boxes`` are those of
    the regions around. ``words`` are the places in shared memory that the threads of a warp access in one step;
    ``passed`` tells whether a thread has read there what another wrote.
    """

    path: Path = ()
    atomic: bool = False
    boxes: list[Box] = field(default_factory=list)
    words: dict[tuple[object, ...], set[int]] = field(default_factory=dict)
    turns: dict[object, tuple[Path, int]] = field(default_factory=dict)
    passed: bool = False

    def access(self, memory: Memory, indices: Sequence[int], offset: int, *, reference: object, is_write: bool) -> None:
        """Note an access by a ``reference`` of the program; raises FaultError of a race."""
        for box in self.boxes:
            if box.array == memory.name:
                box.use(indices)
        if memory.depth is not None and len(self.path) > memory.depth:
            self._words(memory, offset, reference)
        if memory.is_noted:
            self._race(memory, indices, offset, is_write)

    def _words(self, memory: Memory, offset: int, reference: object) -> None:
        """The word of a thread, which its warp takes when each of them comes to a reference for the same time."""
        path, count = self.turns.get(reference, ((), 0))
        count = count + 1 if path == self.path else 0
        self.turns[reference] = (self.path, count)
        *around, (turn, iteration) = self.path
        key = (reference, tuple(around), turn, count, iteration // WARP)
        self.words.setdefault(key, set()).add(offset * memory.size // 4)

    def _race(self, memory: Memory, indices: Sequence[int], offset: int, is_write: bool) -> None:
        path = self.path
        last = memory.writes.get(offset)
        if last is not None and _are_apart(last[0], path) and not (last[1] and self.atomic):
            raise FaultError(_race(memory, indices))
        first, latest = memory.reads.get(offset, (path, path))
        if is_write:
            if _are_apart(first, path) or _are_apart(latest, path):
                raise FaultError(_race(memory, indices))
            memory.writes[offset] = (path, self.atomic)
            memory.reads.pop(offset, None)
            return
        self.passed |= memory.depth is not None and last is not None and _iterations(last[0]) != _iterations(path)
        if not self.atomic:  # reads of one turn of a loop: the first of them and the last tell of two iterations
            memory.reads[offset] = (first if _are_apart(first, path) else path, path)

    @property
    def degree(self) -> int | None:
        """The most turns that a warp takes for words in shared memory; None where nothing lies there."""
        return max(map(_degree, self.words.values()), default=None)


def _race(memory: Memory, indices: Sequence[int]) -> str:
    return f"two iterations of a parallel loop use {element(memory.name, indices)}, and one writes to it: a race"


def _iterations(path: Path) -> list[int]:
    return [iteration for _, iteration in path]


def _are_apart(first: Path, second: Path) -> bool:
    """Whether two accesses were made in different iterations of one turn of a parallel loop."""
    for (turn, iteration), (other, number) in zip(first, second, strict=False):
        if turn != other:
            return False
        if iteration != number:
            return True
    return False


def _degree(words: set[int]) -> int:
    """How many different words of a warp lie in one bank."""
    banks = [word % BANKS for word in words]
    return max(map(banks.count, set(banks)))
