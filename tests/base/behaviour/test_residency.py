"""Resident blocks are those of NVIDIA's own header, and what is left of shared memory keeps them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from accache.base.architectures import KEPLER, Architecture, architecture

ORACLE = r"""
#include <cstdio>
#include <cuda_occupancy.h>
int main()
{
    int major, minor, shared_sm, shared_block, reserved, threads, registers, shared;
    while (scanf("%d %d %d %d %d %d %d %d", &major, &minor, &shared_sm, &shared_block, &reserved, &threads,
                 &registers, &shared) == 8) {
        cudaOccDeviceProp device;
        device.computeMajor = major;
        device.computeMinor = minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = 2048;
        device.regsPerBlock = 65536;
        device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 49152;
        device.sharedMemPerMultiprocessor = shared_sm;
        device.sharedMemPerBlockOptin = shared_block;
        device.reservedSharedMemPerBlock = reserved;
        device.numSms = 1;
        cudaOccFuncAttributes function;
        function.maxThreadsPerBlock = 1024;
        function.numRegs = registers;
        function.sharedSizeBytes = 0;
        function.partitionedGCConfig = PARTITIONED_GC_OFF;
        function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        function.maxDynamicSharedSizeBytes = shared_block;
        function.numBlockBarriers = 1;
        cudaOccDeviceState state;
        cudaOccResult result;
        int failed = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared);
        printf("%d\n", failed ? -failed : result.activeBlocksPerMultiprocessor);
    }
}
"""
CHIPS = {row.name: row for row in (KEPLER, *map(architecture, ("sm_70", "sm_80", "sm_90")))}
CASES = [
    (name, threads, registers, shared)
    for name in CHIPS
    for threads in (32, 64, 96, 128, 192, 256, 512, 1024)
    for registers in (16, 32, 33, 48, 64)
    for shared in (0, 1000, 4096, 8192, 19968, 28160, 40000)
]


@pytest.mark.parametrize(("name", "expected"), [("sm_80", 19968), ("sm_90", 28160)])
def test_known_rooms(name: str, expected: int) -> None:
    assert CHIPS[name].resident_blocks(256, 0, 32) == 8
    assert CHIPS[name].shared_room(256, 0, 32) == expected


@pytest.mark.parametrize("name", CHIPS)
def test_room_keeps_the_blocks_and_not_a_byte_more_does(name: str) -> None:
    chip = CHIPS[name]
    for threads, registers, shared in {case[1:] for case in CASES if case[0] == name}:
        blocks = chip.resident_blocks(threads, shared, registers)
        left = chip.shared_room(threads, shared, registers)
        if blocks:
            assert chip.resident_blocks(threads, shared + left, registers) == blocks
            assert chip.resident_blocks(threads, shared + left + 1, registers) < blocks


def test_blocks_are_those_of_the_header(tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc")
    (tmp_path / "oracle.cpp").write_text(ORACLE)
    compiled = subprocess.run([nvcc, "oracle.cpp", "-o", "oracle"], cwd=tmp_path, capture_output=True, check=False)
    if b"cuda_occupancy.h" in compiled.stderr:
        pytest.skip("nvcc has no cuda_occupancy.h")
    assert compiled.returncode == 0, compiled.stderr.decode()

    def row(chip: Architecture, threads: int, registers: int, shared: int) -> str:
        numbers = (chip.shared_per_sm, chip.shared_per_block, chip.reserved_per_block, threads, registers, shared)
        return " ".join(map(str, (*chip.name.removeprefix("sm_"), *numbers)))

    asked = "\n".join(row(CHIPS[name], *rest) for name, *rest in CASES)
    told = subprocess.run(tmp_path / "oracle", input=asked, capture_output=True, text=True, check=True).stdout.split()
    found = [CHIPS[name].resident_blocks(threads, shared, registers) for name, threads, registers, shared in CASES]
    wrong = [(case, own, int(their)) for case, own, their in zip(CASES, found, told, strict=True) if own != int(their)]
    assert not wrong
