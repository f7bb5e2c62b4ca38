"""``pytest tests/golden --update-golden`` writes the golden files anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew instead of comparing")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to write golden files; the option exists only if pytest was called with this folder."""
    return bool(request.config.getoption("--update-golden", default=False))
