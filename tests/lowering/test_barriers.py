"""A barrier stands exactly where threads pass data to each other; the case files hold whole kernels."""

from __future__ import annotations

import pytest
from plans import Plan, emitted, plans


@pytest.mark.parametrize("case", plans(__file__, "barriers"), ids=str)
def test_barriers(case: Plan, update_golden: bool) -> None:
    case.holds(emitted(case), update_golden)


@pytest.mark.parametrize("case", plans(__file__, "ownership"), ids=str)
def test_none_for_cells_that_a_thread_keeps_to_itself(case: Plan, update_golden: bool) -> None:
    case.holds(emitted(case), update_golden)
