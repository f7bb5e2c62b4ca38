"""Generated programs, translated and run, print what they print as plain C: a pairwise selection of all there are."""

from __future__ import annotations

import shutil
from collections import defaultdict
from pathlib import Path

import pytest
from families import some

from accache.base.options import Options
from matrix.harness import Batch, choices
from matrix.pairwise import pairs_of
from matrix.programs import FAMILIES, Family
from matrix.selection import batch, default_programs, option_pairs, pairwise

RUN_BATCHES = 20
CHECK_BATCHES = 5
CHECKED = slice(2, None, 8)

pytestmark = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("gcc")), reason="needs gcc and g++")


@pytest.mark.parametrize("number", some(range(RUN_BATCHES), RUN_BATCHES))
def test_programs_print_what_plain_c_prints(number: int, tmp_path: Path) -> None:
    assert Batch(tmp_path, batch(pairwise(), number, RUN_BATCHES)).differences() == []


@pytest.mark.parametrize("number", some(range(CHECK_BATCHES), CHECK_BATCHES, 1))
def test_the_checker_finds_nothing(number: int, tmp_path: Path) -> None:
    assert Batch(tmp_path, batch(pairwise()[CHECKED], number, CHECK_BATCHES)).differences(check=True) == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_selection_holds_every_value_and_most_pairs(family: Family) -> None:
    chosen = default_programs(family)
    everything = frozenset[object]().union(*(pairs_of(program.features) for program in family.programs()))
    held = frozenset[object]().union(*(pairs_of(program.features) for program in chosen))
    values = {feature for program in chosen for feature in program.features}
    assert {(name, value) for name, values in family.factors.items() for value in values} == values
    assert len(held) > 0.5 * len(everything)


def test_most_pairs_of_options_and_features_are_tried() -> None:
    tried: set[object] = set()
    met: defaultdict[Options, set[tuple[str, str]]] = defaultdict(set)
    for case in pairwise():
        tried |= option_pairs(case.options, case.program.features)
        for options in choices(case.program):
            met[options].update(case.program.features)
    wanted = {pair for options, features in met.items() for pair in option_pairs(options, features)}
    assert len(tried) > 0.6 * len(wanted)
