"""Which set of the cache a line goes to: by one of INDEXES."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

SetIndex: TypeAlias = Literal["xor", "fold", "modulo"]
INDEXES: Final[tuple[SetIndex, ...]] = get_args(SetIndex)
"""Fermi's hash (paper, section 5.1); all bits of the line's address folded; the address modulo the sets."""
_INDEX_BITS = 5
_FOLDED = (6, 7, 8, 10, 12)


def set_of(line: NDArray[np.int64], sets: int, index: SetIndex = "xor") -> NDArray[np.int64]:
    """The set of each line address, by one of INDEXES; but for modulo, the sets are a power of two.

    With ``xor``, bits 0 to 4 of the line address are combined by exclusive or with its bits 6, 7, 8, 10 and 12; with
    64 sets, bit 5 becomes the most significant bit of the index. Fewer sets use the low bits of that. More sets, which
    the paper does not have, put the line's bits from 6 on in front. With ``fold``, the address is cut into parts of as
    many bits as the index has, which are combined by exclusive or: no power of two as a stride leaves sets unused.

    >>> set_of(np.array([0, 1, 31, 32, 64]), 32).tolist()
    [0, 1, 31, 0, 1]
    >>> set_of(np.array([0, 1, 31, 32, 64]), 64).tolist()
    [0, 1, 31, 32, 1]
    >>> set_of(np.array([0, 1, 31, 32, 64]), 128).tolist()
    [0, 1, 31, 32, 65]
    >>> set_of(np.array([0, 1, 31, 32, 64]), 48, "modulo").tolist()
    [0, 1, 31, 32, 16]
    >>> set_of(np.array([0, 1, 4, 5, 128, 256, 384]), 4, "fold").tolist()
    [0, 1, 1, 0, 2, 1, 3]
    """
    if index == "modulo":
        return line % sets
    if index == "fold":
        return _folded(line, sets)
    assert index == "xor", index
    low = line & ((1 << _INDEX_BITS) - 1)
    for position, bit in enumerate(_FOLDED):
        low ^= ((line >> bit) & 1) << position
    return (low | (line >> _INDEX_BITS) << _INDEX_BITS) & (sets - 1)


def _folded(line: NDArray[np.int64], sets: int) -> NDArray[np.int64]:
    """The exclusive or of all parts of the addresses, each of as many bits as number the sets."""
    bits = sets.bit_length() - 1
    folded, rest = np.zeros_like(line), line.copy()
    while bits and rest.any():
        folded ^= rest & (sets - 1)
        rest >>= bits
    return folded
