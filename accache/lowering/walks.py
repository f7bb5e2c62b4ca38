"""Loops in which each lane has a constant number of rounds, or at most a constant number, as the launch makes sure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from accache.analysis.canonical import canonical_loop, constant_trips, loop_variable
from accache.analysis.uniformity import leaving_jumps
from accache.caching.cached import CachedKernel
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import BOOL, INT, formula, number
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import thread
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Block, Declare, For, If, Stmt, Unary, Variable
from accache.ir.types import as_const, exceeds_int
from accache.mapping.loops.warps import lengths_for_lanes, longest_of_lanes

_LANE = thread("x")


class Walk(Struct, frozen=True):
    """A loop of ``trips`` rounds, of which round ``k`` has the value ``start + k * stride`` of its variable.

    Lanes leave it before they have all rounds where the value is not below ``end``; None: they never do.
    """

    loop: For
    trips: int
    start: Polynomial
    stride: int = 1
    end: Polynomial | None = None

    @property
    def shape(self) -> tuple[object, ...]:
        """What walks have in common that meet the same values in the same rounds."""
        return self.trips, self.start, self.stride, self.end

    @property
    def names(self) -> frozenset[str]:
        """The names that the values of the variable depend on."""
        return self.start.names | (self.end.names if self.end is not None else frozenset())

    @property
    def variable(self) -> str:
        """The loop's variable."""
        return loop_variable(self.loop) or ""

    def value(self, counter: Polynomial) -> Polynomial:
        """The variable's value in a round."""
        return self.start + counter * self.stride

    def in_rounds(self, counter: str, body: Stmt) -> For:
        """The loop with a ``counter`` of its rounds, which are unrolled."""
        where, canonical = self.loop.location, canonical_loop(self.loop)
        assert isinstance(canonical, CanonicalLoop)
        variable = Variable(INT, where, counter)
        value = formula(self.value(Polynomial.symbol(counter)), where, canonical.type)
        own = Declare(where, canonical.variable, as_const(canonical.type), value)
        condition = Binary(BOOL, where, "<", variable, number(self.trips, where))
        assert self.loop.condition is not None
        return For(
            where,
            (Declare(where, counter, INT, number(0, where)),),
            condition,
            Unary(INT, where, "++", variable),
            Block(where, (own, If(where, self.loop.condition, body))),
            unrolled=True,
        )


def walk_of(loop: For, longest: Mapping[Polynomial, int]) -> Walk | None:
    """How lanes go through a loop; None if no constant bounds their rounds.

    ``longest`` tells of some numbers of iterations how many of them the launch makes sure there are at most.
    """
    canonical = canonical_loop(loop)
    if not isinstance(canonical, CanonicalLoop) or canonical.step < 1 or any(leaving_jumps(loop.body)):
        return None
    trips = constant_trips(canonical)
    if trips and canonical.step == 1 and constant(canonical.first) == 0:
        return Walk(loop, trips, Polynomial.constant(0))
    start, end = index_polynomial(canonical.first), index_polynomial(canonical.limit)
    if start is None or end is None or canonical.operator != "<":
        return None
    (lane,) = _LANE.names
    first = start.substitute({lane: Polynomial.constant(0)})
    if not _is_small(first) and not exceeds_int(canonical.type):
        return None
    most = longest.get(end - first, 0)
    return Walk(loop, -(-most // canonical.step), start, canonical.step, end) if most and lane in start.names else None


def _is_small(first: Polynomial) -> bool:
    """Whether lanes that start there meet no number past the end of int in rounds that they do not leave early."""
    known = first.constant_value
    return known is not None and known < 1 << 30


def longest_walks(cached: CachedKernel) -> dict[Polynomial, int]:
    """Numbers of iterations that lanes share, and how many of them launches of a kernel have at most."""
    if not cached.fewest_blocks:
        return {}
    return dict.fromkeys(lengths_for_lanes(cached.kernel), longest_of_lanes(cached.kernel))
