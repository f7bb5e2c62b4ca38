"""What runs by default: the rows of each family that cover most pairs, each with options not yet tried on its like."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product

from msgspec.structs import asdict

from accache.base.options import Options
from matrix.builder import Program
from matrix.harness import Case, choices
from matrix.pairwise import pairs_of
from matrix.programs import FAMILIES, Family, all_programs

# so many rows of a family hold all values and most pairs
ROWS = 48
TRIES = 12


@cache
def pairwise() -> tuple[Case, ...]:
    """The default rows of every family, options chosen so that each meets each feature early."""
    chance = random.Random(2)
    seen: set[object] = set()
    cases = []
    for program in (program for family in FAMILIES for program in default_programs(family)):
        options = choices(program)
        candidates = [Case(program, item) for item in chance.sample(options, min(TRIES, len(options)))]
        best = max(candidates, key=lambda case: len(option_pairs(case.options, program.features) - seen))
        seen |= option_pairs(best.options, program.features)
        cases.append(best)
    return tuple(cases)


@cache
def default_programs(family: Family) -> tuple[Program, ...]:
    """The rows of a family that cover most: each in turn the one with most new values, then most new pairs."""
    left = list(family.programs())
    values: set[object] = set()
    pairs: set[object] = set()
    chosen = []
    for _ in range(min(ROWS, len(left))):
        best = max(left, key=lambda row: (len(set(row.features) - values), len(_pairs(row.features) - pairs)))
        left.remove(best)
        chosen.append(best)
        values |= set(best.features)
        pairs |= _pairs(best.features)
    return tuple(chosen)


def option_pairs(options: Options, features: Iterable[tuple[str, str]]) -> frozenset[object]:
    """All pairs of an option with an option or with a feature of a program."""
    values = _values(options)
    return _pairs(values) | frozenset(product(values, features))


@cache
def _values(options: Options) -> tuple[tuple[str, str], ...]:
    """The names and values of options."""
    return tuple((name, str(value)) for name, value in asdict(options).items())


@cache
def _pairs(row: tuple[tuple[str, str], ...]) -> frozenset[object]:
    """All pairs in a row; there are few rows, and each is asked for often."""
    return pairs_of(row)


def batch(cases: Sequence[Case], number: int, count: int) -> list[Case]:
    """One of ``count`` parts of the cases; cases next to each other, which are alike, are in different parts."""
    return list(cases[number::count])


@cache
def one_choice_each() -> tuple[Case, ...]:
    """Every program with one of its choices, another one each time."""
    found = []
    for number, program in enumerate(all_programs()):
        options = choices(program)
        found.append(Case(program, options[7 * number % len(options)]))
    return tuple(found)
