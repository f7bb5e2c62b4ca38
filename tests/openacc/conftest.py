"""The workshop all tests of a session share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from workshop import Workshop, make_workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Builds each program once a session."""
    return make_workshop(tmp_path_factory)
