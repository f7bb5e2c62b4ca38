"""The latency of each miss: a half-normal random number, drawn as the published program draws it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

_WORDS = 624
_MULTIPLIER = 1812433253
_MASK = 0xFFFFFFFF
MAX_SEED = _MASK


def latencies(seed: int, shortest: int, deviation: float) -> Iterator[int]:
    """``shortest + |round(N(0, deviation))|`` without end; halves are rounded away from zero (paper, section 4.2)."""
    for number in normal_numbers(seed):
        yield shortest + math.floor(abs(number * deviation) + 0.5)


def normal_numbers(seed: int) -> Iterator[float]:
    """Standard normal numbers as libstdc++ makes them from ``mt19937(seed)``: Marsaglia's polar method."""
    words = generator(seed)

    def coordinate() -> float:
        low, high = words.getrandbits(32), words.getrandbits(32)
        return 2 * ((low + high * 2.0**32) / 2.0**64) - 1

    while True:
        x, y = coordinate(), coordinate()
        square = x * x + y * y
        if 0 < square <= 1:
            factor = math.sqrt(-2 * math.log(square) / square)
            yield y * factor
            yield x * factor


def generator(seed: int) -> Random:
    """The Mersenne twister in the state that C++ gives it for a seed below 2**32; Python's own seeding is another."""
    state = [seed]
    for i in range(1, _WORDS):
        state.append((_MULTIPLIER * (state[-1] ^ (state[-1] >> 30)) + i) & _MASK)
    words = Random()
    words.setstate((3, (*state, _WORDS), None))
    return words
