"""Fences and atomic accesses order what threads do, as far as their scopes reach; and threads may wait in loops."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from families import some

from accache.base.options import Options
from accache.cpu.build import build
from accache.cpu.run import run as run_program
from accache.workflows.execution import Execution, run_cuda

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")

# __global__ void k(int *data, int *flag, int *out): all zero before; `blocks` blocks of `threads` threads
PROGRAM = """#include <cstdio>
__device__ int counter;
#define LEADER (threadIdx.x == 0)
#define WAIT(p, value) while (atomicAdd(p, 0) != value) {{}}
#define LOCK(cas, p) while (cas(p, 0, 1) != 0) {{}}
__global__ void k(int *data, int *flag, int *out) {{
{body}
}}
int main() {{
    int *p, out[64];
    cudaMalloc(&p, 3 * sizeof out);
    cudaMemset(p, 0, 3 * sizeof out);
    k<<<{blocks}, {threads}>>>(p, p + 64, p + 128);
    if (cudaDeviceSynchronize()) return 1;
    cudaMemcpy(out, p + 128, sizeof out, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", out[0]);
}}
"""
HAND_OVER = """
    if (LEADER && blockIdx.x == 1) {{ data[0] = 7; {fence}(); {exchange}(flag, 1); {after} }}
    if (LEADER && blockIdx.x == 0) {{ WAIT(flag, 1) out[0] = data[0]; }}"""
COUNT_LOCKED = """
    LOCK({cas}, flag) {acquire}
    data[0] = data[0] + 1;
    {release} {exchange}(flag, 0);
    __syncthreads();
    __threadfence();
    if (LEADER && atomicAdd(flag + 1, 1) == gridDim.x - 1) out[0] = data[0];"""
LAST_BLOCK = """
    __shared__ bool is_last;
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (LEADER) {{
        {fence}
        is_last = atomicInc((unsigned *)&counter, gridDim.x - 1) == gridDim.x - 1;
    }}
    __syncthreads();
    if (!is_last) return;
    if (LEADER) {{ int sum = 0; for (int i = 0; i < gridDim.x * blockDim.x; ++i) sum += data[i]; out[0] = sum; }}"""


def hand_over(fence: str = "__threadfence", exchange: str = "atomicExch", after: str = "") -> str:
    return HAND_OVER.format(fence=fence, exchange=exchange, after=after)


def locked(suffix: str = "", *, acquire: bool = True, release: bool = True) -> str:
    fence = f"__threadfence{suffix}();"
    cas, exchange = f"atomicCAS{suffix}", f"atomicExch{suffix}"
    texts = (fence if acquire else "", fence if release else "")
    return COUNT_LOCKED.format(cas=cas, exchange=exchange, acquire=texts[0], release=texts[1])


def write(tmp_path: Path, body: str, blocks: int, threads: int) -> Path:
    path = tmp_path / "scopes.cu"
    path.write_text(PROGRAM.format(body=body, blocks=blocks, threads=threads))
    return path


def run(path: Path, seed: int | None, *, check: bool) -> Execution:
    return run_cuda(str(path), Options(), (), target="cpu", check=check, seed=seed)


ORDERED = {
    "flag": (hand_over(), 2, 64, 7),
    "flag, other scopes": (hand_over("__threadfence_system", "atomicExch_system"), 2, 1, 7),
    "lock": (locked(), 3, 8, 24),
    "lock of a block": (locked("_block"), 1, 48, 48),
    "lock with a barrier for a fence": (
        """
    if (LEADER) { LOCK(atomicCAS, flag) }
    __syncthreads();
    if (threadIdx.x == 1) { out[0] = out[0] + 1; }
    __syncthreads();
    if (LEADER) { __threadfence(); atomicExch(flag, 0); }""",
        4,
        2,
        4,
    ),
    "last block": (LAST_BLOCK.format(fence="__threadfence();"), 4, 16, 64),
    "counter of a block": ("atomicAdd_block(data, 1); __syncthreads(); if (LEADER) out[0] = data[0];", 1, 64, 64),
    "through a third thread": (
        """
    if (blockIdx.x == 0 && threadIdx.x == 0) { data[0] = 1; __threadfence_block(); atomicExch_block(flag, 1); }
    if (blockIdx.x == 0 && threadIdx.x == 32) {
        while (atomicAdd_block(flag, 0) != 1) {}
        data[0] += 2; __threadfence(); atomicExch(flag + 1, 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) { WAIT(flag + 1, 1) out[0] = data[0] + 4; }""",
        2,
        33,
        7,
    ),
    "barrier of the grid": (
        """
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (LEADER) { __threadfence(); atomicAdd(flag, 1); while (atomicAdd(flag, 0) != gridDim.x) {} __threadfence(); }
    __syncthreads();
    if (LEADER && blockIdx.x == 0) for (int i = 0; i < 40; ++i) out[0] += data[i];""",
        5,
        8,
        40,
    ),
}
RACES = {
    "flag, fence of the block": (hand_over("__threadfence_block"), 2, 1),
    "flag, exchange of the block": (hand_over(exchange="atomicExch_block"), 2, 1),
    "flag, no fence": (hand_over("__syncwarp"), 2, 1),
    "flag, written again": (hand_over(after="data[0] = 8;"), 2, 1),
    "lock, not released with a fence": (locked(release=False), 2, 2),
    "lock, not acquired with a fence": (locked(acquire=False), 2, 2),
    "lock of a block, taken by others": (locked("_block"), 2, 1),
    "last block, no fence": (LAST_BLOCK.format(fence=""), 4, 16),
    "counter of a block, others count too": ("atomicAdd_block(data, 1);", 2, 1),
}


@pytest.mark.parametrize("name", some(ORDERED, 3))
def test_what_fences_order_is_no_race(tmp_path: Path, name: str) -> None:
    body, blocks, threads, result = ORDERED[name]
    program = build(write(tmp_path, body, blocks, threads).read_text(), None, tmp_path, check=True)
    for seed in (0, 1):
        done = run_program(program, seed=seed, timeout=120)
        assert (done.returncode, done.findings, done.stdout) == (0, (), f"{result}\n")


@pytest.mark.parametrize("name", ["flag", "lock", "barrier of the grid"])
def test_threads_that_wait_let_others_run(tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    body, blocks, threads, result = ORDERED[name]
    execution = run(write(tmp_path, body, blocks, threads), 5, check=False)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == f"{result}\n"


@pytest.mark.parametrize("name", some(RACES, 3))
def test_race_of_scope(tmp_path: Path, name: str) -> None:
    body, blocks, threads = RACES[name]
    found = run(write(tmp_path, body, blocks, threads), 0, check=True).findings
    assert found
    assert all("race" in finding.message for finding in found)


def test_message_names_the_scope(tmp_path: Path) -> None:
    path = write(tmp_path, RACES["counter of a block, others count too"][0], 2, 1)
    messages = [finding.message for finding in run(path, 0, check=True).findings]
    assert any("what ends in _block is atomic for its own block only" in message for message in messages)


@pytest.mark.parametrize("check", [False, True])
def test_waiting_for_nobody_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *, check: bool
) -> None:
    monkeypatch.setenv("ACCACHE_CPU_LONGEST_WAIT", "1")
    assert run(write(tmp_path, "WAIT(flag, 1)", 2, 2), 0, check=check).status == 1
    assert "waits in a loop for what no other thread does" in capfd.readouterr().err


def test_narrow_compare_and_swap(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
    unsigned short *narrow = (unsigned short *)data + 1, old = *narrow, seen;
    do { seen = old; old = atomicCAS(narrow, seen, (unsigned short)(seen + 1)); } while (old != seen);
    __syncthreads();
    if (LEADER) out[0] = data[0] >> 16;"""
    execution = run(write(tmp_path, body, 1, 32), 0, check=False)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == "32\n"
