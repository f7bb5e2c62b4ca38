"""Large families of tests, of which the default run has some; ``make thorough`` runs the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

T = TypeVar("T")


def some(values: Iterable[T], every: int, first: int = 0) -> list[ParameterSet]:
    """The values of a parameter, all but one of ``every`` from the ``first`` on marked for ``make thorough``.

    Several parameters stand in one tuple.
    """
    found = []
    for number, value in enumerate(values):
        marks = () if number % every == first else (pytest.mark.thorough,)
        found.append(
            pytest.param(*value, marks=marks) if isinstance(value, tuple) else pytest.param(value, marks=marks)
        )
    return found


def parts(values: Iterable[T], count: int) -> list[ParameterSet]:
    """Lists of which each has every so many'th of the values, for a test that takes many at once."""
    found = list(values)
    return some([found[first::count] for first in range(count)], count)
