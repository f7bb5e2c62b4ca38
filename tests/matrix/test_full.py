"""Every generated program with every combination of options that can matter to it; each distinct emission runs once.

And once more under the checker, which finds nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix.harness import Batch, Case, choices
from matrix.programs import all_programs

PARTS = 200

pytestmark = pytest.mark.matrix


@pytest.mark.parametrize("part", range(PARTS))
def test_every_choice_of_options(part: int, tmp_path: Path) -> None:
    cases = [Case(program, options) for program in all_programs()[part::PARTS] for options in choices(program)]
    members = Batch(tmp_path, cases, distinct=True)
    assert members.differences() + members.differences(check=True) == []
