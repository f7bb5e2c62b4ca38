"""Kernels that nvcc compiled, on both machines: C++ of all kinds, and the samples against numpy."""

from __future__ import annotations

import math
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from engines import BASE, ENGINES, assert_same, needs_compiler

from accache.base.text import SourceFile
from accache.ptx.execute import run
from accache.ptx.machine.launch import Allocation, Launch
from accache.ptx.machine.trace import Trace
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module

SAMPLES = Path(__file__).parents[3] / "samples" / "cuda"
N = 24  # no multiple of a tile
pytestmark = [needs_compiler, pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")]


def compiled(name: str, folder: Path) -> Module:
    subprocess.run(["nvcc", "-ptx", "-lineinfo", SAMPLES / f"{name}.cu", "-o", folder / "a.ptx"], check=True)
    return parse(SourceFile(f"{name}.ptx", (folder / "a.ptx").read_text()))


def arguments(*values: np.ndarray | int) -> tuple[tuple[bytes, ...], tuple[Allocation, ...]]:
    """Arguments of a launch and its memory: arrays are allocated."""
    words, memory = [], []
    for value in values:
        if isinstance(value, int):
            words.append(struct.pack("<i", value))
        else:
            memory.append(Allocation(BASE + (len(memory) << 24), value.tobytes()))
            words.append(struct.pack("<Q", memory[-1].address))
    return tuple(words), tuple(memory)


def test_a_matrix_product(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random((2, N, N), np.float32)
    words, memory = arguments(a, b, np.zeros((N, N), np.float32), N)
    module = compiled("gemm", tmp_path)
    launch = Launch(module.kernels[0].name, (2, 2, 1), (16, 16, 1), 0, words, memory)
    traces, results = [], []
    for interpreter in ENGINES:
        trace = Trace()
        after, _ = run(module, launch, interpreter=interpreter, trace=trace)
        traces.append(trace)
        results.append(np.frombuffer(after[2].data, np.float32).reshape(N, N))
    np.testing.assert_allclose(results[0], a @ b, rtol=1e-5)
    np.testing.assert_array_equal(results[0], results[1])
    assert traces[0].instructions == traces[1].instructions
    records = traces[1].records()
    assert_same(traces[0].records(), records)
    # every block loads an element of a and of b for each of its threads and tiles that has one, and stores one
    loads = 2 * 2 * N * N
    assert int(records.taking_part().sum()) == loads + N * N


def test_a_stencil(tmp_path: Path) -> None:
    b = np.random.default_rng(2).random((N, N), np.float32)
    words, memory = arguments(np.zeros((N, N), np.float32), b, N, N)
    module = compiled("jacobi", tmp_path)
    launch = Launch(module.kernels[0].name, (1, 3, 1), (32, 8, 1), 0, words, memory)
    windows = np.lib.stride_tricks.sliding_window_view(b, (3, 3)).sum(axis=(2, 3)) / 9
    after, _ = run(module, launch)
    found = np.frombuffer(after[0].data, np.float32).reshape(N, N)
    np.testing.assert_allclose(found[1:-1, 1:-1], windows, rtol=1e-5)
    assert not found[0].any()


@pytest.mark.ptx
def test_a_matrix_product_as_users_run_it(full_effort: None, tmp_path: Path) -> None:
    test_a_matrix_product(tmp_path)


LANGUAGE = {
    "sum<int>": "_Z3sumIiEvPKT_PS0_i",
    "trigonometry": "_Z4trigPfPdi",
    "warps": "_Z5warpsPjS_",
    "carries": "_Z7carriesPyPo",
    "calls": "_Z5callsPfP4PairPFffE",
    "switches": "_Z8switchesPii",
    "groups": "_Z6groupsPi",
}


def test_both_machines_agree_about_a_switch(language: Module) -> None:
    assert_both_agree(LANGUAGE["switches"], language)


@pytest.mark.ptx
@pytest.mark.parametrize("name", LANGUAGE.values(), ids=LANGUAGE)
def test_both_machines_agree_about_the_language(name: str, language: Module) -> None:
    assert_both_agree(name, language)


def assert_both_agree(name: str, language: Module) -> None:
    """Arrays of small integers and of small numbers are taken for whatever the kernel wants."""
    rng = np.random.default_rng(3)
    values: list[np.ndarray | int] = []
    for number, parameter in enumerate(language.functions[name].parameters or ()):
        floats = (rng.random(4096) * 8).astype(np.float32)
        whole = number % 2 == 0 or name == LANGUAGE["calls"]
        array = rng.integers(0, 12, 4096).astype(np.int32) if whole else floats
        values.append(array if parameter.type == "u64" else 24)
    words, memory = arguments(*values)
    threads = 8 if name == LANGUAGE["calls"] else 32
    launch = Launch(name, (1, 1, 1), (threads, 1, 1), 0, words, memory)
    found = [run(language, launch, interpreter=interpreter) for interpreter in ENGINES]
    assert found[0][0] == found[1][0]
    assert found[0][1].instructions == found[1][1].instructions
    assert found[0][0] != memory


@pytest.mark.ptx
def test_numerical_functions_of_cuda(language: Module) -> None:
    """What nvcc makes of sin, pow and the like, slow paths included, against numpy."""
    x = np.array([0.5, 1.0, 2.5, 7.0, 30.0, 1e5, 3.1, 0.01] * 4, np.float64)
    words, memory = arguments(x.astype(np.float32), x, 32)
    after, _ = run(language, Launch(LANGUAGE["trigonometry"], (1, 1, 1), (32, 1, 1), 0, words, memory))
    found = np.frombuffer(after[1].data, np.float64)
    gamma = np.array([math.lgamma(value) for value in x])
    with np.errstate(over="ignore"):
        expected = (
            np.sin(x) + x**1.7 + np.exp(x) + np.log(x) + np.tanh(x) + gamma + np.sqrt(x) + 1 / x + np.fmod(x, 2.5)
        )
    np.testing.assert_allclose(found, expected, rtol=1e-13)
