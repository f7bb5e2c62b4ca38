"""The kernels emitted for the samples and for small programs are those in the golden files."""

from __future__ import annotations

import difflib

import pytest

from golden.emissions import EMISSIONS, HERE, Emission


@pytest.mark.parametrize("emission", EMISSIONS, ids=lambda emission: emission.name)
def test_emitted_kernels_are_the_golden_ones(emission: Emission, update_golden: bool) -> None:
    """Run with --update-golden after a wanted change, and read the difference before you commit it."""
    emitted = emission.kernels()
    if update_golden:
        emission.golden.write_text(emitted)
    golden = emission.golden.read_text()
    difference = difflib.unified_diff(
        golden.splitlines(), emitted.splitlines(), str(emission.golden), "emitted now", lineterm=""
    )
    assert emitted == golden, "\n".join(difference)


def test_every_golden_file_has_its_emission() -> None:
    assert {path.stem for path in HERE.glob("*.cu")} == {emission.name for emission in EMISSIONS}
