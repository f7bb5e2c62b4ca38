"""All bugs; the first ones, of which every run of the tests tries a few, are of all kinds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from translator_mutants import analysis, checker, others, planning, readings
from translator_mutants.mutant import Mutant


def _in_turns(groups: Iterable[Sequence[Mutant]]) -> Iterator[Mutant]:
    """The first bug of each group, the second ones, and so on."""
    for row in zip_longest(*groups):
        yield from (mutant for mutant in row if mutant is not None)


MUTANTS = (
    *_in_turns((*analysis.QUICK, *planning.QUICK, *others.QUICK, *readings.QUICK)),
    *_in_turns(others.SLOW),
    *_in_turns(checker.SLOW),
)
