"""Build and run small .cu programs on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from accache.cpu.build import build
from accache.cpu.run import RunResult, run

Runner = Callable[..., RunResult]


@pytest.fixture
def run_cu(tmp_path: Path) -> Runner:
    """Runs a whole .cu program: ``run_cu(text, arguments, check=..., seed=..., workers=...)``."""
    if not shutil.which("g++"):
        pytest.skip("needs g++")

    def runner(
        text: str,
        arguments: Sequence[str] = (),
        *,
        check: bool = False,
        seed: int | None = None,
        workers: int | None = None,
        host: str | None = None,
    ) -> RunResult:
        program = build(text, host, tmp_path, check=check)
        return run(program, arguments, seed=seed, workers=workers, timeout=60)

    return runner
