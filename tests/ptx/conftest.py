"""What machine code is made for tests is made quickly, unless a test asks for ``full_effort``."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from accache.base.text import SourceFile
from accache.ptx.machine import compiled
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module


@pytest.fixture
def full_effort() -> None:
    """Compile as for users."""


@pytest.fixture(autouse=True)
def _quick_machine_code(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "full_effort" in request.fixturenames:
        monkeypatch.setattr(compiled, "_SMALL", 0)
    else:
        monkeypatch.setattr(compiled, "_LARGE", 0)
        monkeypatch.setattr(compiled, "_QUICK", ("-O0",))


@pytest.fixture(scope="session")
def language_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The PTX of language.cu."""
    if not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    target = tmp_path_factory.mktemp("language") / "a.ptx"
    source = Path(__file__).parent / "language.cu"
    subprocess.run(["nvcc", "-ptx", "-arch=sm_80", "-lineinfo", source, "-o", target], check=True)
    return target.read_text()


@pytest.fixture(scope="session")
def language(language_text: str) -> Module:
    """The module of language.cu."""
    return parse(SourceFile("language.ptx", language_text))
