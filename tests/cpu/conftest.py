"""Build and run small .cu programs on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import pytest
from runs import Runner

from accache.cpu.build import Program, build
from accache.cpu.run import RunResult, run


@pytest.fixture(scope="module")
def run_cu(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Runs a whole .cu program: ``run_cu(text, arguments, check=..., seed=..., workers=...)``.

    A text is built once, however often it runs.
    """
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    programs: dict[tuple[str, str | None, bool], Program] = {}

    def runner(
        text: str,
        arguments: Sequence[str] = (),
        *,
        check: bool = False,
        seed: int | None = None,
        workers: int | None = None,
        host: str | None = None,
    ) -> RunResult:
        key = (text, host, check)
        if key not in programs:
            programs[key] = build(text, host, tmp_path_factory.mktemp("program"), check=check)
        return run(programs[key], arguments, seed=seed, workers=workers, timeout=60)

    return runner
