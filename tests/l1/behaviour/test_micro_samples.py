"""samples/micro: what they find on the model is what the model is; and nvcc takes them without a warning."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from accache.l1.gpus import Gpu, gpu_named
from accache.l1.hierarchy import COLUMNS, Caches, hierarchy_of

MICRO = Path(__file__).parents[3] / "samples" / "micro"
HIT, MISS = 30, 200
VOLTA = replace(gpu_named("v100"), ways=16, index="modulo")  # few lines, for a quick test; see the samples' README
LOAD = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_ulonglong, ctypes.c_int)
STORE = ctypes.CFUNCTYPE(None, ctypes.c_ulonglong)
START = ctypes.CFUNCTYPE(None)

Run = Callable[[str, Gpu], str]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ctypes.CDLL]:
    """A sample as a library whose GPU is on_model.h."""
    folder = tmp_path_factory.mktemp("micro")

    def make(name: str) -> ctypes.CDLL:
        path = folder / f"{name}.so"
        if not path.exists():
            options = ["-std=c++17", "-O1", "-shared", "-fPIC", "-Dmain=program", "-Wall", "-Wextra", "-Werror"]
            header = Path(__file__).parents[1] / "on_model.h"
            source = ["-include", header, "-x", "c++", MICRO / f"{name}.cu"]
            subprocess.run(["g++", *options, "-Wno-unknown-pragmas", *source, "-o", path], check=True)
        return ctypes.CDLL(str(path))

    return make


@pytest.fixture
def run(library: Callable[[str], ctypes.CDLL], capfd: pytest.CaptureFixture[str]) -> Run:
    """What a sample prints if it runs on the model of a cache."""

    def run(name: str, gpu: Gpu) -> str:
        loaded, hierarchy = library(name), hierarchy_of(gpu, with_l2=False)
        caches = [Caches(hierarchy, 1)]
        count = np.zeros(len(COLUMNS), np.int64)

        @cache
        def set_of(line: int) -> int:
            return int(hierarchy.l1.set_of(np.array([line]))[0])

        def place(address: int) -> tuple[int, int, int]:
            line, byte = divmod(address, gpu.line_bytes)
            return set_of(line), line, 1 << byte // 32

        def load(address: int, policy: int) -> int:
            return MISS if caches[0].load(*place(address), policy, count=count) else HIT

        def start() -> None:
            caches[0] = Caches(hierarchy, 1)

        kept = (LOAD(load), STORE(lambda address: caches[0].store(*place(address))), START(start))
        for name_of, callback in zip(("model_cycles_of_load", "model_store_at", "model_start"), kept, strict=True):
            ctypes.c_void_p.in_dll(loaded, name_of).value = ctypes.cast(callback, ctypes.c_void_p).value
        assert loaded.run() == 0
        return capfd.readouterr().out

    return run


def found(text: str, name: str) -> str:
    (line,) = re.findall(rf"^{name} (.*)$", text, re.M)
    return line


def test_sets_finds_fermis_cache(run: Run) -> None:
    text = run("sets", gpu_named("fermi-16k"))
    assert (found(text, "hit_cycles"), found(text, "miss_cycles")) == (str(HIT), str(MISS))
    assert [found(text, name) for name in ("size_bytes", "ways", "sets")] == ["16384", "4", "32"]
    assert found(text, "set_bits") == "7 8 9 10 11 13 14 15 17 19"
    assert found(text, "set_bits_by_xor") == "7^13 8^14 9^15 10^17 11^19"
    # figure 5: one line more evicts four; figure 7: as test_microbenchmarks has it
    assert "4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4\n" in text
    assert "\n2^12      50    50    50    50    50   100   100\n" in text


def test_sets_finds_a_cache_without_a_hash(run: Run) -> None:
    text = run("sets", VOLTA)
    assert [found(text, name) for name in ("size_bytes", "ways", "sets")] == ["8192", "16", "4"]
    assert found(text, "set_bits") == "7 8"
    assert not re.search(r"\d\^\d+", found(text, "set_bits_by_xor") if "set_bits_by_xor " in text else "")


@pytest.mark.parametrize(
    ("gpu", "fetched", "allocates", "leaves"),
    [
        (VOLTA, 32, "no", "yes"),
        (replace(VOLTA, writes="evict"), 32, "no", "no"),
        (replace(VOLTA, writes="allocate", sector_bytes=None), 128, "yes", "yes"),
    ],
    ids=["sectors", "evicting stores", "lines"],
)
def test_policies_finds_what_the_model_does(run: Run, gpu: Gpu, fetched: int, allocates: str, leaves: str) -> None:
    text = run("policies", gpu)
    assert found(text, "fetched_bytes") == str(fetched)
    assert (found(text, "store_allocates"), found(text, "store_leaves_a_line")) == (allocates, leaves)
    rows = {name: found(text, f"{name} +").split() for name in ("ca", "cg", "no_allocate", "evict_first", "evict_last")}
    lines = gpu.size // gpu.line_bytes
    assert rows["ca"] == ["yes", "yes", str(lines - 1)]
    assert rows["cg"] == ["no", "no"]
    assert rows["no_allocate"] == ["no", "yes"]
    assert rows["evict_first"] == ["yes", "yes", str(lines - 1)]
    assert rows["evict_last"] == ["yes", "yes", ">=", "4096"]


@pytest.mark.nvcc
@pytest.mark.parametrize("name", ["copy_rows", "mshr", "policies", "sets"])
def test_nvcc_takes_a_sample_without_a_warning(name: str, tmp_path: Path) -> None:
    if not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    command = ["nvcc", "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra", "-c"]
    subprocess.run([*command, MICRO / f"{name}.cu", "-o", tmp_path / "out.o"], check=True)


def test_no_sample_is_left_out() -> None:
    assert {path.stem for path in MICRO.glob("*.cu")} == {"copy_rows", "mshr", "policies", "sets"}
