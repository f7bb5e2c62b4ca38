"""Reports of the samples."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from accache.base.options import Options
from accache.driver import Translation, translate
from accache.report.text import Report

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = tuple(sorted(path.stem for path in SAMPLES.glob("*.c")))


@cache
def translation(name: str, method: str = "auto") -> Translation:
    """The translation of a sample, or of the C file of that name beside the tests."""
    folder = SAMPLES if name in NAMES else Path(__file__).parent
    return translate(str(folder / f"{name}.c"), Options(method=method, tune="off"))


def report_of(name: str) -> Report:
    """A sample's report."""
    return translation(name).report
