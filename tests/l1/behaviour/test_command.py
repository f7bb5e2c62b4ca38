"""``accache model``: its JSON and its table, and that other commands do not pay for it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from launches import BASE, LINE, THREADS, gemm, loads, row

from accache.cli.main import main
from accache.l1.binary_traces import write_binary_trace
from accache.l1.text_traces import write_text
from accache.l1.trace import Site, Trace

SAMPLE = Path(__file__).parents[3] / "samples" / "stencil.c"
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
  parameters
    measured  sets 32, ways 4, index xor, mshrs 64, warp_mshrs 6
    vendor    size 16384, line 128, sector none, writes around, lanes by width, threads 1536, \
blocks 8, shared none, l2_size 786432
    assumed   replacement lru, latency 100, deviation 5.0, hit_latency 0, registers none, multiprocessors 1, l2_ways 16
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
        *("sector", "misses", "miss_rate", "looked_at", "parameters"),
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
    with path.open("wb") as stream:
        write_binary_trace(with_sites(gemm(64), Site(array="a"), Site(array="b")), stream)
    printed = model("--trace", str(path), "--gpu", "v100", "--shared", "96k", "--by", "array")
    moved = printed[printed.index("  bytes moved") : printed.index("  parameters")]
    assert textwrap.indent(moved, "    ") in document


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
        (["luck=1,2"], "NAME=VALUE"),
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
        (["line=2048"], "a line of 2048 bytes"),
        (["shared=16k"], "does not change with shared memory"),
        (["sets=3"], "no whole number of ways of 3 sets"),
        (["sets=1", "ways=4", "size=8k"], "cannot all be swept"),
        (["sets=1024k", "ways=1024"], "are more than"),
        (["sets=48", "ways=4"], "no power of two of sets"),
        (["index=hash"], "'hash' is not a value for index: xor, fold, modulo"),
        (["writes=back"], "not a value for writes: around, evict, through, allocate"),
        (["writes=evict"], "writes changes nothing but the bytes that move"),
        (["l2_size=64k"], "l2_size changes nothing but the bytes that move"),
        (["latency=-1"], "not a value for latency"),
        (["hit_latency=65k"], "not a value for hit_latency"),
        (["deviation=0.5"], "not a value for deviation"),
        (["multiprocessors=0"], "not a value for multiprocessors"),
    ],
)
def test_an_impossible_cache_is_status_2(sweep: list[str], reason: str) -> None:
    options = [word for text in sweep for word in ("--sweep", text)]
    result = CliRunner().invoke(main, ["model", "--trace", "none", *options], catch_exceptions=False)
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--shared", "16k"], "fermi-16k does not change"),
        (["--gpu", "v100", "--shared", "48k"], "cannot have 49152 bytes"),
        (["--gpu", "v100", "--shared", "-1"], "not a value"),
        (["--gpu", "v100", "--sweep", "ways=3"], "no power of two of sets"),
        (["--gpu", "v100", "--sweep", "size=64k", "--sweep", "shared=0"], "cannot both be swept"),
        (["--gpu", "v100", "--shared-per-block", "97k"], "does not fit"),
        (["--gpu", "v100", "--shared", "64k", "--sweep", "shared=0"], "shared is swept, and given as well"),
        (["--gpu", "v100", "--sweep", "shared=0", "--sweep", "sets=1", "--sweep", "ways=1"], "cannot all be swept"),
        (["--traffic", "--sweep", "l2_size=1"], "an L2 of 1 bytes does not hold a set of 16 lines"),
        (["--sweep", "multiprocessors=2"], "the trace has the blocks of one multiprocessor"),
    ],
)
def test_impossible_shared_memory_is_status_2(options: list[str], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(write_text(loads({0: [BASE]}, block=64)))
    result = CliRunner().invoke(main, ["model", "--trace", str(path), *options], catch_exceptions=False)
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())


def with_sites(trace: Trace, *sites: Site) -> Trace:
    """The trace with its accesses made at each site in turn."""
    return replace(trace, site=(np.arange(len(trace.thread)) % len(sites)).astype(np.uint32), sites=sites)


def test_tables_by_load_array_and_line(tmp_path: Path) -> None:
    path = tmp_path / "gemm.npz"
    trace = with_sites(gemm(8), Site("ld0", "a", "gemm.cu", 7), Site("ld1", "b", "gemm.cu", 7))
    with path.open("wb") as stream:
        write_binary_trace(trace, stream)
    options = ["--trace", str(path), "--gpu", "a100"]
    names = {"load": ["ld0 a gemm.cu:7", "ld1 b gemm.cu:7"], "array": ["a", "b"], "line": ["gemm.cu:7"]}
    for by, expected in names.items():
        record = json.loads(model(*options, "--by", by, "--json"))
        rows = record[f"by_{by}"]
        assert [row["name"] for row in rows] == expected
        for what in ("requests", "asked", "from_l2", "from_memory"):
            assert sum(row[what] for row in rows) == record["traffic"][what]
        printed = model(*options, "--by", by)
        assert all(f"    {name} " in printed for name in expected)
    # a has 16 rows of 8 floats, in lines of their own with a sector each; b 8 rows of 512 floats
    assert record["traffic"]["first"] == 16 * 32 + 8 * 512 * 4


def test_a_policy_for_an_array(tmp_path: Path) -> None:
    path = tmp_path / "gemm.npz"
    with path.open("wb") as stream:
        write_binary_trace(with_sites(gemm(8), Site("ld0", "a", "k.cu", 7), Site("ld1", "b", "k.cu", 8)), stream)

    def hits(*policies: str) -> list[int]:
        options = [word for policy in policies for word in ("--policy", policy)]
        record = json.loads(model("--trace", str(path), "--gpu", "h100", "--by", "array", "--json", *options))
        return [row["hits"] for row in record["by_array"]]

    of_a, of_b = hits()
    assert min(of_a, of_b) > 0
    assert hits("b=cg") == hits("ld1=cg") == hits("k.cu:8=ca", "k.cu:8=cg") == [of_a, 0]


def test_a_sweep_of_shared_memory_with_traffic(tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(write_text(gemm(4)))
    options = ["--gpu", "v100", "--traffic", "--sweep", "shared=0,64k"]
    lines = list(csv.DictReader(model("--trace", str(path), *options).splitlines()))
    assert [line["size"] for line in lines] == ["131072", "65536"]
    assert all(int(line["traffic_from_l2"]) >= int(line["traffic_from_memory"]) > 0 for line in lines)


def test_the_histogram_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(write_text(loads({0: [BASE, BASE + LINE, BASE + 2 * LINE, BASE]}, block=64)))
    record = json.loads(model("--trace", str(path), "--gpu", "v100", "--distances", "--json"))
    assert record["distances"] == {"sets": 4, "never": 3, "ranges": [[0, 0, 1]], "hits_by_ways": {"1": 1}}
    assert "    0                         1   25.00 %" in model("--trace", str(path), "--gpu", "v100", "--distances")


def test_translating_loads_no_library_of_the_model() -> None:
    program = f"""
import sys
from accache.cli.main import main
main(["translate", "-q", {str(SAMPLE)!r}, "-o", "/dev/null"], standalone_mode=False)
assert "accache.driver" in sys.modules
assert not {{"numpy", "numba", "accache.l1"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_modelling_a_trace_loads_no_translator(tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(write_text(loads({0: [BASE]}, block=64)))
    program = f"""
import sys
from accache.cli.main import main
main(["model", "--json", "--trace", {str(path)!r}], standalone_mode=False)
assert "accache.l1.study" in sys.modules
assert not {{"pycparser", "jinja2", "scipy", "accache.driver", "accache.ptx"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--args", "7"), "'--args': arguments are for a program that is run"),
        (("--kernel", "k"), "'--kernel': a kernel is one of a program"),
        (("k.ptx", "--", "-O3"), "'ARGUMENTS': nvcc's words are for a program that is run"),
        (("a.c",), "'--trace': there is a program or a trace"),
        (("--directives",), "'--directives': directives are those of a program in C"),
    ],
)
def test_words_that_a_trace_has_no_use_for_are_wrong_usage(words: tuple[str, ...], reason: str) -> None:
    result = CliRunner().invoke(main, ["model", "--trace", "t.npz", *words])
    assert (result.exit_code, reason in result.stderr) == (2, True)


PEAK = """
import sys
from accache.cli.main import main
main(sys.argv[1:], standalone_mode=False)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""
"""The command, and the largest memory that it took, in KB."""


@pytest.mark.parametrize("kernel", [gemm, row])
def test_ten_million_accesses_take_less_than_half_a_gigabyte(kernel: Callable[[int], Trace], tmp_path: Path) -> None:
    """By what one access more takes of a text, the format that takes most: python bench/l1.py reads so many."""
    pytest.importorskip("numba")
    depths, peaks = (1, 1, 129), []  # the first run may compile the model
    for depth in depths:
        path = tmp_path / f"{depth}.trc"
        path.write_text(write_text(kernel(depth)))
        command = [sys.executable, "-c", PEAK, "model", "--trace", str(path), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(1024 * int(done.stderr.split()[-1]))
    each = (peaks[2] - peaks[1]) / (2 * THREADS * (depths[2] - depths[1]))
    assert peaks[1] + 10_000_000 * each < 500_000_000
