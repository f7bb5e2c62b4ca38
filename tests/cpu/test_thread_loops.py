"""Kernels that run in loops over the threads of a block do what they do with a fiber for each thread."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from families import some
from runs import Runner

from accache.base.options import Options
from accache.cpu.build import Program, compile_rewritten, kind_flags, link
from accache.cpu.launches import rewrite
from accache.cpu.run import RunResult, run
from accache.cpu.thread_loops import ThreadLoops, with_thread_loops
from accache.cpu.toolchain import INCLUDE
from accache.driver import translate

MAIN = """
#include <cstdio>
int main() {
    const int n = 5 * 64;
    int h[n], *a;
    cudaMalloc(&a, sizeof h);
    for (int i = 0; i < n; ++i) h[i] = i * 7 % 31;
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    LAUNCH
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    for (int i : h) printf("%d ", i);
    printf("%s\\n", cudaGetErrorString(cudaGetLastError()));
}
"""
HEAD = "static __global__ void __launch_bounds__(64) kernel(int n, int *a, int limit)\n"
SUM = """
static __device__ int total(int value)
{
    __shared__ int partial[64];
    const int lane = threadIdx.x, own = threadIdx.y * 16 + threadIdx.x;
    partial[own] = value;
    __syncthreads();
    for (int half = 8; half > 0; half /= 2) {
        if (lane < half)
            partial[own] = partial[own] + partial[own + half];
        __syncthreads();
    }
    value = partial[threadIdx.y * 16];
    __syncthreads(); // before the next call
    return value;
}
"""
FETCH = """
static __device__ __forceinline__ void row_fetch(int (&tile)[64], const int *a, int first)
{
    #pragma unroll
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 64; k += 64)
        tile[k] = a[first + k];
}
"""
BEGIN = "const int t = threadIdx.y * 16 + threadIdx.x; const int first = 64 * blockIdx.x; int *row = a + first;"
FORMS = {
    "no barrier": f"{{ {BEGIN} if (t > limit) return; row[t] += ++limit; }}",
    "tile": f"{FETCH}{HEAD}{{ __shared__ int tile[64]; {BEGIN} row_fetch(tile, a, first); __syncthreads();"
    " row[t] = tile[63 - t] + t; }",
    "kept value": f"{{ __shared__ int tile[64]; {BEGIN} int mine = row[t]; tile[t] = mine; __syncthreads();"
    " mine += tile[t ^ 5]; __syncthreads(); tile[t] = mine * 2; __syncthreads(); row[t] = tile[63 - t] - mine; }",
    "kept array": f"{{ {BEGIN} int last[2][2] = {{{{t, 1}}, {{2, 3}}}}; __shared__ int s[64]; s[t] = last[0][0];"
    " __syncthreads(); last[1][0] += s[t ^ 1]; __syncthreads(); row[t] = last[1][0] + last[1][1] * last[0][0]; }",
    "address": f"{{ {BEGIN} int mine = t; int *p = &mine; __shared__ int s[64]; s[t] = row[t]; __syncthreads();"
    " *p += s[t ^ 3]; __syncthreads(); row[t] = mine; }",
    "pointer to rows": f"{{ __shared__ int s[4][4][4]; {BEGIN} int (*const own)[4] = s[threadIdx.y];"
    " own[threadIdx.x / 4][threadIdx.x % 4] = t; __syncthreads(); int (*const other)[4] = s[3 - threadIdx.y];"
    " row[t] = other[threadIdx.x % 4][threadIdx.x / 4] + own[0][0]; }",
    "uniform loop": f"{{ __shared__ int s[64]; {BEGIN} for (int k = 1; k < n; k *= 2) {{ s[t] = row[t];"
    " __syncthreads(); row[t] = s[(t + k) % 64] + k; __syncthreads(); } }",
    "loop by values": f"{{ __shared__ int s[64]; {BEGIN} for (int k = a[0] * 0; k < a[1] * 0 + 3; k++) {{"
    " s[t] = row[t]; __syncthreads(); if (t > 1) row[t] = s[t ^ 1] + k; __syncthreads(); } }",
    "while": f"{{ __shared__ int s[64]; {BEGIN} int k = 0; while (k < 4) {{ s[t] = row[t] + k; __syncthreads();"
    " row[t] = s[t ^ 2]; ++k; __syncthreads(); } row[t] += k; }",
    "do": f"{{ __shared__ int s[64]; {BEGIN} int k = 0; do {{ s[t] = row[t] + k; __syncthreads(); row[t] = s[t ^ 2];"
    " ++k; __syncthreads(); } while (k < 3); }",
    "choice": f"{{ __shared__ int s[64]; {BEGIN} if (limit > 3 && blockIdx.x % 2) {{ s[t] = t; __syncthreads();"
    " row[t] = s[t ^ 1]; } else if (blockIdx.x == 2) row[t] = 0; else { s[t] = 2 * t; __syncthreads();"
    " row[t] = s[t ^ 2]; } }",
    "leaving": f"{{ __shared__ int s[64]; {BEGIN} for (int k = 0; k < 9; ++k) {{ s[t] = row[t] + k; __syncthreads();"
    " if (k == 1) continue; row[t] = s[t ^ 4] + k; __syncthreads(); if (k > 3) break; } }",
    "gangs": "{ __shared__ int s; const int t = threadIdx.y * 16 + threadIdx.x; for (int g = blockIdx.x; g < 5;"
    " g += gridDim.x) { if (t == 0) s = g * limit; __syncthreads(); a[64 * g + t] += s; __syncthreads(); } }",
    "routine": f"{SUM}{HEAD}{{ {BEGIN} int sum = row[t]; sum = total(sum); const int again = total(sum + t);"
    " if (threadIdx.x < 3) row[t] = again - sum; }",
    "routine in a condition": f"{SUM}{HEAD}{{ {BEGIN} int value = row[t]; if (blockIdx.x % 2) value = total(value);"
    " row[t] = value; }",
    "atomic statement": f"{{ {BEGIN} for (int k = 0; k < 3; ++k) atomicAdd(&row[(t + k) % 9], 1); }}",
    "parameter": f"{SUM}{HEAD}{{ {BEGIN} for (int k = 0; k < 3; ++k) {{ limit = row[t] + k; limit = total(limit);"
    " row[t] = limit; __syncthreads(); } }",
    "kept parameter": f"{SUM}{HEAD}{{ {BEGIN} for (int k = 0; k < 3; ++k) {{ if (t > 2) limit += k; __syncthreads(); }}"
    " row[t] = limit; }",
    "same names": f"{SUM}{HEAD}{{ {BEGIN} int own = 1; for (int lane = 0; lane < 2; ++lane) {{ int value = own + t;"
    " value = total(value + own); { int value = 5; row[t] += value; } own += value; __syncthreads(); }"
    " row[t] += own; }",
}
# These stay as they are.
OTHERS = {
    "leaves": f"{{ {BEGIN} if (limit > 60) return; __syncthreads(); row[t] = t; }}",
    "warps": f"{{ {BEGIN} row[t] = __shfl_sync(~0u, row[t], 3); }}",
    "counts": f"{{ {BEGIN} row[t] = __syncthreads_count(t > 5); }}",
    "declared": f"static __device__ void other(int *);{HEAD}{{ {BEGIN} other(row + t); }}"
    "static __device__ void other(int *x) { *x += 1; }",
    "barrier in a routine that leaves": "static __device__ void early(int n) { if (n > 60) return; __syncthreads(); }"
    f"{HEAD}{{ {BEGIN} early(limit); row[t] = t; }}",
    "waiting in a loop": f"{{ {BEGIN} if (t == 0) while (atomicAdd(&a[0], 0) == 0) ; if (t == 1) atomicExch(&a[0], 5);"
    " row[t] = 1; }",
    "jump": f"{{ {BEGIN} if (t > 5) goto end; row[t] = 0; end: ; }}",
}
BLOCKS = "kernel<<<5, dim3(16, 4)>>>(n, a, 20);"


def program(form: str, launch: str = BLOCKS) -> str:
    return (form if "__global__" in form else HEAD + form) + MAIN.replace("LAUNCH", launch)


def in_loops(text: str, folder: Path, *, seed: int | None = None) -> RunResult:
    """What a text does with loops over its threads."""
    loops = with_thread_loops(text)
    assert loops.kernels == {"kernel"}
    rewritten = rewrite(loops.text, by_block=loops.kernels)
    flags = (*kind_flags("-O2", check=False, capture=False), f"-I{INCLUDE}")
    part = compile_rewritten(rewritten, "kernel.cu", folder / "kernel.o", flags, check=False)
    link(folder / "program", [part], (), ("-lm",), check=False, library=False)
    return run(Program(folder / "program", folder / "kernel.cu", False), seed=seed, timeout=60)


@pytest.mark.parametrize("form", some(FORMS, 8))
def test_loops_give_what_fibers_give(form: str, run_cu: Runner, tmp_path: Path) -> None:
    text = program(FORMS[form])
    expected = run_cu(text, check=True)
    assert expected.findings == ()
    assert "no error" in expected.stdout
    for seed in (None, 4):
        assert in_loops(text, tmp_path, seed=seed).stdout == expected.stdout


@pytest.mark.parametrize("form", OTHERS)
def test_other_kernels_stay_as_they_are(form: str) -> None:
    text = program(OTHERS[form])
    assert with_thread_loops(text) == ThreadLoops(text, frozenset())


WORKERS = """
void f(int n, const int *restrict length, const float *restrict a, float *restrict r)
{{
#pragma acc parallel loop gang worker num_workers(4) vector_length(32) copyin(a[0:n], length[0:n]) copy(r[0:n])
    for (int i = 0; i < 40; ++i) {{
        if ({condition}) {{
            float sum = 0;
#pragma acc loop vector reduction(+:sum)
            for (int j = 0; j < length[i]; ++j)
                sum += a[j];
            r[i] = sum;
        }}
    }}
}}
"""


@pytest.mark.parametrize(("condition", "in_loops"), [("length[i] > 1", False), ("n > 5", True)])
def test_warps_that_need_not_agree_have_fibers(condition: str, in_loops: bool, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(WORKERS.format(condition=condition))
    found = with_thread_loops(translate(str(tmp_path / "a.c"), Options()).device).kernels
    assert ("f_L4_kernel" in found) == in_loops


def test_a_seed_changes_the_order_of_threads_at_each_barrier(tmp_path: Path) -> None:
    racing = "{ __shared__ int s[2]; s[0] = threadIdx.x; __syncthreads(); s[1] = threadIdx.x; __syncthreads();"
    text = program(racing + " a[2 * blockIdx.x] = s[0]; a[2 * blockIdx.x + 1] = s[1]; }")
    last = {}
    for seed in (None, 1, 2):
        last[seed] = in_loops(text, tmp_path, seed=seed).stdout.split()[:10]
    assert last[None] == ["15"] * 10
    assert last[1] != last[2]
    assert last[1][::2] != last[1][1::2]


def test_threads_that_do_not_agree_are_told_of(tmp_path: Path) -> None:
    text = program("{ if (threadIdx.x < 9) { __syncthreads(); a[threadIdx.x] = 1; } }")
    result = in_loops(text, tmp_path)
    assert re.search(r"kernel kernel, block \(\d,0,0\): threads \(0,0,0\) and \(9,0,0\) do not come to", result.stderr)
    assert "unspecified launch failure" in result.stdout


def test_a_crash_names_its_thread(tmp_path: Path) -> None:
    text = program("{ const int t = threadIdx.x; if (t == 7 && threadIdx.y == 2) a[limit * 100000000000LL] = 1; }")
    for seed in (None, 3):
        result = in_loops(text, tmp_path, seed=seed)
        assert re.search(r"kernel kernel, block \(\d,0,0\), thread \(7,2,0\): illegal address", result.stderr)


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    text = (
        program("{\n    const int t = threadIdx.x;\n    __syncthreads();\n    a[t] = t;\n}\n") + "\nint bad = wrong;\n"
    )
    loops = with_thread_loops(text)
    number = text.splitlines().index("int bad = wrong;") + 1
    lines = loops.text.splitlines()
    marks = [index for index, line in enumerate(lines) if line.startswith("#line")]
    assert int(lines[marks[-1]].split()[1]) + lines.index("int bad = wrong;") - marks[-1] - 1 == number
