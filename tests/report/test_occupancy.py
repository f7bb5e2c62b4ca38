"""What limits the blocks that a multiprocessor holds of a kernel, with its registers and without."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import accache
from accache.cli.main import main
from accache.report.occupancy import occupancy
from accache.report.records import OccupancyReport

SAMPLE = Path(__file__).parents[2] / "samples" / "nbody.c"


@pytest.mark.parametrize(
    ("threads", "shared", "registers", "expected"),
    [
        (128, 0, 0, (16, 100, "threads", None)),
        (32, 0, 0, (32, 50, "blocks", None)),
        (128, 40000, 0, (5, 31, "shared memory", None)),
        (128, 4096, 32, (16, 100, "threads", 32)),
        (128, 4096, 40, (12, 75, "registers", 40)),
        (128, 40000, 40, (5, 31, "shared memory", 40)),
        (32, 0, 255, (8, 12, "registers", 255)),
    ],
)
def test_limits(threads: int, shared: int, registers: int, expected: tuple[int, int, str, int | None]) -> None:
    assert occupancy("sm_90", threads, shared, registers) == OccupancyReport("sm_90", *expected)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_registers_are_counted_on_request() -> None:
    def found(*options: str) -> tuple[int | None, str]:
        result = CliRunner().invoke(main, ["explain", "-w", str(SAMPLE), "--json", *options])
        record = json.loads(result.stdout)
        jsonschema.validate(record, accache.schema("explain"))
        each = record["kernels"][0]["occupancy"]
        return each["registers"], CliRunner().invoke(main, ["explain", "-w", str(SAMPLE), *options]).stdout

    registers, told = found()
    assert (registers, "registers are not counted (--registers)" in told) == (None, True)
    registers, told = found("--registers")
    assert registers is not None
    assert 24 <= registers <= 64
    assert f"; a thread has {registers} registers\n" in told


def test_without_nvcc_they_cannot_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    result = CliRunner().invoke(main, ["explain", "-w", str(SAMPLE), "--registers"])
    assert result.exit_code == 1
    assert "nvcc is not installed; explain --registers needs it [ACC601]" in result.stderr
