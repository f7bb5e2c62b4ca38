"""How often loops run, as formulas."""

from __future__ import annotations

from msgspec import Struct

from accache.analysis.canonical import canonical_loop, with_condition
from accache.analysis.loop_context import Definitions, loop_ranges
from accache.counting.formulas import Count, as_count, least, rounds
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import conjuncts
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.polynomial import Polynomial
from accache.ir.tree import For


class Trips(Struct, frozen=True):
    """A counted loop: it starts at ``first`` and covers ``span`` values by ``step``.

    ``is_bound`` says that it may run fewer times, for reasons in the data. One of its limits is a ``most``, a
    constant number of iterations, which a chunk of a longer loop has in all but the last case.
    """

    variable: str
    first: Polynomial
    span: Count
    step: int
    is_bound: bool = False
    most: int | None = None

    @property
    def count(self) -> Count:
        """How many iterations there are (where there are any)."""
        return rounds(self.span, self.step)


def trips_of(
    loop: For | ParallelFor, definitions: Definitions, known: frozenset[str], full: frozenset[str]
) -> Trips | None:
    """The trip count of a loop in terms of ``known`` names; None if it depends on anything else.

    Of several limits those that depend on something unknown are left out (``is_bound``), and those that depend
    on ``full`` names, the loops taken to be far from their ends.
    """
    canonical = loop.loop if isinstance(loop, ParallelFor) else _canonical(loop)
    first = index_polynomial(canonical.first, definitions) if canonical is not None else None
    if canonical is None or first is None or not isinstance(loop, (For, ParallelFor)):
        return None
    spans, complete = _spans(loop, definitions)
    usable = [span for span in spans if span.names <= known]
    constants = [span for span in usable if span.constant_value is not None]
    if constants:
        usable = [span for span in usable if span.names.isdisjoint(full)]
    if not usable:
        return None
    span = least(tuple(map(as_count, usable)))
    is_bound = not complete or any(not part.names <= known for part in spans)
    shortest = min((span.constant_value or 0 for span in constants), default=None)
    most = as_count(Polynomial.constant(shortest)) if shortest is not None else None
    longest = rounds(most, canonical.step).value if most is not None else None
    return Trips(canonical.variable, first, span, canonical.step, is_bound, longest)


def _canonical(loop: For) -> CanonicalLoop | None:
    """The loop with the first of its conditions that makes it a counted one."""
    for condition in conjuncts(loop.condition):
        found = canonical_loop(with_condition(loop, condition))
        if isinstance(found, CanonicalLoop):
            return found
    return None


def _spans(loop: For | ParallelFor, definitions: Definitions) -> tuple[list[Polynomial], bool]:
    """What each condition of a loop lets it cover, and whether every condition is understood."""
    if isinstance(loop, ParallelFor):
        return _covered(loop, definitions)
    spans: list[Polynomial] = []
    complete = True
    for condition in conjuncts(loop.condition):
        found, understood = _covered(with_condition(loop, condition), definitions)
        spans += found
        complete = complete and understood
    return list(dict.fromkeys(spans)), complete


def _covered(loop: For | ParallelFor, definitions: Definitions) -> tuple[list[Polynomial], bool]:
    found = loop_ranges(loop, definitions)
    intervals = found[1] if found is not None else ()
    extents = [interval.extent for interval in intervals]
    return [extent for extent in extents if extent is not None], bool(extents) and None not in extents
