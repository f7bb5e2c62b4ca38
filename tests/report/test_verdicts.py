"""What became of a kernel's directives in one sentence, with its bytes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.report.verdicts import verdict_of

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.c"))


def verdicts(name: str, *, has_tiles: bool = False, **options: str) -> list[str]:
    path = next(str(sample) for sample in SAMPLES if sample.stem == name)
    settings = Options(**options)
    kernels = translate(path, settings).report.kernels
    others = translate(path, Options(tune="off", coarsen="off")).report.kernels if has_tiles else kernels
    return [verdict_of(kernel, other.subarrays) for kernel, other in zip(kernels, others, strict=True)]


@pytest.mark.parametrize("name", [sample.stem for sample in SAMPLES])
def test_each_verdict_is_a_sentence_with_bytes(name: str) -> None:
    for verdict in verdicts(name):
        assert re.search(r"[\d,]+ bytes", verdict)
        assert verdict.endswith(".")
        assert not re.search(r"\. ", verdict)


def test_what_is_said_of_several_is_said_once() -> None:
    (records,) = verdicts("records")
    assert records.startswith("transform(), line 14: cache(a), cache(b) and cache(out) have lines of 32 bytes for each")
    assert records.count("each thread goes through") == 1
    nbody, summed = verdicts("nbody")
    assert "cache(z[t:CHUNK]) and cache(m[t:CHUNK]) are each kept in 1,024 bytes" in nbody
    assert nbody.count(": of each a block loads at most") == 1
    assert "no cache directive" in summed


def test_a_kernel_without_tiles_says_what_its_warps_ask_for() -> None:
    (strided,) = verdicts("strided", has_tiles=True)
    assert "; a tile would take 3,080 bytes of shared memory and a block would load 770 elements" in strided
    assert "a warp asks L1 for an estimated 1,156 bytes (2,176 with one iteration a thread and no tile)." in strided


def test_a_tile_for_several_iterations_a_thread_says_what_it_saves() -> None:
    (gemm,) = verdicts("gemm", has_tiles=True)
    assert "kept in 2,048 bytes of shared memory for the block (rbi): a block loads at most 512*ceil(n/16)" in gemm
    assert re.search(r"a warp asks L1 for an estimated 5,\d+ bytes \(192,\d+ with one iteration", gemm)


def test_a_tile_that_was_left_out_says_what_it_would_save() -> None:
    (jacobi,) = verdicts("jacobi", has_tiles=True)
    assert "a block would load 324 elements in place of 2,304 (1,296 bytes for 9,216), 86 % fewer" in jacobi
