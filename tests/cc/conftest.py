"""Call the compiler driver as a build system does, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from calls import Compiler, Done

from accache.base.store import cache_folder
from accache.cc.main import main


@pytest.fixture(scope="session")
def runtime() -> Path:
    """Where the runtime is kept, which takes long to compile."""
    folder = cache_folder({**os.environ, "ACCACHE_CACHE_DIR": ""}) / "cpu"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> Path:
    """A cache folder that has nothing in it but the runtime."""
    folder = tmp_path_factory.mktemp("cache")
    (folder / "cpu").symlink_to(runtime)
    return folder


@pytest.fixture
def cc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], cache: Path) -> Compiler:
    """Calls ``accache cc`` in an empty folder, and looks that nothing stays behind in the temporary one."""
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name in ("ACCACHE_TARGET", "ACCACHE_CC", "CC", "ACCACHE_NO_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ACCACHE_CACHE_DIR", str(cache))
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))

    def call(*words: str) -> Done:
        capfd.readouterr()
        status = main(words)
        output, errors = capfd.readouterr()
        assert list(temporary.iterdir()) == []
        return Done(status, output, errors)

    return call
