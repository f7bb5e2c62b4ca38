"""``accache model``: its JSON and its table, and that other commands do not pay for it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import textwrap
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner
from launches import BASE, gemm, loads

from accache.cli.main import main
from accache.l1.binary_traces import write_binary_trace
from accache.l1.text_traces import write_text

SAMPLE = Path(__file__).parents[2] / "samples" / "stencil.c"
TABLE = """\
L1 of fermi-16k, paper mode, seed 1, without mshr
  requests                    3  100.00 %  one a line that a warp's lanes ask for together
  hits                        1   33.33 %
  misses                      2   66.67 %
    compulsory                1   33.33 %  the line was never asked for before
    capacity                  0    0.00 %  the cache is too small
    associativity             0    0.00 %  the line's set is too small
    latency                   1   33.33 %  the line is on its way
    mshr                      0    0.00 %  registers for lines on their way ran out
  miss rate                       33.33 %  without latency misses, which fetch nothing
"""


def model(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["model", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("suffix", [".trc", ".npz"])
def test_json_is_one_object_with_every_class(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"gemm{suffix}"
    if suffix == ".npz":
        with path.open("wb") as stream:
            write_binary_trace(gemm(8), stream)
    else:
        path.write_text(write_text(gemm(8)))
    options = ["--gpu", "fermi-48k", "--mode", "reference", "--seed", "7", "--json"]
    record = json.loads(model("--trace", str(path), *options))
    assert list(record) == [
        *("gpu", "size", "ways", "line", "mshrs", "mode", "seed", "without", "requests"),
        *("compulsory", "capacity", "associativity", "latency", "mshr", "hits"),
        *("sector", "misses", "miss_rate"),
    ]
    assert (record["gpu"], record["mode"], record["seed"], record["without"]) == ("fermi-48k", "reference", 7, [])
    assert record["misses"] + record["hits"] == record["requests"] == 2 * 8192 * 8 // 32
    assert record["miss_rate"] == record["misses"] / record["requests"]


def test_the_table_tells_each_cause(tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(write_text(loads({0: [BASE, BASE], 32: [BASE]}, block=64)))
    assert model("--trace", str(path), "--without", "mshr") == TABLE


def test_the_document_shows_what_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "gemm.npz"
    with path.open("wb") as stream:
        write_binary_trace(gemm(64), stream)
    document = (SAMPLE.parents[1] / "docs" / "model.md").read_text()
    assert textwrap.indent(model("--trace", str(path)), "    ") in document


def test_a_sweep_prints_a_line_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(write_text(gemm(4)))
    options = ["--trace", str(path), "--without", "latency", "--sweep", "size=8k,16384", "--sweep", "ways=1,4,64"]
    records = json.loads(model(*options, "--json"))
    assert [(row["size"], row["ways"]) for row in records] == list(product((8192, 16384), (1, 4, 64)))
    lines = list(csv.DictReader(model(*options).splitlines()))
    assert [line["without"] for line in lines] == ["latency"] * 6
    assert [list(map(int, (line["hits"], line["misses"]))) for line in lines] == [
        [row["hits"], row["misses"]] for row in records
    ]
    as_it_is = json.loads(model(*options[:4], "--json"))
    assert as_it_is == records[4]


@pytest.mark.parametrize(
    ("sweep", "reason"),
    [
        (["ways"], "NAME=VALUE"),
        (["sets=1,2"], "NAME=VALUE"),
        (["ways="], "not a value for ways"),
        (["ways=0"], "not a value for ways"),
        (["ways=-1"], "not a value for ways"),
        (["size=99999999k"], "not a value for size"),
        (["ways=2,2"], "twice"),
        (["ways=2", "ways=4"], "twice"),
        (["ways=3"], "no power of two of sets"),
        (["size=100"], "no power of two of sets"),
        (["size=64"], "no power of two of sets"),
        (["line=8"], "a line of 8 bytes"),
        (["line=96"], "a line of 96 bytes"),
    ],
)
def test_an_impossible_cache_is_status_2(sweep: list[str], reason: str) -> None:
    options = [word for text in sweep for word in ("--sweep", text)]
    result = CliRunner().invoke(main, ["model", "--trace", "none", *options], catch_exceptions=False)
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())


def test_translating_loads_no_library_of_the_model() -> None:
    program = f"""
import sys
from accache.cli.main import main
main(["translate", "-q", {str(SAMPLE)!r}, "-o", "/dev/null"], standalone_mode=False)
assert "accache.driver" in sys.modules
assert not {{"numpy", "numba", "accache.l1"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
