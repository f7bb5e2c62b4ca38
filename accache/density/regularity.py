"""Whether lanes of a warp load at steady distances, as indices do that are computed from positions alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DISTANCES = 4  # within rows of a block, from one row to the next, from one plane to the next; and at an edge
_SHARE = 0.95


def is_regular(thread: NDArray[np.uint32], step: NDArray[np.uint32], address: NDArray[np.uint64]) -> bool:
    """Whether nearly all distances between addresses of neighbouring lanes are a few ones.

    Loads stand thread after thread, each thread's in the order of ``step``, which numbers the instructions of a warp.
    Of indices that come from memory this is rarely true; where it is true, it is no proof.
    """
    keys = thread.astype(np.int64) << 32 | step
    wanted = keys + (1 << 32)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    beside = (keys[places] == wanted) & (thread % 32 != 31)
    distances = (address[places[beside]] - address[beside]).view(np.int64)
    if len(distances) == 0:
        return True
    counts = np.sort(np.unique(distances, return_counts=True)[1])
    return bool(counts[-_DISTANCES:].sum() >= _SHARE * len(distances))
