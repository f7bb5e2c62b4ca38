"""The six behaviours of paper 004's table 5: values stay in the allowed set, and --check names what is a race."""

from __future__ import annotations

from pathlib import Path

import pytest
from families import some
from workshop import Workshop

from accache.base.options import Options

HERE = Path(__file__).parent / "coherence"
SOURCE = HERE / "behaviours.c"
CHOICES = {
    "rbi back": Options(method="rbi", write="back"),
    "rbi through": Options(method="rbi", write="through"),
    "rbc back": Options(method="rbc", write="back"),
    "rbc through, private": Options(method="rbc", write="through", sharing=False),
    "rbc back, private": Options(method="rbc", write="back", sharing=False),
    "ehc back": Options(method="ehc", write="back"),
    "ehc through": Options(method="ehc", write="through"),
    "none": Options(method="none"),
}


@pytest.mark.parametrize("choice", some(CHOICES, 3))
@pytest.mark.parametrize(
    ("scenario", "is_race", "numbers"),
    [("one", False, "#1 #2 #3"), ("others", True, "#1 #2 #3"), ("many", True, "#4 #5 #6")],
)
def test_what_threads_see(scenario: str, is_race: bool, numbers: str, choice: str, workshop: Workshop) -> None:
    for seed in range(3):
        result = workshop.run(SOURCE, CHOICES[choice], (scenario,), seed=seed)
        assert result.stdout.splitlines() == [f"{number} ok" for number in numbers.split()]
        assert result.returncode == 0, result.stderr
        assert {found.kind for found in result.findings} == ({"race"} if is_race else set())


@pytest.mark.parametrize("choice", [name for name in CHOICES if name != "none"])
def test_the_element_is_cached(choice: str, workshop: Workshop) -> None:
    report = workshop.translation(SOURCE, CHOICES[choice]).report
    decisions = [item for kernel in report.kernels for item in kernel.subarrays]
    assert len(decisions) == 3
    assert all(item.method in ("rbi", "rbc", "ehc") for item in decisions)
    assert {item.policy for item in decisions} == {CHOICES[choice].write}


@pytest.mark.parametrize("choice", ["rbi back", "rbi through", "rbc back, private"])
def test_what_a_fetch_reads_counts_when_it_is_used(choice: str, workshop: Workshop) -> None:
    source = HERE / "neighbours.c"
    workshop.same(source, CHOICES[choice], ("0",))
    assert {found.kind for found in workshop.run(source, CHOICES[choice], ("1",)).findings} == {"race"}
