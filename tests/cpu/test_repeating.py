"""What a run finds is shown again by the threads that it names, alone."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from accache.cpu.build import Program, build
from accache.cpu.findings import Finding
from accache.cpu.repeating import repeated
from accache.cpu.run import RunResult, run

PROGRAM = """
#include <cooperative_groups.h>
#include <cstdio>
__global__ void fill(int *a, int *b) { int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = i; b[i] = 0; }
__global__ void neighbours(int *a, int *) { int i = blockIdx.x * 64 + threadIdx.x; if (i < 255) a[i] = a[i + 1]; }
__global__ void blocks(int *a, int *) { if (threadIdx.x == blockIdx.x) a[7] = blockIdx.x; }
__global__ void past(int *a, int *b) { int i = blockIdx.x * 64 + threadIdx.x; b[i] = a[i + (i == 200) * 100]; }
// who is named alone would not come to the access: its index is what the rest of its block has left
__global__ void told(int *a, int *b) {
    __shared__ int s[64];
    s[threadIdx.x] = 63 - threadIdx.x;
    __syncthreads();
    if (s[62 - threadIdx.x % 63] == 50) b[s[0] + 300] = 1;
}
__global__ void apart(int *a, int *) { if (threadIdx.x < 32) __syncthreads(); }
__global__ void unset(int *a, int *b) { int x; if (threadIdx.x == 3) x = 1; b[blockIdx.x * 64 + threadIdx.x] = x; }
__global__ void wild(int *, int *) { if (blockIdx.x == 1 && threadIdx.x == 9) *reinterpret_cast<int *>(16) = 1; }
__global__ void plane(int *a, int *) { a[threadIdx.y + blockIdx.y] = 1; }
__global__ void sum(int *a, int *) { a[0] += 1; }
// waits for blocks that do not run
__global__ void grid(int *a, int *b) {
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 2 && threadIdx.x == 0) b[300] = 1;
}
int main(int argc, char **argv) {
    void (*const kernels[])(int *, int *) = {neighbours, blocks, past, told, apart, unset, plane, grid, wild, sum};
    const int chosen = atoi(argv[1]);
    const dim3 threads = chosen == 6 ? dim3(1, 8) : dim3(64), extent = chosen == 6 ? dim3(1, 4) : dim3(4);
    int *a, *b;
    cudaMalloc(&a, 256 * sizeof *a);
    cudaMalloc(&b, 256 * sizeof *b);
    for (int i = 0; i < 3; ++i) fill<<<4, 64>>>(a, b);
    kernels[chosen]<<<extent, threads>>>(a, b);
    fill<<<4, 64>>>(a, b);
    printf("whole\\n");
    return argc;
}
"""
KERNELS = ("neighbours", "blocks", "past", "told", "apart", "unset", "plane", "grid", "wild", "sum")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    return build(PROGRAM, None, tmp_path_factory.mktemp("repeated"), check=True)


def found(program: Program, kernel: str, seed: int) -> tuple[Finding, ...]:
    arguments = (str(KERNELS.index(kernel)),)
    return repeated(program, arguments, run(program, arguments, seed=seed).findings, seed, seconds=1.0)


def alone(program: Program, kernel: str, seed: int, threads: str) -> RunResult:
    settings = {"ACCACHE_CPU_THREADS": threads}
    return run(program, (str(KERNELS.index(kernel)),), seed=seed, environment=settings)


def threads_of(finding: Finding) -> str:
    return finding.repeat.partition(" --threads ")[2]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("kernel", ["neighbours", "blocks", "past", "unset", "plane", "wild"])
def test_the_threads_of_a_finding_show_it_alone(program: Program, kernel: str, seed: int) -> None:
    findings = found(program, kernel, seed)
    assert findings
    for finding in findings:
        assert finding.repeat.startswith(f"--seed {seed} --threads 3:")
        assert len(threads_of(finding).split(",")) == len(finding.parties)
        result = alone(program, kernel, seed, threads_of(finding))
        assert replace(finding, times=0, repeat="") in [replace(other, times=0) for other in result.findings]


def test_threads_are_named_as_they_are_counted(program: Program) -> None:
    (finding,) = (each for each in found(program, "past", 0) if each.kind == "out-of-bounds")
    assert finding.repeat == "--seed 0 --threads 3:3:8"


def test_the_block_of_a_race_with_one_of_several_readers_shows_it(program: Program) -> None:
    race = next(each for each in found(program, "sum", 0) if each.other is not None and each.other.thread is None)
    assert race.party.block is not None
    assert threads_of(race) == f"3:{race.party.block[0]}"
    result = alone(program, "sum", 0, threads_of(race))
    assert replace(race, times=0, repeat="") in [replace(other, times=0) for other in result.findings]


def test_positions_have_the_axes_that_they_need(program: Program) -> None:
    race = found(program, "plane", 0)[0]
    assert race.other is not None
    positions = (race.party.block, race.party.thread, race.other.block, race.other.thread)
    assert positions == ((0, 0, 0), (0, 3, 0), (0, 3, 0), (0, 0, 0))
    assert threads_of(race) == "3:0:0.3,3:0.3:0"


def test_where_the_threads_do_not_suffice_their_block_does(program: Program) -> None:
    (finding,) = found(program, "told", 0)
    block = finding.party.block
    assert block is not None
    assert finding.repeat == f"--seed 0 --threads 3:{block[0]}"
    thread = finding.party.thread
    assert thread is not None
    shown = alone(program, "told", 0, f"{threads_of(finding)}:{thread[0]}").findings
    assert {each.kind for each in shown} == {"uninitialised"}


@pytest.mark.parametrize("kernel", ["apart", "grid"])
def test_barriers_need_all_threads(program: Program, kernel: str) -> None:
    assert {each.repeat for each in found(program, kernel, 0)} == {"--seed 0"}


def test_the_program_ends_behind_the_launch(program: Program) -> None:
    result = alone(program, "past", 0, "3:3:8")
    assert (result.returncode, result.stdout) == (0, "")
    assert {(each.kernel, each.launches) for each in result.counters} == {("fill", 3), ("kernels[chosen]", 1)}


def test_no_other_thread_and_no_other_launch_is_told_of(program: Program) -> None:
    assert alone(program, "past", 0, "3:3:9,3:2").findings == ()
    assert alone(program, "neighbours", 0, "2:1").findings == ()


def test_threads_that_the_launch_does_not_have_are_told(program: Program) -> None:
    for threads, who in (("3:4:0", "block (4,0,0) thread (0,0,0)"), ("3:0:0.1", "block (0,0,0) thread (0,1,0)")):
        result = alone(program, "past", 0, threads)
        assert (result.returncode, result.findings) == (0, ())
        assert f"launch 3, kernel kernels[chosen], has no {who}" in result.stderr


def test_the_second_run_prints_nothing(program: Program, capfd: pytest.CaptureFixture[str]) -> None:
    repeated(program, ("2",), run(program, ("2",), seed=0).findings, 0, seconds=1.0)
    assert capfd.readouterr() == ("", "")


def test_a_second_run_that_takes_another_way_tells_the_seed_alone(program: Program) -> None:
    findings = run(program, ("2",), seed=0).findings
    assert {each.repeat for each in repeated(program, ("1",), findings, 0, seconds=1.0)} == {"--seed 0"}
