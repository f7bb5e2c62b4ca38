"""Launches of real runs come back as values: names, shapes, arguments, and the memory around each of them."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.base.text import SourceFile
from accache.cpu.captures import prepare_capture
from accache.cpu.programs import build_program
from accache.cpu.run import run
from accache.cpu.sources import read_program
from accache.ptx.machine.launch import Captured
from accache.ptx.replay.capture_file import read_captured

PROGRAM = """
#include <cstdio>
struct Pair { char kind; double value; };
__device__ int counter = 5;
static __constant__ float factors[2];
template <class T>
static __global__ void scale(T *data, int, T factor = 2) { data[threadIdx.x] *= factor * factors[1]; }
namespace deep { __global__ void pairs(Pair *out, Pair in, const char *text, bool flag) {
    extern __shared__ int room[];
    room[threadIdx.x] = counter;
    if (flag) out[blockIdx.y].value = in.value + room[0], counter += 1;
} }
__global__ void nothing() {}
__global__ void fails() { __trap(); }
int main(int argc, char **) {
    float *data, ones[4] = {1, 2, 3, 4}, two[2] = {1, 2};
    Pair *pairs;
    cudaMalloc(&data, sizeof ones);
    cudaMemcpy(data, ones, sizeof ones, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factors, two, sizeof two);
    scale<<<1, 4>>>(data, 1, 3.0f);
    scale<<<1, 2>>>(data, 1);
    cudaMalloc(&pairs, 2 * sizeof(Pair));
    nothing<<<3, 5>>>();
    deep::pairs<<<dim3(1, 2), dim3(1, 1, 1), 64>>>(pairs, Pair{1, 0.5}, "host", true);
    cudaFree(data);
    nothing<<<1, 1>>>();
    if (argc > 1) fails<<<1, 1>>>();
}
"""


@pytest.fixture(scope="module")
def launches(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Captured, ...]]:
    """Runs PROGRAM: ``launches(arguments..., most=..., kernel=...)`` are those that it captured."""
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    program = read_program(SourceFile(str(tmp_path_factory.mktemp("source") / "a.cu"), PROGRAM), ())
    built = build_program(program, tmp_path_factory.mktemp("built"), (), capture=True)

    def captured(*arguments: str, most: int = 100, kernel: str = "") -> tuple[Captured, ...]:
        folder = tmp_path_factory.mktemp("run")
        path, environment = prepare_capture(built, PROGRAM, folder, most, kernel=kernel)
        run(built, arguments, environment=environment, timeout=60)
        return tuple(read_captured(path))

    return captured


def symbols(found: Captured) -> dict[str, bytes]:
    return {memory.symbol: memory.data for memory in found.launch.memory if memory.symbol}


def test_names_shapes_and_arguments(launches: Callable[..., tuple[Captured, ...]]) -> None:
    first, second, third, fourth, last = launches()
    kernels = [found.launch.kernel for found in (first, second, third, fourth, last)]
    assert kernels == ["_Z5scaleIfEvPT_iS0_"] * 2 + ["_Z7nothingv", "_ZN4deep5pairsEP4PairS0_PKcb", "_Z7nothingv"]
    assert [found.number for found in (first, last)] == [0, 4]
    assert (first.launch.grid, first.launch.block, first.launch.shared_bytes) == ((1, 1, 1), (4, 1, 1), 0)
    assert (fourth.launch.grid, fourth.launch.block, fourth.launch.shared_bytes) == ((1, 2, 1), (1, 1, 1), 64)
    address = first.launch.memory[-1].address
    assert first.launch.arguments == (struct.pack("<Q", address), struct.pack("<i", 1), struct.pack("<f", 3))
    assert second.launch.arguments[2] == struct.pack("<f", 2)
    assert third.launch.arguments == ()
    pair = fourth.launch.arguments[1]
    assert (len(pair), pair[0], struct.unpack("<d", pair[8:])) == (16, 1, (0.5,))


def test_memory_before_and_after(launches: Callable[..., tuple[Captured, ...]]) -> None:
    first, second, _, fourth, last = launches()
    assert first.launch.memory[-1].data == struct.pack("<4f", 1, 2, 3, 4)
    assert first.after[-1].data == second.launch.memory[-1].data == struct.pack("<4f", 6, 12, 18, 24)
    assert second.after[-1].data == struct.pack("<4f", 24, 48, 18, 24)
    assert fourth.launch.memory[-1].data == b"\xff" * 32  # nobody wrote it
    assert struct.unpack("<d", fourth.after[-1].data[8:16])[0] in (5.5, 6.5)
    assert len(last.after) == len(fourth.after) - 1
    assert symbols(fourth)["counter"] == struct.pack("<i", 5)
    assert symbols(last)["counter"] == struct.pack("<i", 7)
    assert symbols(first)["_ZL7factors"] == struct.pack("<2f", 1, 2)


def test_arrays_are_known_by_the_types_of_arguments(launches: Callable[..., tuple[Captured, ...]]) -> None:
    first, _, _, fourth, _ = launches()
    (data,) = first.arrays
    assert (data.name, data.size, data.element_bytes, data.is_float, data.padding) == ("argument 1", 16, 4, True, b"")
    (pairs,) = fourth.arrays
    assert (pairs.size, pairs.element_bytes, pairs.is_float) == (32, 16, False)
    assert pairs.padding == b"\0" + b"\xff" * 7 + b"\0" * 8


def test_bounded_by_number_and_kernel(launches: Callable[..., tuple[Captured, ...]]) -> None:
    assert [found.number for found in launches(most=2)] == [0, 1]
    assert [found.number for found in launches(kernel="nothing")] == [2, 4]
    assert [found.number for found in launches(kernel="pairs")] == [3]
    assert [found.number for found in launches(kernel="deep::pairs", most=1)] == [3]
    assert launches(kernel="other") == ()


def test_a_launch_that_ends_the_program_is_left_out(launches: Callable[..., tuple[Captured, ...]]) -> None:
    assert [found.number for found in launches("x")] == [0, 1, 2, 3, 4]


def test_broken_files_are_told(launches: Callable[..., tuple[Captured, ...]], tmp_path: Path) -> None:
    version = b"V" + struct.pack("<QQ", 8, 1)
    allocation = b"A" + struct.pack("<QQQQQ", 32, 0x1000, 4, 0, 0)
    for data in (
        version[:-1],
        b"V" + struct.pack("<QQ", 8, 2),
        version + b"?" + struct.pack("<QQ", 8, 0),
        version + b"F" + struct.pack("<QQ", 8, 0x1000),
        version + allocation + b"P" + struct.pack("<QQQ", 16, 0x1000, 4),
        version + b"K" + struct.pack("<QQ", 8, 0),
    ):
        path = tmp_path / "launches"
        path.write_bytes(data)
        with pytest.raises(CompileError) as caught:
            list(read_captured(path))
        assert [found.code for found in caught.value.diagnostics] == ["ACC940"]
    with pytest.raises(CompileError) as caught:
        list(read_captured(tmp_path / "missing"))
    assert [found.code for found in caught.value.diagnostics] == ["ACC101"]
