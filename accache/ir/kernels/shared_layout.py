"""The shared memory that a kernel takes: which arrays, where they lie, and if the compiler or the launch reserves them.

Arrays that are never alive together lie in one place.

Every pass that asks for it takes this value: the choice of tiles, placement, printing, launches, the report.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from accache.base.architectures import STATIC_SHARED_BYTES

POOL_ALIGNMENT = 16
"""The bytes that the start of a launch's shared memory is aligned to, and every array in it at least."""


class SharedPart(Struct, frozen=True):
    """One array in shared memory, by its unique name; its size and alignment are bytes.

    It belongs to ``owner``, and may lie where parts of the owners lie that it is ``apart`` from: never alive with.
    """

    name: str
    bytes: int
    alignment: int
    owner: str = ""
    apart: frozenset[str] = frozenset()

    def is_apart(self, other: SharedPart) -> bool:
        """Whether this and another part may lie in one place."""
        return other.owner in self.apart or self.owner in other.apart

    @property
    def most(self) -> int:
        """The bytes that it takes at most, wherever others end."""
        return aligned(self.bytes, POOL_ALIGNMENT) + max(0, self.alignment - POOL_ALIGNMENT)


class SharedLayout(Struct, frozen=True):
    """A block's arrays in shared memory, in the order they are declared.

    The kernel's ``own`` lie in a pool where some lie in one place, and in one that the launch sizes where all together
    might pass what a kernel may declare. What the functions ``called`` declare for themselves, to combine values or as
    routines, always is static.
    """

    own: tuple[SharedPart, ...] = ()
    called: tuple[SharedPart, ...] = ()

    def with_own(self, parts: Iterable[SharedPart]) -> SharedLayout:
        """The same with further arrays of the kernel's."""
        return replace(self, own=(*self.own, *parts))

    @property
    def most(self) -> int:
        """The bytes that all of it takes, in whatever order the compiler puts it."""
        own = self._pool_bytes if self.has_reuse else sum(part.most for part in self.own)
        return own + sum(part.most for part in self.called)

    @property
    def has_reuse(self) -> bool:
        """Whether some of the kernel's own arrays lie in one place."""
        return any(first.is_apart(second) for first, second in combinations(self.own, 2))

    @property
    def is_pooled(self) -> bool:
        """Whether the kernel's own arrays lie in a pool."""
        return self.is_dynamic or self.has_reuse

    @property
    def is_dynamic(self) -> bool:
        """Whether the launch sizes the pool of the kernel's own arrays."""
        return bool(self.own) and self.most > STATIC_SHARED_BYTES

    @property
    def static_bytes(self) -> int:
        """What the compiler reserves, as ptxas counts it: each array at the next place that suits it."""
        end = 0 if self.is_dynamic or not self.has_reuse else self._pool_bytes
        for part in self.called if self.is_pooled else (*self.own, *self.called):
            end = aligned(end, part.alignment) + part.bytes
        return aligned(end, POOL_ALIGNMENT) if self.is_dynamic else end  # the pool begins behind it

    @property
    def offsets(self) -> dict[str, int]:
        """Where the kernel's own arrays begin in the pool; nothing without one."""
        return {part.name: begin for part, begin in self._places()} if self.is_pooled else {}

    @property
    def dynamic_bytes(self) -> int:
        """The size of the launch's pool, 0 without one."""
        return self._pool_bytes if self.is_dynamic else 0

    @property
    def pool_bytes(self) -> int:
        """The size of the pool, whoever sizes it; 0 without one."""
        return self._pool_bytes if self.is_pooled else 0

    @property
    def bytes(self) -> int:
        """What a block takes."""
        return self.static_bytes + self.dynamic_bytes

    @property
    def _pool_bytes(self) -> int:
        return max((aligned(begin + part.bytes, POOL_ALIGNMENT) for part, begin in self._places()), default=0)

    def _places(self) -> Iterable[tuple[SharedPart, int]]:
        """The arrays in the pool, and where each begins: behind all those before it that are alive with it."""
        ends: list[tuple[SharedPart, int]] = []
        for part in self.own:
            end = max((end for other, end in ends if not part.is_apart(other)), default=0)
            begin = aligned(end, max(POOL_ALIGNMENT, part.alignment))
            yield part, begin
            ends.append((part, begin + part.bytes))


def aligned(size: int, alignment: int) -> int:
    """The next multiple of an alignment.

    >>> aligned(1029, 16)
    1040
    """
    return -(-size // alignment) * alignment
