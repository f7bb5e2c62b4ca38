"""What of a kernel no copy goes with is told by ``accache preload``, and the kernel stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.diagnostics import Reporter
from accache.l1.gpus import KEPLER
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import Preloaded, preload

HEAD = """\
#include <cooperative_groups.h>
{before}
__global__ void k(const float *__restrict__ a, float *__restrict__ c, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
    float sum = 0;
    for (int j = 0; j < n; ++j)
        sum += a[j] * i;
    c[i] = sum;
}}
"""


def preloaded(folder: Path, body: str, before: str = "", main: str = "") -> Preloaded:
    """The program for blocks of 16 threads, or for those of ``main``; ``before`` is in line 2, ``body`` in 6."""
    path = folder / "program.cu"
    path.write_text(HEAD.format(before=before, body=body) + main)
    return preload(Invocation(str(path)), KEPLER, 2.0, None if main else (16, 1, 1), reporter=Reporter())


def copied(found: Preloaded) -> set[str]:
    return {tile.array for plan in found.plans for tile in plan.tiles}


RECURSIVE = "__device__ int half(int n) { return n < 2 ? n : half(n / 2); }"
MUTUAL = (
    "__device__ int even(int n); __device__ int odd(int n) { return n ? even(n - 1) : 0; } "
    "__device__ int even(int n) { return n ? odd(n - 1) : 1; }"
)
WAITS = "__device__ void wait() { __syncthreads(); }"


@pytest.mark.parametrize(
    ("before", "body", "reason"),
    [
        ("", "if (threadIdx.x < 8) __syncthreads();", "not all threads of a block may come to this barrier"),
        ("", "for (int t = threadIdx.x; t < n; t += 4) __syncthreads();", "not all threads of a block may come"),
        ("", "int lane = i % 32; if (lane) { c[i] = 1; __syncthreads(); }", "not all threads of a block may come"),
        (WAITS, "if (i < n) wait();", "not all threads of a block may come to this barrier"),
        (RECURSIVE, "i = half(i);", "the device function 'half' is recursive"),
        (MUTUAL, "i = odd(i);", "the device function '"),
        ("", "extern __shared__ float s[]; s[0] = 1;", "only its launches know the size of the shared array 's'"),
        ("extern __shared__ float s[];", "s[0] = 1;", "only its launches know the size of the shared array 's'"),
        ("__shared__ float s[64];", "s[0] = 1;", "the shared array 's' stands outside of functions"),
        ("using cooperative_groups::this_grid;", "this_grid().sync();", "it uses cooperative groups"),
        (
            "",
            "if (i % 2) cooperative_groups::this_thread_block().sync();",
            "not all threads of a block may come to this",
        ),
        ("using namespace cooperative_groups;", "i = this_thread_block().size();", "it uses cooperative groups"),
        ("namespace g = cooperative_groups;", "g::grid_group all = g::this_grid();", "it uses cooperative groups"),
        ("namespace g = cooperative_groups;", "auto all = g::this_grid();", "it uses cooperative groups"),
        ("using namespace cooperative_groups;", "grid_group all = this_grid();", "it uses cooperative groups"),
    ],
)
def test_an_obstacle_is_told_at_its_place(before: str, body: str, reason: str, tmp_path: Path) -> None:
    found = preloaded(tmp_path, body, before)
    (told,) = found.diagnostics
    assert told.code == "ACC984"
    assert told.location is not None
    assert told.location.line == 6
    assert f"the kernel 'k' cannot be rewritten: {reason}" in told.message
    assert found.text == (tmp_path / "program.cu").read_text()


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("", "if (n > 8) __syncthreads();"),
        ("", "if (blockIdx.x) __syncthreads();"),
        ("__device__ int half(int n) { return n / 2; }", "i += half(half(0));"),
        ("", "cooperative_groups::thread_block all = cooperative_groups::this_thread_block(); all.sync();"),
        ("namespace g = cooperative_groups;", "auto all = g::this_thread_block(); g::sync(all);"),
        ("using namespace cooperative_groups;", "thread_block all = this_thread_block(); sync(all);"),
        ("", "cooperative_groups::this_thread_block().sync();"),
        ("using namespace cooperative_groups;", "if (n > 8) this_thread_block().sync();"),
        ("using cooperative_groups::this_thread_block;", "auto all = this_thread_block(); all.sync();"),
    ],
)
def test_what_is_like_an_obstacle_is_none(before: str, body: str, tmp_path: Path) -> None:
    """Barriers of its own keep a kernel's loops from being cut; that they have no chunks is no refusal."""
    found = preloaded(tmp_path, body, before)
    assert not found.diagnostics
    barriers = {"__syncthreads", "sync"} & set(body.replace("(", " ").replace(".", " ").replace(":", " ").split())
    assert copied(found) == (set() if barriers else {"a"})


@pytest.mark.parametrize(
    ("before", "body", "line"),
    [
        ("", "*(volatile float *)c = 1;", 6),
        ("__device__ int seen(volatile int *p) { return *p; }", "i += seen((int *)c);", 2),
    ],
)
def test_volatile_data_is_told(before: str, body: str, line: int, tmp_path: Path) -> None:
    found = preloaded(tmp_path, body, before)
    (told,) = found.diagnostics
    assert (told.code, told.location is not None and told.location.line) == ("ACC990", line)
    assert copied(found) == set()


MAIN = """
int main()
{{
    float *a, *c;
    cudaMalloc(&a, 4096);
    cudaMalloc(&c, 4096);
    cudaMemset(a, 0, 4096);
    {launches}
    return 0;
}}
"""


@pytest.mark.parametrize(
    ("blocks", "told"),
    [
        (("32", "32", "32"), ""),
        (("32", "64", "32", "dim3(8, 4)"), "32 x 1 x 1, 64 x 1 x 1, 8 x 4 x 1; what follows is for 32 x 1 x 1 threads"),
    ],
)
def test_launches_with_different_blocks_are_told(blocks: tuple[str, ...], told: str, tmp_path: Path) -> None:
    launches = " ".join(f"k<<<4, {block}>>>(a, c, 100);" for block in blocks)
    found = preloaded(tmp_path, "", main=MAIN.format(launches=launches))
    assert [each.code for each in found.diagnostics] == (["ACC985"] if told else [])
    assert all(told in each.message for each in found.diagnostics)
    assert copied(found) == {"a"}


@pytest.mark.parametrize(("block", "all_come"), [("16", True), ("dim3(16, 1)", True), ("dim3(16, 2)", False)])
def test_threads_that_blocks_do_not_have_miss_no_barrier(block: str, all_come: bool, tmp_path: Path) -> None:
    main = f"int main() {{ float *p; cudaMalloc(&p, 4096); k<<<4, {block}>>>(p, p + 512, 64); }}\n"
    found = preloaded(tmp_path, "if (threadIdx.y == 0) __syncthreads();", main=main)
    assert any("not all threads of a block may come" in str(item) for item in found.diagnostics) != all_come
    assert [plan.view.item.name for plan in found.plans] == (["k"] if all_come else [])


@pytest.mark.parametrize(
    ("before", "body", "told"),
    [
        ("__device__ int visits;", "visits = 1;", ""),
        ("__device__ int visits[4];", "atomicAdd(&visits[i % 4], 1);", ""),
        ("__device__ int visits; __device__ void visit() { ++visits; }", "visit();", ""),
        ("__device__ float total;", "total = 1;", "may alias 'total', which the kernel writes"),
        ("__device__ char seen;", "seen = 1;", "may alias 'seen', which the kernel writes"),
        ("__device__ float total; __device__ void add() { total += 1; }", "add();", "may alias 'total'"),
        ("__device__ int *next;", "next[i] = 1;", "may alias: the kernel writes to what no parameter points to"),
        ("__device__ int visits;", "*(float *)&visits = 1;", "may alias: the kernel writes to what no parameter"),
    ],
)
def test_variables_of_the_file_are_other_memory_if_types_say_so(
    before: str, body: str, told: str, tmp_path: Path
) -> None:
    found = preloaded(tmp_path, body, before)
    assert copied(found) == (set() if told else {"a"})
    (plan,) = found.plans
    assert told in " ".join(str(decision) for decision in plan.decisions)


@pytest.mark.parametrize(("block", "copied"), [((256, 1, 1), ["x"]), ((32, 8, 1), [])])
def test_a_kernel_of_one_dimension_races_in_blocks_of_two(
    block: tuple[int, int, int], copied: list[str], tmp_path: Path
) -> None:
    """As ATAX and MVT of PolyBench: eight threads of a block of 32 x 8 add to one element."""
    path = tmp_path / "atax.cu"
    path.write_text(
        "__global__ void k(float *a, float *x, float *tmp, int n)\n{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {\n        tmp[i] = 0;\n        int j;\n"
        "        for (j = 0; j < n; j++)\n            tmp[i] += a[i * n + j] * x[j];\n    }\n}\n"
    )
    found = preload(Invocation(str(path)), KEPLER, 2, block, reporter=Reporter())
    (plan,) = found.plans
    assert [tile.array for tile in plan.tiles] == copied
    reasons = {item.array: item.reason for item in plan.decisions}
    assert ("differ in y alone" in reasons["x"]) == (not copied)
