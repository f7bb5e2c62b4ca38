"""What machine code is made for tests is made quickly, unless a test asks for ``full_effort``."""

from __future__ import annotations

import pytest

from accache.ptx import compiled


@pytest.fixture
def full_effort() -> None:
    """Compile as for users."""


@pytest.fixture(autouse=True)
def _quick_machine_code(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "full_effort" not in request.fixturenames:
        monkeypatch.setattr(compiled, "_LARGE", 0)
        monkeypatch.setattr(compiled, "_QUICK", ("-O0",))
