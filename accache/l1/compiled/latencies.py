"""The latencies of ``latencies``, drawn by compiled code."""

from __future__ import annotations

import math

import numpy as np

from accache.l1.compiled.jit import compiled, inlined
from accache.l1.compiled.memory import DRAWN, NONE, POSITION, SECOND, TWISTER_WORDS, WORDS, Drawn, Integers
from accache.l1.latencies import generator

WIDEST_NORMAL = 13
"""What the polar method makes of 53 bits is smaller."""
_MIDDLE = 397
_MATRIX = 0x9908B0DF


@inlined
def twist(now: Integers) -> None:
    """Make the next words of the Mersenne twister."""
    for i in range(TWISTER_WORDS):
        y = (now[WORDS + i] & 0x80000000) | (now[WORDS + (i + 1) % TWISTER_WORDS] & 0x7FFFFFFF)
        now[WORDS + i] = now[WORDS + (i + _MIDDLE) % TWISTER_WORDS] ^ (y >> 1) ^ (_MATRIX if y & 1 else 0)


@inlined
def next_word(now: Integers) -> int:
    """32 random bits."""
    if now[POSITION] == TWISTER_WORDS:
        twist(now)
        now[POSITION] = 0
    y: int = now[WORDS + now[POSITION]]
    now[POSITION] += 1
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    y ^= y >> 18
    return y


@inlined
def coordinate(now: Integers) -> float:
    """A number from -1 up to 1."""
    low = next_word(now)
    high = next_word(now)
    return 2 * ((low + high * 2.0**32) / 2.0**64) - 1


@compiled
def draw(now: Integers, deviation: float) -> int:
    """``|round(N(0, deviation))|``, by Marsaglia's polar method, which makes two numbers at a time."""
    second: int = now[SECOND]
    if second != NONE:
        now[SECOND] = NONE
        return second
    while True:
        x = coordinate(now)
        y = coordinate(now)
        square = x * x + y * y
        if 0 < square <= 1:
            factor = math.sqrt(-2 * math.log(square) / square)
            now[SECOND] = math.floor(abs(x * factor * deviation) + 0.5)
            return math.floor(abs(y * factor * deviation) + 0.5)


@compiled
def draw_all(now: Integers, drawn: Drawn, deviation: float) -> None:
    """Draw as many numbers as there is room for."""
    for i in range(len(drawn)):
        drawn[i] = draw(now, deviation)


@inlined
def next_latency(now: Integers, drawn: Drawn, shortest: int, deviation: float) -> int:
    """The shortest latency and the next of the numbers drawn already, after them a new one."""
    at = now[DRAWN]
    if at < len(drawn):
        now[DRAWN] += 1
        return int(shortest + drawn[at])
    return shortest + draw(now, deviation) if deviation else shortest


def start_of(seed: int, deviation: float, count: int) -> tuple[Integers, Drawn]:
    """``now`` at the start of a run, and a count of numbers drawn, none where all are 0 or some might be too large."""
    *words, position = generator(seed).getstate()[1]
    now = np.zeros(WORDS + TWISTER_WORDS, np.int64)
    now[POSITION], now[SECOND], now[WORDS:] = position, NONE, words
    fits = 0 < deviation * WIDEST_NORMAL < np.iinfo(np.int16).max
    drawn = np.empty(count if fits else 0, np.int16)
    draw_all(now, drawn, deviation)
    return now, drawn
