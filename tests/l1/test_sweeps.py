"""Sweeps: their points, on all cores, on a cluster, and as pictures."""

from __future__ import annotations

import csv
import json
import pickle
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from launches import BASE, LINE, gemm, loads, row

from accache.base.diagnostics import CompileError
from accache.cli.main import main
from accache.l1.binary_traces import write_binary_trace
from accache.l1.gpus import L2, gpu_named
from accache.l1.optional import answers_of_cluster
from accache.l1.parameters import parameters
from accache.l1.study import Question, answers
from accache.l1.sweeps import FACTORS, SWEPT, parse_sweep, points
from accache.l1.tools import PLAIN, Tools, compiled_tools
from accache.l1.trace import Trace

FERMI = gpu_named("fermi-16k")
PAPER = [("paper", ())]


def model(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["model", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def trace_file(tmp_path: Path) -> str:
    path = tmp_path / "row.npz"
    with path.open("wb") as stream:
        write_binary_trace(row(2, 512), stream)
    return str(path)


def test_the_papers_sweep_changes_one_parameter_at_a_time() -> None:
    found = points(FERMI, PAPER)
    assert [(point.series, point.value) for point in found] == list(product(("ways", "size", "line", "mshrs"), FACTORS))
    caches = {(point.series, point.value): point.gpu for point in found}
    assert all(caches[name, 1.0] == FERMI for name in ("ways", "size", "line", "mshrs"))
    assert caches["ways", 4.0] == replace(FERMI, ways=16, sets=8)
    assert caches["size", 0.25] == replace(FERMI, sets=8)
    assert caches["line", 0.5] == replace(FERMI, line_bytes=64, sets=64)
    assert caches["mshrs", 2.0] == replace(FERMI, mshrs=128)


def test_the_papers_sweep_stands_alone_and_needs_whole_numbers() -> None:
    with pytest.raises(ValueError, match="cannot be combined"):
        points(FERMI, [*PAPER, ("ways", (1,))])
    with pytest.raises(ValueError, match=r"0\.25 of 6 is no number of ways"):
        points(gpu_named("fermi-48k"), PAPER)


def test_the_last_sweep_runs_along_the_axis() -> None:
    found = points(FERMI, [("ways", (2, 4)), ("size", (8192, 16384))])
    assert [(point.series, point.label) for point in found] == list(product(("ways 2", "ways 4"), ("8k", "16k")))
    assert {point.series for point in points(FERMI, [("ways", (2, 4))])} == {"ways"}


def test_every_parameter_of_a_report_can_be_swept_but_what_makes_another_gpu() -> None:
    """Policies, lanes, sectors and what a multiprocessor holds are those of the GPU."""
    known = {each.name for each in parameters(FERMI)}
    assert known - set(SWEPT) == {"sector", "replacement", "lanes", "threads", "blocks", "registers", "l2_ways"}
    assert set(SWEPT) <= known


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("latency=25", {"latency": 25}),
        ("deviation=20", {"deviation": 20.0}),
        ("hit_latency=37", {"hit_latency": 37}),
        ("mshrs=8", {"mshrs": 8}),
        ("warp_mshrs=2", {"warp_mshrs": 2}),
        ("writes=evict", {"writes": "evict"}),
        ("multiprocessors=80", {"multiprocessors": 80}),
        ("index=modulo", {"index": "modulo"}),
        ("sets=1", {"sets": 1, "ways": 128}),
        ("l2_size=64k", {"l2": L2(65536, 16)}),
    ],
)
def test_one_parameter_changes_and_others_stay(text: str, changed: dict[str, Any]) -> None:
    (point,) = points(FERMI, [parse_sweep(text)])
    assert point.gpu == replace(FERMI, **changed)


def test_sets_and_ways_together_make_the_size() -> None:
    caches = [point.gpu for point in points(FERMI, [parse_sweep("sets=16,64"), parse_sweep("ways=2,8")])]
    assert [(gpu.sets, gpu.ways, gpu.size) for gpu in caches] == [
        *((16, 2, 4096), (16, 8, 16384), (64, 2, 16384), (64, 8, 65536))
    ]


def test_words_stand_along_the_axis_as_they_are_given() -> None:
    found = points(FERMI, [("latency", (50,)), ("index", ("xor", "modulo", "fold"))])
    assert [(point.series, point.value, point.label) for point in found] == [
        *(("latency 50", 0, "xor"), ("latency 50", 1, "modulo"), ("latency 50", 2, "fold"))
    ]


def test_a_line_of_a_sweep_tells_what_was_swept(trace_file: str) -> None:
    """A class of misses is called latency, too: it keeps its column."""
    swept = ("--sweep", "latency=0,400", "--sweep", "index=xor,fold")
    lines = list(csv.DictReader(model("--trace", trace_file, *swept).splitlines()))
    assert [(line["parameter_latency"], line["parameter_index"]) for line in lines] == [
        *(("0", "xor"), ("0", "fold"), ("400", "xor"), ("400", "fold"))
    ]
    records = json.loads(model("--trace", trace_file, "--json", *swept))
    for what in ("latency", "misses"):
        assert [int(line[what]) for line in lines] == [record[what] for record in records]


def test_stores_by_each_policy(tmp_path: Path) -> None:
    """A line is loaded, stored to and loaded again: by evict it is fetched again."""
    path = tmp_path / "a.trc"
    path.write_text("blocksize: 32 1 1\n0 0 4096 4\n0 1 4096 4\n0 0 4096 4\n")
    swept = ("--gpu", "v100", "--traffic", "--sweep", "writes=around,evict,through,allocate")
    lines = list(csv.DictReader(model("--trace", str(path), *swept).splitlines()))
    assert [(line["parameter_writes"], line["traffic_from_l2"]) for line in lines] == [
        *(("around", "32"), ("evict", "64"), ("through", "32"), ("allocate", "32"))
    ]


def test_blocks_are_dealt_out_to_each_number_of_multiprocessors(tmp_path: Path) -> None:
    """Four blocks load the same line: each multiprocessor's first one misses, and L2 has it for all but one."""
    body = "".join(
        f"thread block = {block},0,0\nwarp = 0\n0010 00000001 1 R4 LDG.E 1 R2 4 0 0x4000\n" for block in range(4)
    )
    path = tmp_path / "a.traceg"
    path.write_text(f"-kernel name = f\n-grid dim = (4,1,1)\n-block dim = (32,1,1)\n{body}")
    swept = ("--gpu", "v100", "--traffic", "--sweep", "multiprocessors=4,1,2", "--sweep", "hit_latency=0,20")
    lines = list(csv.DictReader(model("--trace", str(path), *swept).splitlines()))
    names = ("parameter_multiprocessors", "looked_at", "parameter_hit_latency", "traffic_from_l2")
    assert [tuple(line[name] for name in names) for line in lines] == [
        *(("4", "4", "0", "128"), ("4", "4", "20", "128"), ("1", "1", "0", "32"), ("1", "1", "20", "32")),
        *(("2", "2", "0", "64"), ("2", "2", "20", "64")),
    ]
    assert {(line["traffic_requests"], line["traffic_from_memory"]) for line in lines} == {("4", "32")}


@pytest.mark.parametrize("tools", [PLAIN, *filter(None, [compiled_tools()])])
def test_all_cores_give_what_one_gives(tools: Tools) -> None:
    trace = row(2, 256)
    gpus = [point.gpu for point in points(FERMI, [("ways", (1, 4)), ("line", (64, 128))])]
    question = Question("row", "paper", 1, traffic=True)
    together = answers(trace, gpus, question, tools)
    assert together == [answers(trace, [gpu], question, tools)[0] for gpu in gpus]


def test_an_error_comes_out_of_another_process_as_it_went_in() -> None:
    with pytest.raises(CompileError) as caught:
        answers(gemm(1), [FERMI] * 2, Question("gemm", "paper", 1, by="array"))
    assert [found.code for found in caught.value.diagnostics] == ["ACC810"]
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


def test_a_picture_of_a_sweep(trace_file: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    path = tmp_path / "sweep.png"
    lines = list(csv.DictReader(model("--trace", trace_file, "--sweep", "paper", "--plot", str(path)).splitlines()))
    assert len(lines) == 20
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_series_of_the_picture_has_the_rates_of_its_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from matplotlib.figure import Figure

    from accache.l1.plots import draw

    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    found = points(FERMI, [("ways", (2, 4)), ("size", (16384, 8192))])
    rates = (0.5, 0.25, 0.4, 0.1)
    draw(str(tmp_path / "a.png"), "title", found, [{"miss_rate": rate} for rate in rates])
    (axes,) = drawn[0].axes
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()}
    assert lines == {"ways 2": [25, 50], "ways 4": [10, 40]}
    assert [label.get_text() for label in axes.get_xticklabels()] == ["8k", "16k"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("size of L1 [bytes]", "L1 miss rate [%]")


def test_series_that_are_the_same_are_all_seen(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed")
    from matplotlib.colors import to_rgb

    from accache.l1.plots import draw

    found = points(FERMI, [("ways", (2, 4, 8)), ("size", (8192, 16384))])
    draw(str(tmp_path / "a.png"), "title", found, [{"miss_rate": 0.5}] * len(found))
    middle = image.imread(tmp_path / "a.png")[150:-150, 200:-200, :3]
    for colour in ("C0", "C1", "C2"):
        assert (abs(middle - to_rgb(colour)).max(axis=2) < 0.01).sum() > 100, colour


def test_no_two_of_many_series_look_the_same() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from accache.l1.plots import layered

    styles = [layered(number, 24) for number in range(24)]
    assert len({style["linewidth"] for style in styles}) == len({style["markersize"] for style in styles}) == 24
    assert len({(number % 10, style["marker"], style["linestyle"]) for number, style in enumerate(styles)}) == 24
    assert max(style["linewidth"] for style in styles) < 11


@pytest.mark.parametrize("option", ["--plot", "--dask"])
def test_plots_and_clusters_are_for_sweeps(option: str, trace_file: str) -> None:
    result = CliRunner().invoke(main, ["model", "--trace", trace_file, option, "x"])
    assert result.exit_code == 2
    assert "need a --sweep" in result.stderr


@pytest.mark.parametrize(("option", "library"), [("--plot", "matplotlib"), ("--dask", "distributed")])
def test_a_missing_library_is_acc811(
    option: str, library: str, trace_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    result = CliRunner().invoke(main, ["model", "--trace", trace_file, "--sweep", "ways=2,4", option, "x"])
    assert result.exit_code == 1
    assert f"{option} needs {library}, not installed here [ACC811]" in result.stderr


def test_a_picture_that_cannot_be_written(trace_file: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    path = tmp_path / "missing" / "sweep.png"
    result = CliRunner().invoke(main, ["model", "--trace", trace_file, "--sweep", "ways=2", "--plot", str(path)])
    assert result.exit_code == 1
    assert "No such file" in result.stderr


def test_two_workers_of_a_cluster(trace_file: str) -> None:
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    options = ["--trace", trace_file, "--sweep", "ways=1,2,4,8", "--json"]
    here = json.loads(model(*options))
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        assert json.loads(model(*options, "--dask", cluster.scheduler_address)) == here
        # what a worker cannot answer comes back as the same error
        arguments = ["model", *options, "--by", "array", "--dask", cluster.scheduler_address]
        assert "[ACC810]" in CliRunner().invoke(main, arguments).stderr
        trace: Trace = loads({0: [BASE, BASE + LINE]})
        question = Question("a", "paper", 1)
        assert answers_of_cluster(cluster.scheduler_address, trace, [FERMI], question) == answers(
            trace, [FERMI], question
        )


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://host:1"])
def test_an_address_where_nobody_answers_is_acc812(
    address: str, trace_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr("accache.l1.clusters._SECONDS", 1)
    result = CliRunner().invoke(main, ["model", "--trace", trace_file, "--sweep", "ways=2", "--dask", address])
    assert result.exit_code == 1
    assert "[ACC812]" in result.stderr


def test_a_cluster_whose_workers_fail_is_acc813(trace_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from accache.l1 import clusters

    class Broken:
        """A client whose workers lack accache."""

        def __init__(self, *_: object, **__: object) -> None: ...
        def __enter__(self) -> Broken:
            return self

        def __exit__(self, *_: object) -> None: ...
        def scatter(self, *_: object, **__: object) -> list[object]:
            raise ModuleNotFoundError("No module named 'accache'")

    monkeypatch.setattr(clusters, "Client", Broken)
    result = CliRunner().invoke(main, ["model", "--trace", trace_file, "--sweep", "ways=2", "--dask", "tcp://a:1"])
    assert result.exit_code == 1
    assert "failed: No module named 'accache' [ACC813]" in result.stderr
