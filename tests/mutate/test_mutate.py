"""Bugs planted in the emitted kernels are found; those that nothing can find are listed, with the reason."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from golden.emissions import EMISSIONS, Emission

from mutate.equivalent import EQUIVALENT, reason
from mutate.mutants import Mutant, plant
from mutate.trial import Trial

BATCH = 20
# emissions whose runs include arrays that overlap, or are shorter than assumed: the choice between two kernels matters
CHOOSING = ("aliased", "assumed")
# in every test run: each so many'th mutant of these
FEW = {"taps_communicating": 3, "chunks_rbc_back": 4, "rows_ehc_two_way": 5, "edges_plane": 6}


def mutants(emission: Emission) -> tuple[Mutant, ...]:
    """All mutants of an emission."""
    return plant(emission.golden.read_text(), launches=emission.name in CHOOSING)


def batches() -> list[tuple[Emission, int]]:
    """The places in each emission's mutants where a batch begins."""
    return [(emission, first) for emission in EMISSIONS for first in range(0, len(mutants(emission)), BATCH)]


def judge(emission: Emission, chosen: Sequence[Mutant], folder: Path) -> None:
    """Try mutants, and compare with what is known of survivors."""
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    wrong: list[str] = []
    for mutant, caught in Trial(emission, folder).catch(chosen):
        known = reason(emission.name, mutant)
        if not caught and not known:
            wrong.append(f"survives: {mutant}")
        elif caught and known:
            wrong.append(f"is caught by {caught}, so take it out of equivalent.py: {mutant}")
    assert not wrong, "\n".join([emission.name, *wrong])


@pytest.mark.mutate
@pytest.mark.parametrize(
    ("emission", "first"), [pytest.param(*batch, id=f"{batch[0].name}-{batch[1]}") for batch in batches()]
)
def test_every_mutant_is_caught(emission: Emission, first: int, tmp_path: Path) -> None:
    judge(emission, mutants(emission)[first : first + BATCH], tmp_path)


@pytest.mark.parametrize("emission", [emission for emission in EMISSIONS if emission.name in FEW], ids=lambda e: e.name)
def test_some_mutants_are_caught(emission: Emission, tmp_path: Path) -> None:
    judge(emission, mutants(emission)[:: FEW[emission.name]], tmp_path)


@pytest.mark.mutate
def test_the_list_of_survivors_names_mutants_that_exist() -> None:
    planted = {(emission.name, str(mutant)) for emission in EMISSIONS for mutant in mutants(emission)}
    listed = [(name, text) for places in EQUIVALENT.values() for name, texts in places.items() for text in texts]
    assert [entry for entry in listed if entry not in planted] == []
    assert len(set(listed)) == len(listed)
