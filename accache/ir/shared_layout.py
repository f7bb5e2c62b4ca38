"""The shared memory that a kernel takes: which arrays, where they lie, and if the compiler or the launch reserves them.

Every pass that asks for it takes this value: the choice of tiles, placement, printing, launches, the report.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from accache.base.architectures import STATIC_SHARED_BYTES

POOL_ALIGNMENT = 16
"""The bytes that the start of a launch's shared memory is aligned to, and every array in it at least."""


class SharedPart(Struct, frozen=True):
    """One array in shared memory, by its unique name; its size and alignment are bytes."""

    name: str
    bytes: int
    alignment: int

    @property
    def most(self) -> int:
        """The bytes that it takes at most, wherever others end."""
        return aligned(self.bytes, POOL_ALIGNMENT) + max(0, self.alignment - POOL_ALIGNMENT)


class SharedLayout(Struct, frozen=True):
    """A block's arrays in shared memory, in the order they are declared.

    The kernel's ``own`` lie in a pool that the launch sizes where all together might pass what a kernel may declare.
    What the functions ``called`` declare for themselves, to combine values or as routines, always is static.
    """

    own: tuple[SharedPart, ...] = ()
    called: tuple[SharedPart, ...] = ()

    def with_own(self, parts: Iterable[SharedPart]) -> SharedLayout:
        """The same with further arrays of the kernel's."""
        return replace(self, own=(*self.own, *parts))

    @property
    def most(self) -> int:
        """The bytes that all of it takes, in whatever order the compiler puts it."""
        return sum(part.most for part in (*self.own, *self.called))

    @property
    def is_dynamic(self) -> bool:
        """Whether the kernel's own arrays lie in the launch's pool."""
        return bool(self.own) and self.most > STATIC_SHARED_BYTES

    @property
    def static_bytes(self) -> int:
        """What the compiler reserves, as ptxas counts it: each array at the next place that suits it."""
        end = 0
        for part in self.called if self.is_dynamic else (*self.own, *self.called):
            end = aligned(end, part.alignment) + part.bytes
        return aligned(end, POOL_ALIGNMENT) if self.is_dynamic else end  # the pool begins behind it

    @property
    def offsets(self) -> dict[str, int]:
        """Where the kernel's own arrays begin in the pool."""
        return {part.name: begin for part, begin in self._pooled()}

    @property
    def dynamic_bytes(self) -> int:
        """The size of the pool, 0 without one."""
        return max((aligned(begin + part.bytes, POOL_ALIGNMENT) for part, begin in self._pooled()), default=0)

    @property
    def bytes(self) -> int:
        """What a block takes."""
        return self.static_bytes + self.dynamic_bytes

    def _pooled(self) -> Iterable[tuple[SharedPart, int]]:
        """The arrays in the pool, and where each begins."""
        end = 0
        for part in self.own if self.is_dynamic else ():
            begin = aligned(end, max(POOL_ALIGNMENT, part.alignment))
            yield part, begin
            end = begin + part.bytes


def aligned(size: int, alignment: int) -> int:
    """The next multiple of an alignment.

    >>> aligned(1029, 16)
    1040
    """
    return -(-size // alignment) * alignment
