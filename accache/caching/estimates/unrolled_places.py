"""Where an access lies in the iterations of the loops that a compiler unrolls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

from accache.ir.polynomial import Polynomial

MOST_PLACES = 1024
"""So many places of one reference in unrolled loops are told apart at most."""


class SequentialLoop(Struct, frozen=True):
    """A sequential loop around: its variable, how often it runs, and whether it is unrolled whole.

    It begins with ``first``, where that is known; of a loop of constant length, the variable is that and each of the
    ``steps`` in turn. What stays the same in it is loaded once, before it, if it ``hoists``: not where only some
    iterations load it. Those of its variables that are ``changed`` have other values in each iteration, which are not
    known.
    """

    variable: str
    trips: float
    unrolled: bool
    first: Polynomial | None = None
    steps: range = range(0)
    hoists: bool = True
    changed: frozenset[str] = frozenset()

    @property
    def values(self) -> tuple[Polynomial, ...]:
        """What the variable is in each of the ``steps``."""
        return tuple(self.first + step for step in self.steps) if self.first is not None else ()


Loops: TypeAlias = tuple[SequentialLoop, ...]
Places: TypeAlias = dict[Polynomial, list[int]]
"""Places that differ by constants stand together: what they have in common, and the constant term of each."""


def single(place: Polynomial) -> Places:
    """One place."""
    return {place - place.constant_term: [place.constant_term]}


def unrolled(place: Polynomial, loops: Loops) -> tuple[Loops, Places]:
    """The loops left around an access when others are unrolled, and its places in the iterations of these."""
    rolled = loops
    while rolled and rolled[-1].steps and not rolled[-1].changed & place.names:
        rolled = rolled[:-1]
    places, count = single(place), 1
    for loop in loops[len(rolled) :]:
        if loop.variable in place.names:
            count *= len(loop.steps)
            if count > MOST_PLACES:
                return loops, single(place)
            places = _over_iterations(places, loop)
    return rolled, places


def _over_iterations(places: Places, loop: SequentialLoop) -> Places:
    """Places in all iterations of a loop."""
    assert loop.first is not None
    found: Places = {}
    for common, constants in places.items():
        rate = common.coefficient(loop.variable)
        start = common.substitute({loop.variable: loop.first})
        moved: Iterable[Polynomial] = (start,)
        steps, apart = range(1), 0
        if rate is None:
            moved = (common.substitute({loop.variable: loop.first + step}) for step in loop.steps)
        elif rate.constant_value is None:
            moved = (start + rate * step for step in loop.steps)
        else:
            steps, apart = loop.steps, rate.constant_value
        for each in moved:
            known = found.setdefault(each - each.constant_term, [])
            known += [each.constant_term + constant + apart * step for constant in constants for step in steps]
    return found
