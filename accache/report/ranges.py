"""Which thread covers which elements, in the manner of the paper's Table 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from accache.counting.formulas import plain
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import ParallelFor
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Expr

SHOWN_THREADS = 3
STRIP_THREADS = 4
STRIP_WIDTH = 32


class Share(NamedTuple):
    """How many iterations of a loop a thread has, and how far each is from the one before."""

    iterations: int = 1
    apart: int = 1


class Coverage(Struct, frozen=True):
    """One dimension in the first block: iterations of the ``threads``, whose subarrays start ``stride`` elements apart.

    A thread has so many ``iterations``, each ``apart`` from the one before: 1 where they are neighbours, else as many
    as there are threads.
    """

    first: Polynomial
    length: int
    stride: int
    threads: int
    iterations: int = 1
    apart: int = 1

    @property
    def is_scattered(self) -> bool:
        """Whether nobody asks for something between the subarrays of a thread's iterations, or other threads do."""
        return self.iterations > 1 and abs(self.stride) * self.apart > self.length

    def of_iterations(self, start: int, end: int) -> str:
        """The elements from the lowest to the highest that iterations ``start`` and ``end`` of the block ask for."""
        ends = (start * self.stride, end * self.stride)
        low, high = self.first + min(ends), self.first + (max(ends) + self.length - 1)
        return f"{plain(low.to_c())} to {plain(high.to_c())}" if low != high else plain(low.to_c())

    def of_threads(self, start: int, count: int) -> str:
        """The elements that threads ``start`` to ``start + count - 1`` ask for together, ends included."""
        return self.of_iterations(self.numbers(start)[0], self.numbers(start + count - 1)[-1])

    def numbers(self, thread: int) -> range:
        """Which iterations of the block a thread has."""
        first = thread * (self.iterations if self.apart == 1 else 1)
        return range(first, first + self.iterations * self.apart, self.apart)

    def ranges(self) -> tuple[str, ...]:
        """``T0 -> 4 to 8`` for the first threads; parts of one that lie apart are told one by one."""
        return tuple(f"T{t} -> {self._of_thread(t)}" for t in range(min(self.threads, SHOWN_THREADS)))

    def _of_thread(self, thread: int) -> str:
        if not self.is_scattered:
            return self.of_threads(thread, 1)
        return " and ".join(self.of_iterations(number, number) for number in self.numbers(thread))

    def shared(self) -> str:
        """What the threads share: the first few, as Table 1 has it, and all of them."""
        few = min(self.threads, SHOWN_THREADS)
        every = f"T0 to T{self.threads - 1} share {self.of_threads(0, self.threads)}"
        if few == self.threads or self.is_scattered:
            return every
        return f"T0 to T{few - 1} share {self.of_threads(0, few)}; {every}"

    def strip(self) -> tuple[str, ...]:
        """A row for each of the first threads and one for what they share; empty if it would be too wide."""
        count = min(self.threads, STRIP_THREADS)
        width = self.length + abs(self.stride) * self.numbers(count - 1)[-1]
        if width > STRIP_WIDTH or count < 2 or (self.length == 1 and abs(self.stride) == 1 and self.iterations == 1):
            return ()
        lowest = min(0, self.stride * self.numbers(count - 1)[-1])
        starts = [[number * self.stride - lowest for number in self.numbers(t)] for t in range(count)]
        rows = [f"T{t} {self._cells(own, width)}" for t, own in enumerate(starts)]
        return (*rows, f"{'=':<3}{self._cells([start for own in starts for start in own], width)}")

    def _cells(self, starts: Sequence[int], width: int) -> str:
        return "".join("#" if any(s <= k < s + self.length for s in starts) else "." for k in range(width))


def coverage(
    lower: Polynomial, length: int, loop: ParallelFor | None, definitions: Mapping[str, Expr], *, share: Share
) -> Coverage | None:
    """How the iterations of one parallel loop cover a dimension; None if the lower bound is not linear in it.

    The ``loop`` has a thread for each iteration of a block, of which a thread has its ``share``.
    """
    if loop is None:
        return Coverage(lower, length, 0, 1)
    variable = loop.loop.variable
    rate = lower.coefficient(variable)
    if rate is None or rate.constant_value is None:
        return None
    first = index_polynomial(loop.loop.first, definitions)
    begin = first if first is not None else Polynomial.symbol(f"{variable.partition('#')[0]}_first")
    return Coverage(
        lower.substitute({variable: begin}),
        length,
        rate.constant_value * loop.loop.step,
        threads=loop.threads // share.iterations,
        iterations=share.iterations,
        apart=share.apart,
    )
