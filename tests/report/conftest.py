"""Runs samples under the checker; explains small programs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
from sample_reports import translation

from accache.base.options import Options
from accache.cpu.build import Program, build
from accache.cpu.findings import KernelCounters
from accache.cpu.run import run
from accache.driver import translate
from accache.report.text import Report


@pytest.fixture(scope="session")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Mapping[str, KernelCounters]]:
    """Runs a sample under the checker: ``counted(name, method, arguments)`` gives each kernel's counters."""
    if not shutil.which("g++"):
        pytest.skip("needs g++")

    @cache
    def built(name: str, method: str) -> Program:
        """The program; it is built once for all runs."""
        made = translation(name, method)
        return build(made.device, made.host, tmp_path_factory.mktemp(f"{name}-{method}"), check=True)

    def runner(name: str, method: str, arguments: tuple[int, ...]) -> Mapping[str, KernelCounters]:
        result = run(built(name, method), tuple(map(str, arguments)), timeout=60)
        assert result.returncode == 0, result.stderr
        assert not result.findings
        return {item.kernel: item for item in result.counters}

    return runner


@pytest.fixture
def explain(tmp_path: Path) -> Callable[..., Report]:
    """Translates C text: ``explain(text, **options)`` gives its report."""

    def explained(text: str, **options: object) -> Report:
        path = tmp_path / "a.c"
        path.write_text(text)
        return translate(str(path), Options(**{"tune": "off", **options})).report

    return explained
