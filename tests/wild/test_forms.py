"""Forms of the cache directive in real programs: right under every method, decided as written beside them."""

from __future__ import annotations

from itertools import product
from operator import attrgetter
from pathlib import Path

import pytest
from families import some
from workshop import Workshop, expectations

from accache.base.options import Options

PROGRAMS = Path(__file__).parent / "programs"
# sizes around the edges of blocks; the first one is the program's own
SIZES = {
    "array_ends": ("290", "1", "2", "3", "19", "258"),
    "declarations": ("300", "1", "33"),
    "disagreements": ("300", "1", "33"),
    "flat_matrices": ("50", "1", "3", "16", "17", "33"),
    "gang_local": ("5", "1", "33"),
    "hard_places": ("700", "1", "2", "32", "33", "257"),
    "left_early": ("300", "1", "33"),
    "lookup_tables": ("600", "1", "255", "256", "257"),
    "read_tiles": ("1000", "1", "2", "255", "256", "257"),
    "other_names": ("300", "1", "33"),
    "own_cells": ("700", "1", "63", "64", "65"),
    "refused": ("300", "1", "256"),
    "sequential_tiles": ("40", "1", "16", "17"),
    "several_subarrays": ("300", "1", "2", "33", "257"),
    "spellings": ("1000", "2", "257"),
    "written_tiles": ("700", "1", "2", "256", "257"),
}
METHODS = ("auto", "rbi", "rbc", "ehc", "scratch", "none")
TILES = ("rbi", "rbc", "ehc")
OTHERS = ("rbi", "ehc", "scratch")
CHANGED_BY_RBC = ("disagreements", "flat_matrices", "own_cells", "several_subarrays", "written_tiles")
"""Programs that auto gives other tiles; make matrix tries them all."""

WITH_METHODS = [
    pytest.param(name, method, marks=() if method == "rbc" and name in CHANGED_BY_RBC else pytest.mark.matrix)
    for name, method in product(SIZES, ("rbc", "none", *OTHERS))
]


def source_of(name: str) -> Path:
    return PROGRAMS / f"{name}.c"


def test_every_program_is_listed() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.c")} == set(SIZES)


@pytest.mark.parametrize("name", some(SIZES, 2))
def test_each_directive_becomes_what_stands_beside_it(name: str, workshop: Workshop) -> None:
    translation = workshop.translation(source_of(name), Options())
    reported = (item for kernel in translation.report.kernels for item in kernel.subarrays)
    decisions = sorted(reported, key=attrgetter("line"))
    expected = expectations(source_of(name))
    assert [item.line for item in decisions] == [item.line for item in expected]
    for wanted, decision in zip(expected, decisions, strict=True):
        place = f"{name}.c:{wanted.line}: {decision.text}"
        if wanted.method != "any":
            assert (place, decision.method) == (place, wanted.method), decision.reason
        if wanted.scope:
            assert (place, decision.scope) == (place, wanted.scope), decision.reason
        assert (place, wanted.text in decision.reason) == (place, True), decision.reason
        here = [found for found in translation.diagnostics if found.location and found.location.line == wanted.line]
        assert not wanted.code or wanted.code in {found.code for found in here}, place


@pytest.mark.parametrize("name", some(SIZES, 2))
def test_every_block_has_many_threads(name: str, workshop: Workshop) -> None:
    kernels = workshop.translation(source_of(name), Options()).report.kernels
    assert [kernel.function for kernel in kernels if max(kernel.block) < 16] == []


@pytest.mark.parametrize(("name", "method"), WITH_METHODS)
def test_a_method_is_obeyed_or_replaced_aloud(name: str, method: str, workshop: Workshop) -> None:
    translation = workshop.translation(source_of(name), Options(method=method))
    for decision in (item for kernel in translation.report.kernels for item in kernel.subarrays):
        lines = [found for found in translation.diagnostics if found.location and found.location.line == decision.line]
        replaced = {"ACC407", "ACC408"} & {found.code for found in lines}
        if method == "none":
            assert decision.method not in TILES
        elif decision.method in TILES and decision.method != method:
            assert replaced, decision


@pytest.mark.parametrize("name", some(SIZES, 2))
def test_auto_gives_the_sequential_result_at_every_size(name: str, workshop: Workshop) -> None:
    for seed, size in enumerate(SIZES[name]):
        workshop.same(source_of(name), Options(), (size,), seed=seed)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in CHANGED_BY_RBC[::2] else pytest.mark.matrix) for name in SIZES]
)
def test_conservative_tiles_give_the_sequential_result(name: str, workshop: Workshop) -> None:
    workshop.same(source_of(name), Options(method="rbc"), seed=2)


@pytest.mark.matrix
@pytest.mark.parametrize("name", SIZES)
def test_every_combination(name: str, workshop: Workshop) -> None:
    """Each distinct emission runs; many options change nothing."""
    widths, scopes = ("kernel-args", "sync", "fixed"), ("private", "communicating")
    choices = [
        Options(method=method, write=write, sharing=sharing, width=width, scope=scope)
        for method, write, sharing, width, scope in product(METHODS, ("back", "through"), (True, False), widths, scopes)
    ]
    for chosen in workshop.distinct(source_of(name), choices):
        for size in SIZES[name]:
            for seed in range(3):
                workshop.same(source_of(name), chosen, (size,), seed=seed)
