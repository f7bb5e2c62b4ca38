"""Which thread covers which elements, in the manner of the paper's Table 1."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from accache.counting.formulas import plain
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import ParallelFor
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Expr

SHOWN_THREADS = 3
STRIP_THREADS = 4
STRIP_WIDTH = 32


class Coverage(Struct, frozen=True):
    """One dimension in the first block: ``threads`` iterations whose subarrays start ``stride`` elements apart."""

    first: Polynomial
    length: int
    stride: int
    threads: int

    def of_threads(self, start: int, count: int) -> str:
        """The elements that threads ``start`` to ``start + count - 1`` ask for together, ends included."""
        ends = (start * self.stride, (start + count - 1) * self.stride)
        low, high = self.first + min(ends), self.first + (max(ends) + self.length - 1)
        return f"{plain(low.to_c())} to {plain(high.to_c())}" if low != high else plain(low.to_c())

    def ranges(self) -> tuple[str, ...]:
        """``T0 -> 4 to 8`` for the first threads."""
        return tuple(f"T{t} -> {self.of_threads(t, 1)}" for t in range(min(self.threads, SHOWN_THREADS)))

    def shared(self) -> str:
        """What the threads share: the first few, as Table 1 has it, and all of them."""
        few = min(self.threads, SHOWN_THREADS)
        every = f"T0 to T{self.threads - 1} share {self.of_threads(0, self.threads)}"
        return every if few == self.threads else f"T0 to T{few - 1} share {self.of_threads(0, few)}; {every}"

    def strip(self) -> tuple[str, ...]:
        """A row for each of the first threads and one for what they share; empty if it would be too wide."""
        count = min(self.threads, STRIP_THREADS)
        width = self.length + abs(self.stride) * (count - 1)
        if width > STRIP_WIDTH or count < 2 or (self.length == 1 and abs(self.stride) == 1):
            return ()
        lowest = min(0, self.stride * (count - 1))
        starts = [t * self.stride - lowest for t in range(count)]
        rows = [f"T{t} " + ("." * start + "#" * self.length).ljust(width, ".") for t, start in enumerate(starts)]
        union = "".join("#" if any(s <= k < s + self.length for s in starts) else "." for k in range(width))
        return (*rows, f"{'=':<3}{union}")


def coverage(
    lower: Polynomial, length: int, loop: ParallelFor | None, definitions: Mapping[str, Expr]
) -> Coverage | None:
    """How the iterations of one parallel loop cover a dimension; None if the lower bound is not linear in it."""
    if loop is None:
        return Coverage(lower, length, 0, 1)
    variable = loop.loop.variable
    rate = lower.coefficient(variable)
    if rate is None or rate.constant_value is None:
        return None
    first = index_polynomial(loop.loop.first, definitions)
    begin = first if first is not None else Polynomial.symbol(f"{variable.partition('#')[0]}_first")
    return Coverage(lower.substitute({variable: begin}), length, rate.constant_value * loop.loop.step, loop.threads)
