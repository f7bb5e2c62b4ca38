"""Which loops may need more blocks than an axis of the grid holds, so that their blocks stride over the iterations.

x holds 2**31 - 1 blocks, which no loop of a program passes that ends. y and z hold 65,535: blocks stride over a loop
there whose trip count is a constant beyond that.
"""

from __future__ import annotations

from accache.ir.constants import constant
from accache.ir.simt import CanonicalLoop
from accache.mapping.collapse import iterations

LARGEST_YZ = 65535
"""Blocks on y or z of a grid: CUDA C++ Programming Guide, compute capabilities."""


def passes_grid(loop: CanonicalLoop, axis: str, threads: int) -> bool:
    """Whether a loop has too many iterations for ``threads`` of each block on an axis of the grid."""
    trips = constant(iterations(loop))
    return axis in ("y", "z") and trips is not None and -(-trips // threads) > LARGEST_YZ
