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


@pytest.fixture(scope="session")
def users_workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """The same with what users get: tiles that pay, and several iterations a thread where these pay more."""
    return make_workshop(tmp_path_factory, "model")
