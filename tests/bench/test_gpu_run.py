"""The GPU run bench/gpu, dry: what is run, what counts as right, and results that survive a run that is cut off."""

from __future__ import annotations

import doctest
import importlib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from banks import PROGRAM, settings  # the folder is on the path only now
from cost.launches import Variant
from cost.measure import measure_variant
from gpu import correctness, counters, microbenchmarks, targets, times
from gpu.__main__ import failures
from gpu.building import build
from gpu.cases import BY_NAME, Case, Sources, naive_programs, sources
from gpu.plots import pictures, plot, ratios
from gpu.results import Results, read
from gpu.summary import summarise
from gpu.targets import TIMER_FLAGS, Absent, Cpu, Failed, Finished, Gpu, compiled_timer
from gpu.workshop import Workshop

from accache.base.options import Options

needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
STENCIL = BY_NAME["stencil"]
RUN = PROGRAM.parent / "results" / "2026-11-27-h100"


def workshop(folder: Path, seconds: float = 300) -> Workshop:
    return Workshop(Cpu(), folder, jobs=2, until=time.monotonic() + seconds)


@pytest.mark.parametrize("name", ["counters"])
def test_examples_of_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"gpu.{name}"))
    assert found.attempted > found.failed == 0


@pytest.mark.parametrize("dry", [False, True])
def test_no_two_cases_have_one_name(dry: bool) -> None:
    for cases in (correctness.cases(), times.cases(dry), counters.cases(dry)):
        keys = [case.key for case in cases]
        assert len(keys) == len(set(keys)) > 10
    assert len({each.name for each in microbenchmarks.measurements(dry)}) == 8


@pytest.mark.parametrize(
    "path",
    [case.program.path for case in correctness.cases() if "tests" in case.program.path.parts and not case.options],
)
def test_programs_of_the_tests_run_without_arguments(path: Path) -> None:
    """That is how the run calls them."""
    text = path.read_text()
    assert "argv[1]" not in text or "argc > 1" in text


def test_what_the_paper_has_figures_of_is_timed_before_the_many_kernels() -> None:
    """Another GPU run was cut off before them."""
    timed = list(times.cases(False))
    names = [case.program.name for case in timed]
    ends = names.index(next(iter(times.KERNEL_SIZES)))
    options = [dict(case.options) for case in timed]
    assert max(place for place, chosen in enumerate(options) if chosen) < ends
    assert names.count("listing_6") == 1
    assert names.index("listing_6") < ends
    written = {
        (case.program.name, *case.arguments[1:], *chosen.values())
        for case, chosen in zip(timed, options, strict=True)
        if "write" in chosen
    }
    assert written == {
        (f"write_{pattern}", frequency, way)
        for pattern in ("dense", "sparse")
        for frequency in ("4", "16", "64", "128")
        for way in ("back", "through")
    }


@pytest.mark.parametrize("dry", [False, True])
def test_what_the_paper_has_figures_of_is_timed_in_all_its_forms(dry: bool) -> None:
    """Dry as on a GPU: width by scope, write policies, Listing 6, cuBLAS, kernels before and after preload."""
    found = {(case.program.name, case.column, *(value for _, value in case.options)) for case in times.cases(dry)}
    for name in ("gemm", "jacobi", "stencil30"):
        for width in ("fixed", "kernel-args", "sync"):
            assert {(name, "rbi", width, scope) for scope in ("private", "communicating")} <= found
    for name in ("write_dense", "write_sparse"):
        assert {(name, "rbi", "back"), (name, "rbi", "through")} <= found
    assert {("listing_6", "cuda"), ("gemm", "cublas"), ("records", "none"), ("records", "private")} <= found
    for program in naive_programs():
        assert {(program.name, "cuda"), (program.name, "preload")} <= found
    for name in BY_NAME.keys() - set(times.WRITTEN):
        assert {(name, "default"), (name, "peer")} <= found
    for name in ("gemm", "nbody", "jacobi", "stencil", "stencil30"):
        assert {(name, column) for column in ("none", "rbi", "rbc")} <= found


def test_samples_are_timed_by_all_methods_at_all_sizes() -> None:
    found = {case.key for case in times.cases(False)}
    for name in ("gemm", "nbody", "jacobi", "stencil", "stencil30"):
        for sizes in times.SIZES[name]:
            arguments = " ".join(map(str, sizes))
            assert {f"{name} {column} {arguments}" for column in ("none", "default", "rbi", "rbc", "peer")} <= found


def test_every_sample_is_run_by_every_method_and_write_policy() -> None:
    found = {(case.program.name, case.column, *(value for _, value in case.options)) for case in correctness.cases()}
    for program in BY_NAME.values():
        assert {(program.name, column) for column in ("none", "default", "peer")} <= found
        if program.is_sample:
            writes = product((program.name,), ("rbi", "rbc", "ehc"), ("auto", "back", "through"))
            assert {*writes, (program.name, "private", "auto")} <= found


@needs_compiler
@pytest.mark.parametrize("length", [1024, 1500])
def test_softmax_by_hand_takes_rows_of_any_length(tmp_path: Path, length: int) -> None:
    """On a GPU rows are timed that are longer than a block's registers hold."""
    case = Case(BY_NAME["softmax"], "peer", (), (str(length),))
    program = Cpu().build(sources(case, "sm_90", tmp_path), tmp_path)
    assert not correctness.wrong(case, Cpu().run(program, case.arguments))


def test_programs_that_check_themselves_are_asked() -> None:
    programs = {case.program.name: case.program for case in correctness.cases()}
    case = Case(programs["openacc/declare"], "default")
    assert not correctness.wrong(case, Finished(0, "first ok\nsecond ok\n", ""))
    for done in (Finished(0, "first ok\nsecond is 3\n", ""), Finished(1, "first ok\n", ""), Finished(0, "", "")):
        assert correctness.wrong(case, done).startswith(f"exit status {done.status}, unexpected:")


@needs_compiler
def test_a_program_that_shows_its_results_is_compared() -> None:
    programs = {case.program.name: case.program for case in correctness.cases()}
    case = Case(programs["openacc/members_alone"], "default")
    assert not correctness.wrong(case, correctness.sequential(case.program, ()))


@needs_compiler
def test_results_are_compared_with_the_sequential_program() -> None:
    case = Case(STENCIL, "default", (), ("50", "1"))
    right = correctness.sequential(STENCIL, case.arguments)
    assert right.status == 0
    assert "checksum" in right.output
    assert not correctness.wrong(case, right)
    assert "exit status 1" in correctness.wrong(case, replace(right, status=1))
    assert "printed" in correctness.wrong(case, replace(right, output=right.output.replace("mean 0", "mean 1")))
    peer = Case(STENCIL, "peer", (), case.arguments)
    mean = right.output.rpartition(" ")[2]
    assert not correctness.wrong(peer, Finished(0, f"mean {float(mean) * (1 + 1e-7)}\n", ""))
    assert correctness.wrong(peer, Finished(0, f"mean {float(mean) * 1.01}\n", ""))


@needs_compiler
def test_a_dry_run_times_programs_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    times.measure(workshop(tmp_path, seconds=-1), ("dot",))
    assert list(read(tmp_path, "times")) == []
    times.measure(workshop(tmp_path), ("dot",))
    found = list(read(tmp_path, "times"))
    assert [record["case"] for record in found] == ["dot default 5000", "dot peer 5000"]
    assert all(record["milliseconds"] > 0 for record in found)
    with (tmp_path / "times.jsonl").open("a") as file:
        file.write('{"case": "cut o')
    times.measure(workshop(tmp_path), ("dot",))
    assert list(read(tmp_path, "times")) == found
    assert not failures(tmp_path)


@needs_compiler
def test_a_dry_run_times_what_it_has_built_for_correctness(tmp_path: Path) -> None:
    correctness.check(workshop(tmp_path), ("dot",))
    times.measure(workshop(tmp_path), ("dot",))
    assert {path.name for path in (tmp_path / "programs").iterdir()} == {"exact"}


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_a_dry_run_builds_the_microbenchmarks(tmp_path: Path) -> None:
    microbenchmarks.measure(workshop(tmp_path), ("micro sets", "bypass all"))
    found = {record["case"]: record["unmeasured"] for record in read(tmp_path, "microbenchmarks")}
    assert found == {"micro sets": Cpu.gpu, "spmv, bypass all": Cpu.gpu}
    assert not failures(tmp_path)


@needs_compiler
def test_what_was_built_ahead_is_run(tmp_path: Path) -> None:
    build(workshop(tmp_path), ("naive/mvt",))
    kept = sorted(path.parent.name for path in (tmp_path / "programs" / "exact").glob("*/program"))
    assert kept == ["naive.mvt.cuda", "naive.mvt.preload"]
    shutil.rmtree(tmp_path / "programs" / "exact" / "naive.mvt.cuda")

    class Finder(Cpu):
        def build(self, sources: Sources, folder: Path, *, timed: bool = False) -> Path:
            assert sources.path.stem == "mvt"
            assert folder.parent.name != "timed"
            (folder / "program").symlink_to("/bin/false")
            return folder / "program"

    shop = Workshop(Finder(), tmp_path, 2, time.monotonic() + 300)
    correctness.check(shop, ("naive/mvt",))
    (found,) = read(tmp_path, "correctness")
    assert found["right"] is False  # what was built ahead ran, and the plain program of this test is another
    assert "exit status 0, expected 1" in found["reason"]


@needs_compiler
def test_what_fails_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(Cpu):
        def run(self, program: Path, arguments: tuple[str, ...]) -> Finished:
            return Finished(1, "", "lost")

    shop = Workshop(Broken(), tmp_path, 1, time.monotonic() + 300)
    shop.record(
        Results(tmp_path, "correctness"),
        [Case(STENCIL, "none", (), ("50", "1"))],
        lambda case, executable: {"milliseconds": shop.target.times(executable, case.arguments)},
        timed=False,
    )
    capsys.readouterr()
    assert failures(tmp_path)
    assert "stencil none 50 1: ended with 1: lost" in capsys.readouterr().out


def test_predicted_ratios_stand_beside_measured_ones(tmp_path: Path) -> None:
    measured, predicted = Results(tmp_path, "times"), Results(tmp_path, "predictions")
    for column, milliseconds, clocks in (("none", 4.0, 10.0), ("default", 3.0, 6.0)):
        found = {"program": "gemm", "column": column}
        measured.add(f"gemm {column} 512", arguments=["512"], milliseconds=milliseconds, **found)
        launch = {"l2_bytes": 8 * clocks, "turns": 2, "sectors": 8, "atomic_sectors": 4, "instructions": clocks + 2}
        launches = [launch, {**launch, "turns": 0, "instructions": 0}]
        predicted.add(f"gemm {column} 256", clocks=clocks, launches=launches, **found)
    measured.add("gemm rbi width=sync 512", arguments=["512"], milliseconds=9.0, program="gemm", column="rbi")
    expected = {"clocks": 0.6, "bytes": 0.6, "wavefronts": 1.0, "instructions": 8 / 12}
    found = list(ratios(list(read(tmp_path, "times")), list(read(tmp_path, "predictions"))))
    assert found == [("gemm 512", what, pytest.approx(ratio), 0.75) for what, ratio in expected.items()]
    pytest.importorskip("matplotlib")
    plot(tmp_path)
    assert {path.name for path in tmp_path.glob("*.png")} == {"times.png", "ratios.png", "width_scope.png"}


def test_the_papers_figures_are_drawn_of_times(tmp_path: Path) -> None:
    launches = [{"milliseconds": [number + 0.5]} for number in range(len(settings()))]
    cases = {
        "gemm rbi width=sync scope=private 64": (2.0, []),
        "write_dense rbi write=back 9 4": (3.0, []),
        "listing_6 cuda 9": (1.0, launches),
    }
    records = [
        {
            "case": case,
            "program": case.split()[0],
            "arguments": [word for word in case.split() if word.isdigit()],
            "milliseconds": milliseconds,
            "launches": each,
        }
        for case, (milliseconds, each) in cases.items()
    ]
    found = pictures(records, [{"case": "spmv, cache all", "milliseconds": 0.5}])
    assert found["width_scope"].rows == (("gemm", "sync, private", 2.0),)
    assert found["writes"].rows == (("write_dense", "back", 4, 3.0),)
    assert found["listing_6"].rows[-1] == ("double", "flat, YX", 1, 15.5)
    assert found["bypass"].rows == (("spmv", "cache all", 0.5),)
    pytest.importorskip("matplotlib")
    times_found = Results(tmp_path, "times")
    for record in records:
        times_found.add(record.pop("case"), column="rbi", **record)
    plot(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.png")} == {"times", "ratios", "width_scope", "writes", "listing_6"}


def test_the_summary_holds_columns_against_each_other(tmp_path: Path) -> None:
    times_found, right = Results(tmp_path, "times"), Results(tmp_path, "correctness")
    for column, milliseconds in (("none", 4.0), ("default", 3.0), ("peer", 2.0)):
        found = {"program": "gemm", "column": column}
        times_found.add(f"gemm {column} 512", arguments=["512"], milliseconds=milliseconds, **found)
        right.add(f"gemm {column} 64", right=column != "peer", reason="printed 1", **found)
    right.add("gemm ehc 64", refused="too large")
    launches = [{"milliseconds": [number + 0.5, 99.0, 0.0]} for number in range(len(settings()))]
    times_found.add("listing_6 cuda 2048", program="listing_6", column="cuda", milliseconds=1.0, launches=launches)
    launch = {"kernel": "f", "sectors": 50.0, "instructions": 10.0, "hit_sectors": 6}
    missing = {**launch, "hit_sectors": 0}
    Results(tmp_path, "predictions").add("gemm none 64", clocks=1.0, launches=[launch, missing])
    counted = [{**each, "sectors": 40.0, "hit_sectors": 4.0} for each in (launch, missing)]
    Results(tmp_path, "counters").add("gemm none 64", launches=counted)
    summarise(tmp_path)
    lines = (tmp_path / "summary.md").read_text().splitlines()
    assert "1 refused, 2 right, 1 wrong" in lines
    assert "- gemm peer 64: printed 1" in lines
    assert "- default / none: 0.750 in 1 rows, 0.75 to 0.75" in lines
    assert "gemm 512 | 4 | 3 | 2 |  | 0.75 | 1.50" in lines
    assert "- sectors: median 1.250 in 2 launches, 1.250 (gemm none 64) to 1.250 (gemm none 64)" in lines
    assert "- hit_sectors: median 1.500 in 1 launches, 1.500 (gemm none 64) to 1.500 (gemm none 64)" in lines
    assert "int | 2D | rows | 0 | 0.5" in lines
    assert "double | flat | columns | 1 | 15.5" in lines
    hits = "7.50 off in the mean of 2 launches, -10.0 (gemm none 64) to +5.0 (gemm none 64)"
    assert f"- hit_sectors, in points of sectors: {hits}" in lines
    lacks = "27.50 off in the mean of 2 launches, +20.0 (gemm none 64) to +35.0 (gemm none 64)"
    assert f"- sectors that L1 lacks, in points of sectors: {lacks}" in lines


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_the_launch_timer_stands_before_the_runtime_library(tmp_path: Path) -> None:
    """Without a GPU the timer's first launch fails, and the timer says so where the program would go on."""
    (tmp_path / "a.cu").write_text("__global__ void f() {}\nint main() { f<<<1, 1>>>(); }\n")
    timer = compiled_timer("sm_90")
    program = tmp_path / "program"
    command = ["nvcc", "-arch=sm_90", tmp_path / "a.cu", timer, *TIMER_FLAGS, "-o", program]
    subprocess.run(command, check=True)
    done = subprocess.run([program], env={"ACCACHE_TIMES": str(tmp_path / "times")}, capture_output=True, text=True)
    if done.returncode:
        assert done.stderr.startswith("launch timer: ")
    else:
        kernel, *_ = (tmp_path / "times").read_text().split()
        assert kernel == "_Z1fv"


@needs_compiler
def test_there_is_no_cublas_on_a_cpu_which_is_no_failure(tmp_path: Path) -> None:
    chosen = sources(Case(BY_NAME["gemm"], "cublas"), "sm_90", tmp_path)
    assert chosen == Sources(chosen.path, chosen.path.read_text(), "", chosen.options)
    with pytest.raises(Absent, match="no cuBLAS"):
        Cpu().build(chosen, tmp_path)
    times.measure(workshop(tmp_path), ("gemm",))
    found = {record["case"]: record for record in read(tmp_path, "times")}
    assert found["gemm cublas 48"]["absent"] == "there is no cuBLAS for a CPU"
    assert not failures(tmp_path)


@pytest.mark.parametrize("said", ["fatal error: cublas_v2.h: No such file or directory", "cannot find -lcublas"])
def test_a_gpu_may_be_without_cublas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    def nvcc(*command: str) -> str:
        raise Failed(f"nvcc failed: {said if 'cublas' in said else command[0]}")

    monkeypatch.setattr(targets, "call", nvcc)
    with pytest.raises(Absent):
        Gpu("sm_90").build(sources(Case(BY_NAME["gemm"], "cublas"), "sm_90", tmp_path), tmp_path)
    with pytest.raises(Failed):
        Gpu("sm_90").build(sources(Case(BY_NAME["gemm"], "peer"), "sm_90", tmp_path), tmp_path)


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_a_dry_run_goes_through_all_stages(tmp_path: Path) -> None:
    """By the command that a machine with a GPU is given. Of samples alone there are predictions and counters."""
    pytest.importorskip("matplotlib")
    command = [PROGRAM.with_name("gpu.sh"), "--dry", "--only", "dot", "--folder", tmp_path]
    done = subprocess.run(
        command, env={**os.environ, "PYTHON": sys.executable}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cases = {path.stem: {record["case"] for record in read(tmp_path, path.stem)} for path in tmp_path.glob("*.jsonl")}
    assert cases == {
        "correctness": {"dot none", "dot default", "dot peer"},
        "times": {"dot default 5000", "dot peer 5000"},
    }
    assert all(record["right"] for record in read(tmp_path, "correctness"))
    assert {path.name for path in tmp_path.glob("*.*")} >= {"machine.json", "summary.md", "times.png"}
    assert "## Times" in (tmp_path / "summary.md").read_text()


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_hits_are_predicted_of_blocks_that_are_dealt_out() -> None:
    """Each of four blocks is alone on its multiprocessor: warps ask for 14 sectors, and a block's are 33."""
    (launch,) = counters.predicted(Case(replace(STENCIL, arguments=("1026", "1")), "none"))["launches"]
    assert launch["hit_sectors"] == 4 * (8 * 14 - 33)


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
@pytest.mark.parametrize(("name", "atomic"), [("array_sums", 0), ("atomic_counts", 2048)])
def test_sectors_are_told_by_what_asks_for_them(name: str, atomic: int) -> None:
    """A GPU counts those of global memory and of atomic updates apart; registers hold the sums of ``array_sums``."""
    (known,) = (record for record in read(RUN, "counters") if record["case"] == f"{name} default")
    predicted = counters.predicted(Case(BY_NAME[name], "default"))["launches"][0]
    assert predicted["sectors"] == known["launches"][0]["sectors"]
    assert (predicted["atomic_sectors"], predicted["local_sectors"]) == (atomic, 0)
    assert {"atomic_sectors", "local_sectors"} <= set(counters.METRICS)


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_sectors_of_local_memory_are_told_where_registers_do_not_hold_it(tmp_path: Path) -> None:
    path = tmp_path / "local.cu"
    path.write_text(
        """#include <stdio.h>
        __global__ void f(int *p) {
            int a[512];
            for (int i = 0; i < 512; ++i) a[i ^ p[0]] = i;
            p[threadIdx.x] = a[p[threadIdx.x]];
        }
        int main() {
            int *p;
            cudaMalloc(&p, 128);
            cudaMemset(p, 0, 128);
            f<<<1, 32>>>(p);
            printf("mean 0\\nunits 32\\n");
        }
        """
    )
    (counts,) = measure_variant(Variant(path, path.read_text(), "", (), Options()), tmp_path).launches
    assert counters.of_launch(counts)["local_sectors"] == 4 * (512 + 1)
