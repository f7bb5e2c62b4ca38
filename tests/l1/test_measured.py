"""accache model --measured: what the model predicts beside what Nsight Compute counted."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from launches import BASE, loads

from accache.cli.main import main
from accache.l1.gpus import gpu_named
from accache.l1.measured import HIT_RATE, REQUESTS, SECTOR_HITS, SECTORS, WIDTH, predicted
from accache.l1.text_traces import write_text

MVT = Path(__file__).parents[2] / "samples" / "cuda" / "naive" / "mvt.cu"


def counters(*kernels: tuple[str, int, int, int]) -> str:
    """What ``ncu --csv --page raw`` prints of kernels: sectors, those that hit, requests."""
    columns = ",".join(f'"{name}"' for name in ("ID", "Kernel Name", SECTORS, SECTOR_HITS, REQUESTS))
    rows = [f'"{number}",' + ",".join(f'"{cell}"' for cell in kernel) for number, kernel in enumerate(kernels)]
    return "\n".join(("==PROF== Connected", columns, '"","","sector","sector","request"', *rows, ""))


def model(*options: object) -> Result:
    return CliRunner().invoke(main, ["model", *map(str, options)], catch_exceptions=False)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A warp that reads two lines whole, each twice: 16 sectors, of which 8 hit, by 4 loads of 4 sectors."""
    path = tmp_path / "a.trace"
    lanes = {lane: [BASE + 128 * line + 4 * lane for line in (0, 1, 0, 1)] for lane in range(32)}
    path.write_text(write_text(loads(lanes)))
    return path


def test_a_trace_is_held_against_its_kernel(trace: Path) -> None:
    trace.with_name("c.csv").write_text(counters(("void n::f<int>(int *)", 1_000, 400, 200)))
    options = ("--trace", trace, "--gpu", "v100", "--measured", trace.with_name("c.csv"))
    record = json.loads(model(*options, "--json").stdout)
    assert record["gpu"] == "v100"
    assert record["mean_absolute_error"] == 10
    assert record["compared"] == [
        {"kernel": "f", "quantity": HIT_RATE, "predicted": 50, "measured": 40, "error": 10, "reason": ""},
        {"kernel": "f", "quantity": WIDTH, "predicted": 4, "measured": 5, "error": -1, "reason": ""},
    ]
    lines = [" ".join(line.split()) for line in model(*options).stdout.splitlines()]
    assert lines[1:] == [
        f"f {HIT_RATE} 50.00 40.00 +10.00",
        f"f {WIDTH} 4.00 5.00 -1.00",
        "mean absolute error of hit rates: 10.00 points",
    ]


def test_multiprocessors_with_a_block_less_are_weighed() -> None:
    """Two blocks read the same sector: the second hits. A third of the multiprocessors have one block, which misses."""
    trace = loads({0: [BASE], 32: [BASE]}, block=32)
    assert predicted(trace, gpu_named("v100"))[HIT_RATE] == 50
    assert predicted(replace(trace, shorter=1 / 3), gpu_named("v100")) == {
        HIT_RATE: pytest.approx(100 * (2 / 3) / (2 * 2 / 3 + 1 / 3)),
        WIDTH: pytest.approx(1),
    }


@pytest.mark.parametrize(
    ("text", "options", "status", "told"),
    [
        (counters(("f()", 4, 1, 1), ("g()", 4, 1, 1)), (), 2, "a trace is of one kernel, and"),
        (counters(("f()", 4, 1, 1)).replace(SECTOR_HITS, "other"), (), 1, "ACC970"),
        (counters(("f()", 4, 1, 1)).replace('"4"', '"many"'), (), 1, "ACC970"),
        ("==ERROR== no permission\n", (), 1, "ACC970"),
        (counters(("f()", 4, 1, 1)), ("--by", "line"), 2, "--measured compares kernels"),
        (counters(("f()", 4, 1, 1)), ("--sweep", "ways=1,2"), 2, "--measured compares kernels"),
    ],
)
def test_what_cannot_be_compared_is_told(
    trace: Path, text: str, options: tuple[str, ...], status: int, told: str
) -> None:
    trace.with_name("c.csv").write_text(text)
    found = model("--trace", trace, "--measured", trace.with_name("c.csv"), *options)
    assert (found.exit_code, found.stdout) == (status, "")
    assert told in found.stderr


def test_a_file_that_there_is_not_is_an_error(trace: Path) -> None:
    found = model("--trace", trace, "--measured", "none.csv")
    assert found.exit_code == 1
    assert "ACC101" in found.stderr


@pytest.mark.nvcc
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_each_kernel_of_a_program_is_modelled_and_one_that_is_not_launched_is_told(tmp_path: Path) -> None:
    """rows reads sectors of 8 floats one after the other, columns reads each once."""
    path = tmp_path / "c.csv"
    path.write_text(counters(("rows(const float *)", 33, 29, 2), ("columns(float *)", 5, 1, 2), ("no()", 2, 1, 1)))
    record = json.loads(model(MVT, "--gpu", "v100", "--args", "64", "--measured", path, "--json").stdout)
    rates = {row["kernel"]: row for row in record["compared"] if row["quantity"] == HIT_RATE}
    assert rates["rows"]["predicted"] == pytest.approx(87.8, abs=0.5)
    assert 0 < rates["columns"]["predicted"] < 40
    assert rates["no"]["predicted"] is None
    assert "no kernel 'no'" in rates["no"]["reason"]
