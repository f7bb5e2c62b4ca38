"""What the planner may make of a kernel, with the estimates that choose among them and why each was refused.

The same records decide, are explained and are measured, so that there is one number for one thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.caching.estimates.cost import Cost
from accache.caching.shared_parts import bytes_together
from accache.ir.kernels.tiles import Tile
from accache.mapping.blocks import Outputs, iterations_of
from accache.mapping.mapped import MappedKernel

PLAIN = "plain"
"""The name of the candidate without tiles whose threads have one iteration each."""


class Candidate(Struct, frozen=True):
    """A form of a kernel: the subarrays that have tiles in it, its blocks, and how many iterations a thread has.

    ``cost`` is that of a warp whose threads have one iteration each, or for one of several. ``shared_bytes`` are those
    of the tiles of a block, ``registers`` those of a thread that hold what its iterations have each for themselves; a
    kernel needs more, which only ptxas knows. Threads access memory in one of the ``accesses``: '', ``wide``, or
    ``wide rows``, which need rows of a length that some programs do not have; threads' iterations are neighbours in a
    kernel that ``is_blocked``. ``refused`` says why another one is emitted, and is empty for that one.
    """

    cost: Cost
    block: tuple[int, int, int]
    subarrays: tuple[str, ...] = ()
    outputs: Outputs = ()
    is_blocked: bool = False
    accesses: str = ""
    shared_bytes: int = 0
    registers: int = 0
    refused: str = ""

    @property
    def iterations(self) -> tuple[int, ...]:
        """How many iterations a thread has, planes, rows and columns; empty if it has one."""
        return iterations_of(self.outputs)

    @property
    def name(self) -> str:
        """What it is called among those of its kernel.

        >>> Candidate(Cost(), (32, 4, 1), outputs=(("x", 2), ("y", 4)), accesses="wide").name
        '4x2 wide'
        >>> Candidate(Cost(), (16, 16, 1), ("a[i-1:3]", "b[i:1]")).name
        'tiles a[i-1:3], b[i:1] in 16x16x1'
        >>> Candidate(Cost(), (32, 4, 1), ("a[0:256]",), (("y", 4),)).name
        '4x1 with tiles a[0:256]'
        >>> Candidate(Cost(), (32, 4, 1), outputs=(("z", 8),)).name
        '8x1x1'
        """
        if self.outputs:
            several = "x".join(map(str, self.iterations))
            apart = " neighbours" if self.is_blocked else ""
            tiles = f" with tiles {', '.join(self.subarrays)}" if self.subarrays else ""
            return f"{several}{apart}{' ' if self.accesses else ''}{self.accesses}{tiles}"
        if not self.subarrays:
            return PLAIN
        return f"tiles {', '.join(self.subarrays)} in {'x'.join(map(str, self.block))}"


def of_tiles(kernel: MappedKernel, cost: Cost, tiles: Iterable[Tile], refused: str = "") -> Candidate:
    """A kernel whose threads have one iteration each, with some tiles or none."""
    tiles = tuple(tiles)
    texts = tuple(tile.text for tile in tiles)
    shared = bytes_together(tiles)
    return Candidate(cost, kernel.shape.block, texts, accesses=_accesses(kernel), shared_bytes=shared, refused=refused)


def of_iterations(kernel: MappedKernel, cost: Cost, registers: int, tiles: Iterable[Tile]) -> Candidate:
    """A kernel whose threads have several iterations, with some tiles or none."""
    tiles = tuple(tiles)
    return Candidate(
        cost,
        kernel.shape.block,
        tuple(tile.text for tile in tiles),
        kernel.coarse.outputs,
        is_blocked=kernel.coarse.is_blocked,
        accesses=_accesses(kernel),
        shared_bytes=bytes_together(tiles),
        registers=registers,
    )


def _accesses(kernel: MappedKernel) -> str:
    """How the threads of a kernel access memory."""
    return ("wide rows" if kernel.alignment.multiples else "wide") if kernel.alignment else ""


def decided(candidates: Iterable[Candidate], chosen: str, reason: str = "") -> tuple[Candidate, ...]:
    """The candidates of a kernel, the quickest first, when the one named ``chosen`` is emitted.

    Others that nothing was said against are refused for the ``reason``, or because that one takes fewer clocks.
    """
    found = sorted(candidates, key=lambda item: item.cost.clocks)
    best = next((item for item in found if item.name == chosen), None)
    reason = reason or (f"the chosen one takes {best.cost}" if best is not None else "another one is emitted")
    return tuple(replace(item, refused="" if item is best else item.refused or reason) for item in found)


def fewer(candidates: Sequence[Candidate]) -> dict[str, Candidate]:
    """Candidates by name; of several with one name the one that takes the fewest clocks."""
    found: dict[str, Candidate] = {}
    for item in candidates:
        known = found.get(item.name)
        if known is None or item.cost.clocks < known.cost.clocks:
            found[item.name] = item
    return found
