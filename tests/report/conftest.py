"""Reports of samples and small programs, and what their kernels did when they ran."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from accache.cpu.build import Program, build
from accache.cpu.findings import KernelCounters
from accache.cpu.run import run
from accache.driver import Translation, translate
from accache.options import Options
from accache.report.text import Report

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = tuple(sorted(path.stem for path in SAMPLES.glob("*.c")))
LANGUAGE = {"ceil": math.ceil, "min": min, "sum": sum, "range": range}


@cache
def translation(name: str, method: str = "auto") -> Translation:
    """A sample's translation."""
    return translate(str(SAMPLES / f"{name}.c"), Options(method=method))


def report_of(name: str) -> Report:
    """A sample's report."""
    return translation(name).report


def evaluate(formula: str, values: Mapping[str, int]) -> int:
    """The value of a formula of a report, which is a Python expression."""
    return int(eval(formula, {"__builtins__": {}, **LANGUAGE, **values}))


@pytest.fixture(scope="session")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Mapping[str, KernelCounters]]:
    """Runs a sample under the checker: ``counted(name, method, arguments)`` gives each kernel's counters."""
    if not shutil.which("g++"):
        pytest.skip("needs g++")

    @cache
    def built(name: str, method: str) -> Program:
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
        return translate(str(path), Options(**options)).report  # type: ignore[arg-type]

    return explained
