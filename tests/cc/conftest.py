"""Call the compiler driver as a build system does, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from accache.cc.main import main
from accache.store import cache_folder

KERNEL = """\
#include <stdio.h>
static int scaled(const int *from, int *to, int n, int factor)
{
#pragma acc parallel loop copyin(from[0:n]) copyout(to[0:n])
    for (int i = 0; i < n; ++i)
        to[i] = factor*from[i];
    return to[n - 1];
}
"""
"""A function whose kernel gives ``factor`` times the last element; every file may have its own."""


@dataclass(frozen=True)
class Done:
    """How a call ended and what it printed."""

    status: int
    output: str
    errors: str


Compiler = Callable[..., Done]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that has nothing in it but the runtime, which takes long to compile."""
    folder = tmp_path_factory.mktemp("cache")
    runtime = cache_folder({**os.environ, "ACCACHE_CACHE_DIR": ""}) / "cpu"
    runtime.mkdir(parents=True, exist_ok=True)
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
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))

    def call(*words: str) -> Done:
        capfd.readouterr()
        status = main(words)
        output, errors = capfd.readouterr()
        assert list(temporary.iterdir()) == []
        return Done(status, output, errors)

    return call


def run(*command: str, **environment: str) -> str:
    """The output of a program that ends well."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
