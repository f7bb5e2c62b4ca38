"""Resident blocks against NVIDIA's own occupancy header, which nvcc brings along and any C++ compiler reads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from accache.caching.targets import TARGETS, resident_blocks

ORACLE = Path(__file__).with_name("occupancy.cpp")
THREADS = (1, 32, 33, 64, 96, 128, 256, 384, 512, 768, 1000, 1024)
SHARED = (0, 1, 127, 128, 1032, 1296, 2048, 4096, 7000, 8192, 12000, 24576, 32768, 40000, 48 * 1024, 60000, 90000)


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nvcc, compiler = shutil.which("nvcc"), shutil.which("g++")
    if nvcc is None or compiler is None:
        pytest.skip("needs g++ and the headers that come with nvcc")
    listing = subprocess.run([nvcc, "--dryrun", "-E", "-x", "cu", "/dev/null"], capture_output=True, text=True).stderr
    folders = [line.partition("INCLUDES=")[2] for line in listing.splitlines() if "INCLUDES=" in line]
    flags = [word.strip('"') for word in " ".join(folders).split()]
    program = tmp_path_factory.mktemp("oracle") / "occupancy"
    done = subprocess.run([compiler, "-w", *flags, str(ORACLE), "-o", str(program)], capture_output=True, text=True)
    if "cuda_occupancy.h" in done.stderr:
        pytest.skip("cuda_occupancy.h is not among the headers of this nvcc")
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.arch)
def test_resident_blocks_are_those_of_the_vendors_header(target: object, oracle: Path) -> None:
    row = next(item for item in TARGETS if item == target)
    cases = [(threads, shared) for threads in THREADS for shared in SHARED if shared <= row.shared_per_block]
    number = row.arch.partition("_")[2]
    limits = f"{number} {row.shared_per_sm} {row.shared_per_block} {row.reserved_per_block} {row.threads_per_sm}"
    text = "".join(f"{limits} {threads} {shared}\n" for threads, shared in cases)
    answers = subprocess.run([str(oracle)], input=text, capture_output=True, text=True, check=True).stdout.split()
    ours = [resident_blocks(row, threads, shared) for threads, shared in cases]
    assert list(zip(cases, ours, strict=True)) == list(zip(cases, map(int, answers), strict=True))
