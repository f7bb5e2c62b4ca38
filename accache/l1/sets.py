"""Which set of the cache a line goes to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_INDEX_BITS = 5
_FOLDED = (6, 7, 8, 10, 12)


def set_of(line: NDArray[np.int64], sets: int, hashed: bool = True) -> NDArray[np.int64]:
    """The set of each line address: its remainder, or by a hash for powers of two of sets (paper, section 5.1).

    With the hash, bits 0 to 4 of the line address are combined by exclusive or with its bits 6, 7, 8, 10 and 12; with
    64 sets, bit 5 becomes the most significant bit of the index. Fewer sets use the low bits of that. More sets, which
    the paper does not have, put the line's bits from 6 on in front.

    >>> set_of(np.array([0, 1, 31, 32, 64]), 32).tolist()
    [0, 1, 31, 0, 1]
    >>> set_of(np.array([0, 1, 31, 32, 64]), 64).tolist()
    [0, 1, 31, 32, 1]
    >>> set_of(np.array([0, 1, 31, 32, 64]), 128).tolist()
    [0, 1, 31, 32, 65]
    >>> set_of(np.array([0, 1, 31, 32, 64]), 48, hashed=False).tolist()
    [0, 1, 31, 32, 16]
    """
    if not hashed:
        return line % sets
    low = line & ((1 << _INDEX_BITS) - 1)
    for position, bit in enumerate(_FOLDED):
        low ^= ((line >> bit) & 1) << position
    return (low | (line >> _INDEX_BITS) << _INDEX_BITS) & (sets - 1)
