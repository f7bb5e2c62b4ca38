"""Every check has a kernel that provokes it, and a correct twin that is not reported."""

from __future__ import annotations

import pytest
from conftest import Runner  # type: ignore[import-not-found]

from accache.cpu.findings import Finding

# a: 64 floats with values; b: 64 floats nobody wrote; h: host memory
HOST = """
#include <cstdio>
#include <cstring>
int main() {
    float h[64], *a, *b;
    for (int i = 0; i < 64; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    accache_cpu_label(a, sizeof h, "a", 4);
    accache_cpu_label(b, sizeof h, "b", 4);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    LAUNCH;
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
}
"""

FETCH = """
__device__ __forceinline__ void tile_fetch(float *tile, const float *from, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = from[i];
}
__device__ __forceinline__ void tile_write_back(float *to, const float *tile, int first, int last) {
    for (int i = first + threadIdx.x; i < last; i += blockDim.x) to[i] = tile[i];
}
"""

MASKED = """
__device__ __forceinline__ void tile_write_back(float *to, const float *tile, const bool *dirty) {
    for (int i = threadIdx.x; i < 32; i += blockDim.x)
        if (dirty[i]) to[i] = tile[i];
}
"""


def check(run_cu: Runner, kernel: str, launch: str, seed: int | None = None) -> tuple[Finding, ...]:
    """The findings of one kernel under one launch."""
    text = f"#line 1\n{kernel}{HOST.replace('LAUNCH', launch)}"
    result = run_cu(text, check=True, seed=seed)
    assert result.returncode == 0, result.stderr
    findings: tuple[Finding, ...] = result.findings
    return findings


def kinds(findings: tuple[Finding, ...]) -> set[tuple[str, str]]:
    """Kind of finding and name of array."""
    return {(finding.kind, finding.array) for finding in findings}


SHARED = "__global__ void k(float *a) {{ __shared__ float s[64]; int i = threadIdx.x;\n{} }}"

CASES = {
    "missing barrier": (
        "__global__ void k(float *a) { __shared__ float s[64]; int i = threadIdx.x;\n"
        "s[i] = a[i];\n/**/ a[i] = i ? s[i - 1] : 0; }",
        "/**/",
        "__syncthreads();",
        "k<<<1, 64>>>(a)",
        {("race", "s")},
    ),
    "missing barrier at the end of a loop": (
        "__global__ void k(float *a, float *b) { __shared__ float s[32]; float x = 0;\n"
        "for (int r = 0; r < 2; ++r) { s[threadIdx.x] = a[r * 32 + threadIdx.x]; __syncthreads();\n"
        "x += s[31 - threadIdx.x]; /**/ }\n b[threadIdx.x] = x; }",
        "/**/",
        "__syncthreads();",
        "k<<<1, 32>>>(a, b)",
        {("race", "s")},
    ),
    "race between blocks": (
        "__global__ void k(float *b) { b[threadIdx.x] = 1; }",
        "threadIdx.x]",
        "blockIdx.x * 32 + threadIdx.x]",
        "k<<<2, 32>>>(b)",
        {("race", "b")},
    ),
    "block reads what another writes": (
        "__global__ void k(float *a) { int i = blockIdx.x * 32 + threadIdx.x; "
        "__syncthreads(); a[i] = a[(i + 1) % 64]; }",
        "(i + 1) % 64",
        "i",
        "k<<<2, 32>>>(a)",
        {("race", "a")},
    ),
    "plain access beside atomics": (
        "__global__ void k(float *a) { if (threadIdx.x == 3) a[0] = a[0] + 1; else atomicAdd(a, 1.0f); }",
        "a[0] = a[0] + 1",
        "atomicAdd(a, 2.0f)",
        "k<<<2, 32>>>(a)",
        {("race", "a")},
    ),
    "shared scalar": (
        "__global__ void k(float *a) { __shared__ float total; "
        "if (threadIdx.x == 0) total = a[0];\n/**/ a[threadIdx.x] = total; }",
        "/**/",
        "__syncthreads();",
        "k<<<1, 64>>>(a)",
        {("race", "total")},
    ),
    "device variable": (
        "__device__ float sums[4];\n__global__ void k(float *a) { sums[blockIdx.x * 0] += a[0]; }",
        "* 0",
        "* 1",
        "k<<<4, 1>>>(a)",
        {("race", "sums")},
    ),
    "lanes without __syncwarp": (
        "__global__ void k(float *b) { __shared__ float s[32]; int i = threadIdx.x; s[i] = i; /**/ b[i] = s[i ^ 1]; }",
        "/**/",
        "__syncwarp();",
        "k<<<1, 32>>>(b)",
        {("race", "s")},
    ),
    "read beyond the end": (
        "__global__ void k(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x + 1]; }",
        "x + 1",
        "x",
        "k<<<1, 64>>>(a, b)",
        {("out-of-bounds", "a")},
    ),
    "write before the start": (
        "__global__ void k(float *b) { b[(int)threadIdx.x - 1] = 1; }",
        "- 1]",
        "]",
        "k<<<1, 64>>>(b)",
        {("out-of-bounds", "b")},
    ),
    "one shared array runs into the next": (
        "__global__ void k(float *b) { __shared__ float s[16], t[16]; t[threadIdx.x] = 1;\n"
        "s[threadIdx.x + 1] = 2; b[threadIdx.x] = t[threadIdx.x] + s[threadIdx.x + 1]; }",
        " + 1]",
        "]",
        "k<<<1, 16>>>(b)",
        {("out-of-bounds", "s")},
    ),
    "dynamic shared memory": (
        "__global__ void k(float *b) { extern __shared__ float d[]; "
        "d[threadIdx.x + 1] = 2; b[threadIdx.x] = d[threadIdx.x + 1]; }",
        " + 1]",
        "]",
        "k<<<1, 16, 64>>>(b)",
        {("out-of-bounds", "d")},
    ),
    "shared array of a template": (
        "template <class T, int N> __global__ void k(T *b) { __shared__ T s[N], t[N]; int i = threadIdx.x; t[i] = 1;\n"
        "s[i + 1] = 2; b[i] = s[i + 1] + t[i]; }",
        " + 1]",
        "]",
        "k<float, 16><<<1, 16>>>(b)",
        {("out-of-bounds", "s")},
    ),
    "device variable beyond the end": (
        "__constant__ float coefficients[16];\n__global__ void k(float *b) { "
        "b[threadIdx.x] = coefficients[threadIdx.x + 8]; }",
        " + 8]",
        "]",
        "k<<<1, 16>>>(b)",
        {("out-of-bounds", "coefficients")},
    ),
    "use after free": (
        "__global__ void k(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }",
        "",
        "",
        "cudaFree(a); k<<<1, 64>>>(a, b)",
        {("use-after-free", "a")},
    ),
    "device memory nobody wrote": (
        "__global__ void k(float *a, float *b) { a[threadIdx.x] = b[threadIdx.x]; }",
        "= b",
        "= a",
        "k<<<1, 64>>>(a, b)",
        {("uninitialised", "b")},
    ),
    "shared memory nobody wrote in this block": (
        "__global__ void k(float *b) { __shared__ float s[32]; if (blockIdx.x == 0) s[threadIdx.x] = 1;\n"
        "b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x]; }",
        "if (blockIdx.x == 0)",
        "",
        "k<<<2, 32>>>(b)",
        {("uninitialised", "s")},
    ),
    "use of what a fetch copied though nobody wrote it": (
        FETCH
        + "__global__ void k(float *b, float *a) { __shared__ float s[64]; tile_fetch(s, b, 64); __syncthreads();\n"
        "a[threadIdx.x] = s[threadIdx.x]; }",
        "a[threadIdx.x] = s",
        "if (threadIdx.x == 99) a[threadIdx.x] = s",
        "k<<<1, 64>>>(b, a)",
        {("uninitialised", "s")},
    ),
    "use of what a write-back copied": (
        FETCH
        + "__global__ void k(float *a, float *b) { __shared__ float s[64]; if (threadIdx.x != 7) s[threadIdx.x] = 1;\n"
        "__syncthreads(); tile_write_back(b, s, 0, 64); __syncthreads(); a[threadIdx.x] = b[threadIdx.x]; }",
        "if (threadIdx.x != 7)",
        "",
        "k<<<1, 64>>>(a, b)",
        {("uninitialised", "b")},
    ),
    "a function that only sounds like a copy": (
        "__device__ __forceinline__ float k_fetched(const float *b) { return b[threadIdx.x]; }\n"
        "__global__ void k(float *a, float *b) { a[threadIdx.x] = k_fetched(b); }",
        "k_fetched(b)",
        "k_fetched(a)",
        "k<<<1, 64>>>(a, b)",
        {("uninitialised", "b")},
    ),
    "write-back of a neighbour's cells": (
        FETCH
        + "__global__ void k(float *a, float *b) { __shared__ float s[64]; tile_fetch(s, a, 64); __syncthreads();\n"
        "tile_write_back(b, s, blockIdx.x * 32, blockIdx.x * 32 + 33 - blockIdx.x); }",
        "33 - blockIdx.x",
        "32",
        "k<<<2, 32>>>(a, b)",
        {("race", "b")},
    ),
    "use of what a fetch copied and a later block writes": (
        FETCH + "__global__ void k(float *a) { __shared__ float s[33]; int i = blockIdx.x * 32 + threadIdx.x;\n"
        "tile_fetch(s, a + blockIdx.x * 32, 33 - blockIdx.x); __syncthreads();\n"
        "a[i] = s[threadIdx.x + 1 - blockIdx.x]; }",
        "s[threadIdx.x + 1 - blockIdx.x]",
        "s[threadIdx.x]",
        "k<<<2, 32>>>(a)",
        {("race", "a")},
    ),
    "use of what a fetch copied and an earlier block wrote": (
        FETCH + "__global__ void k(float *a) { __shared__ float s[33]; int i = blockIdx.x * 32 + threadIdx.x;\n"
        "tile_fetch(s, a + blockIdx.x * 31, 33); __syncthreads(); a[i] = s[blockIdx.x ? threadIdx.x : 0]; }",
        "s[blockIdx.x ? threadIdx.x : 0]",
        "s[threadIdx.x + blockIdx.x]",
        "k<<<2, 32>>>(a)",
        {("race", "a")},
    ),
    "use of what a fetch copied before another thread wrote it": (
        FETCH + "__global__ void k(float *a, float *b) { __shared__ float s[64]; int i = threadIdx.x;\n"
        "tile_fetch(s, a, 64); /**/ a[63 - i] = 1; __syncthreads(); b[i] = s[i]; }",
        "/**/",
        "__syncthreads();",
        "k<<<1, 64>>>(a, b)",
        {("race", "a")},
    ),
    "use of what a fetch copied after another thread wrote it": (
        FETCH + "__global__ void k(float *a, float *b) { __shared__ float s[64]; int i = threadIdx.x;\n"
        "a[63 - i] = 1; /**/ tile_fetch(s, a, 64); __syncthreads(); a[i] = 2; b[i] = s[63 - i]; }",
        "/**/",
        "__syncthreads();",
        "k<<<1, 64>>>(a, b)",
        {("race", "a")},
    ),
    "use of characters that a fetch copied": (
        "__device__ __forceinline__ void tile_fetch(char *tile, const char *from) { "
        "for (int i = threadIdx.x; i < 33; i += 32) tile[i] = from[i]; }\n"
        "__global__ void k(char *a) { __shared__ char s[33]; int i = blockIdx.x * 32 + threadIdx.x;\n"
        "tile_fetch(s, a + blockIdx.x * 31); __syncthreads(); a[i] = s[threadIdx.x]; }",
        "= s[threadIdx.x]",
        "= s[threadIdx.x + (blockIdx.x && threadIdx.x == 0)]",
        "k<<<2, 32>>>((char *)a)",
        {("race", "a")},
    ),
    "use of structures that a fetch copied": (
        "struct P { float x, y; };\n"
        "__device__ __forceinline__ void tile_fetch(P *tile, const P *from)\n"
        "{ tile[threadIdx.x] = from[threadIdx.x]; }\n"
        "__global__ void k(P *a) { __shared__ P s[4]; tile_fetch(s, a); __syncthreads();\n"
        "if (threadIdx.x == 0) a[blockIdx.x * 2].y = s[2 - blockIdx.x * 2].y; }",
        "s[2 - blockIdx.x * 2].y",
        "s[blockIdx.x * 2].y + s[1].x",
        "k<<<2, 4>>>((P *)a)",
        {("race", "a")},
    ),
    "use of a member of large structures that a fetch copied": (
        "struct P { double x, y; int n[2]; };\n"
        "__device__ __forceinline__ void tile_fetch(P *tile, const P *from)\n"
        "{ tile[threadIdx.x] = from[threadIdx.x]; }\n"
        "__global__ void k(P *a) { __shared__ P s[4]; tile_fetch(s, a); __syncthreads();\n"
        "if (threadIdx.x == 0) a[blockIdx.x * 2].y = s[2 - blockIdx.x * 2].y; }",
        "s[2 - blockIdx.x * 2].y",
        "s[2 - blockIdx.x * 2].x + s[blockIdx.x * 2].y",
        "k<<<2, 4>>>((P *)a)",
        {("race", "a")},
    ),
    "use of structures nobody wrote": (
        "struct P { float x, y, z; };\n"
        "__device__ __forceinline__ void tile_fetch(P *tile, const P *from)\n"
        "{ tile[threadIdx.x] = from[threadIdx.x]; }\n"
        "__global__ void k(P *b, float *a) { __shared__ P s[4]; tile_fetch(s, b); __syncthreads();\n"
        "if (threadIdx.x == 3) a[0] = s[0].y; }",
        "x == 3",
        "x == 5",
        "k<<<1, 4>>>((P *)b, a)",
        {("uninitialised", "s")},
    ),
    "use of a copy of a copy": (
        FETCH + "__device__ __forceinline__ void k_entry(float *s) { s[2] = s[0]; }\n"
        "__global__ void k(float *a, float *b) { __shared__ float s[3]; tile_fetch(s, a, 2); k_entry(s);\n"
        "if (blockIdx.x == 0) a[0] = 1; else b[0] = s[2]; }",
        "= s[2]",
        "= s[1]",
        "k<<<2, 1>>>(a, b)",
        {("race", "a")},
    ),
    "write-back of what a fetch copied": (
        FETCH + "__global__ void k(float *a, float *b) { __shared__ float s[2]; tile_fetch(s, a, 2);\n"
        "if (blockIdx.x == 0) a[0] = 1; else tile_write_back(b, s, 0, 2); }",
        "0, 2); }",
        "1, 2); }",
        "k<<<2, 1>>>(a, b)",
        {("race", "a")},
    ),
    "mask nobody cleared": (
        MASKED + "__global__ void k(float *b) { __shared__ float s[32]; __shared__ bool dirty[32];\n"
        "int i = threadIdx.x; s[i] = 1; /**/ __syncthreads(); tile_write_back(b, s, dirty); }",
        "/**/",
        "dirty[i] = i < 9;",
        "k<<<1, 32>>>(b)",
        {("uninitialised", "dirty")},
    ),
    "tags nobody set": (
        "__device__ __forceinline__ int k_entry(const long long *tags, long long index) { "
        "for (int e = 0; e < 4; ++e) if (tags[e] == index) return e;\nreturn 0; }\n"
        "__global__ void k(float *b) { __shared__ long long tags[4]; /**/ b[0] = k_entry(tags, 5); }",
        "/**/",
        "for (int e = 0; e < 4; ++e) tags[e] = -1;",
        "k<<<1, 1>>>(b)",
        {("uninitialised", "tags")},
    ),
    "mask tested and cleared before anybody set it": (
        "__device__ __forceinline__ void k_fetch(bool *dirty, float *b) { if (dirty[0]) dirty[0] = false; b[0] = 1; }\n"
        "__global__ void k(float *b) { __shared__ bool dirty[1]; /**/ k_fetch(dirty, b); }",
        "/**/",
        "dirty[0] = true;",
        "k<<<1, 1>>>(b)",
        {("uninitialised", "dirty")},
    ),
    "host array": (
        "static float host_array[64];\n__global__ void k(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }",
        "",
        "",
        "k<<<1, 64>>>(host_array, b)",
        {("host-pointer", "host_array")},
    ),
    "host stack": (
        "__global__ void k(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }",
        "",
        "",
        "k<<<1, 64>>>(h, b)",
        {("host-pointer", "")},
    ),
    "barrier in a divergent branch": (
        "__global__ void k(float *b) { if (threadIdx.x < 32) { __syncthreads(); b[threadIdx.x] = 1; } }",
        "threadIdx.x < 32",
        "blockIdx.x < 32",
        "k<<<1, 64>>>(b)",
        {("barrier-divergence", "")},
    ),
    "threads at different barriers": (
        "__global__ void k(float *b) { if (threadIdx.x < 32) __syncthreads(); "
        "else __syncthreads(); b[threadIdx.x] = 1; }",
        "threadIdx.x < 32",
        "blockIdx.x < 32",
        "k<<<1, 64>>>(b)",
        {("barrier-divergence", "")},
    ),
    "memcpy": (
        "__global__ void k(float *a, float *b) { int n = 17 * blockDim.x; "
        "memcpy(b + threadIdx.x * 16, a + threadIdx.x * 16, n); }",
        ", n)",
        ", sizeof(float) * blockDim.x * 4)",
        "k<<<1, 4>>>(a, b)",
        {("race", "b"), ("out-of-bounds", "a"), ("out-of-bounds", "b")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_finds(run_cu: Runner, name: str) -> None:
    kernel, _, _, launch, expected = CASES[name]
    found = kinds(check(run_cu, kernel, launch))
    # a missing barrier also shows as a value that is not there yet
    assert expected <= found <= expected | {("uninitialised", array) for _, array in expected}


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][1]])
def test_correct_twin(run_cu: Runner, name: str) -> None:
    kernel, wrong, right, launch, _ = CASES[name]
    assert wrong in kernel
    for seed in (None, 7):
        assert [str(finding) for finding in check(run_cu, kernel.replace(wrong, right), launch, seed)] == []


CLEAN = {
    "neighbouring bytes": (
        "__global__ void k(char *c) { c[threadIdx.x] = 1; c[threadIdx.x] += 1; }",
        "k<<<1, 256>>>((char *)b)",
    ),
    "neighbouring halves": (
        "__global__ void k(short *c) { __shared__ short s[128]; int i = threadIdx.x; s[i] = i; c[i] = s[i];\n"
        "__syncthreads(); c[i] = s[127 - i]; }",
        "k<<<1, 128>>>((short *)b)",
    ),
    "bytes after words": (
        "__global__ void words(int *c) { c[threadIdx.x] = 1; }\n__global__ void k(char *c) { c[threadIdx.x] += 1; }\n",
        "words<<<1, 64>>>((int *)a); k<<<1, 256>>>((char *)a)",
    ),
    "doubles and structures": (
        "struct S { float x, y, z; };\n__global__ void k(S *s, double *d) { S v = s[threadIdx.x]; v.y = 1;\n"
        "__syncthreads(); s[threadIdx.x] = v; d[threadIdx.x] = v.x; d[threadIdx.x] += 1; }",
        "k<<<1, 16>>>((S *)a, (double *)b)",
    ),
    "padding of structures": (
        "struct P { char c; double d; }; struct Q { char c; int i; };\n"
        "__global__ void k(P *p, Q *q) { int i = threadIdx.x; p[i].c = 1; p[i].d = 2; q[i].c = 1; q[i].i = 2;\n"
        "P v = p[i]; Q w = q[i]; __syncthreads(); p[7 - i] = v; q[7 - i] = w; }",
        "float *c; cudaMalloc(&c, 256); k<<<1, 8>>>((P *)b, (Q *)c)",
    ),
    "fetch of what nobody wrote, no use": (
        FETCH
        + "__global__ void k(float *b, float *a) { __shared__ float s[64]; tile_fetch(s, b, 64); __syncthreads();\n"
        "if (threadIdx.x < 4) { s[threadIdx.x] = 1; a[threadIdx.x] = s[threadIdx.x]; }\n"
        "__syncthreads(); tile_write_back(b, s, 0, 64); }",
        "k<<<1, 64>>>(b, a)",
    ),
    "entries of a software cache move before they are filled": (
        "__device__ __forceinline__ int k_entry(float *tile, int *tags) {\n"
        "    for (int e = 3; e > 0; --e) { tile[e] = tile[e - 1]; tags[e] = tags[e - 1]; }\n"
        "    return 0;\n}\n"
        "__global__ void k(float *a, float *b) { __shared__ float tile[4]; __shared__ int tags[4];\n"
        "for (int e = 0; e < 4; ++e) tags[e] = -1;\n"
        "for (int i = 0; i < 6; ++i) { int e = k_entry(tile, tags); tags[e] = i; tile[e] = a[i]; b[i] = tile[e]; } }",
        "k<<<1, 1>>>(a, b)",
    ),
    "local arrays": (
        "__device__ __noinline__ float sum(const float *v, int n) { "
        "float s = 0; for (int i = 0; i < n; ++i) s += v[i]; return s; }\n"
        "__global__ void k(float *b) { float v[8]; for (int i = 0; i < 8; "
        "++i) v[i] = i; b[blockIdx.x * 32 + threadIdx.x] = sum(v, 8); }",
        "k<<<2, 32>>>(b)",
    ),
    "constants of the program": (
        "__device__ float at(int i) { static const float t[4] = {1, 2, 3, 4}; return t[i & 3]; }\n"
        "__global__ void k(float *b) { b[threadIdx.x] = at(threadIdx.x); }",
        "k<<<1, 32>>>(b)",
    ),
    "successive launches": (
        "__global__ void k(float *a, float *b) { int i = threadIdx.x; b[i] = a[63 - i]; }",
        "k<<<1, 64>>>(a, b); k<<<1, 64>>>(b, a); cudaMemset(b, 0, 256); k<<<1, 64>>>(a, b)",
    ),
    "warp reduction": (
        "__global__ void k(float *a, float *b) { __shared__ volatile float s[32]; int i = threadIdx.x; s[i] = a[i];\n"
        "for (int d = 16; d; d /= 2) { __syncwarp(); "
        "float x = i < d ? s[i + d] : 0; __syncwarp(); if (i < d) s[i] = s[i] + x; }\n"
        "if (i == 0) b[0] = s[0]; }",
        "k<<<1, 32>>>(a, b)",
    ),
}


@pytest.mark.parametrize("name", CLEAN)
def test_clean(run_cu: Runner, name: str) -> None:
    kernel, launch = CLEAN[name]
    assert [str(finding) for finding in check(run_cu, kernel, launch)] == []


def test_a_finding_says_who_and_where(run_cu: Runner) -> None:
    kernel = (
        "__global__ void kernel(float *a) {\n    __shared__ float tile[8][8];\n"
        '#line 70 "user.c"\n    tile[threadIdx.y][threadIdx.x] = 1;\n\n'
        "    a[threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n}\n"
    )
    findings = check(run_cu, kernel, "kernel<<<dim3(2, 3), dim3(8, 8)>>>(a)")
    (race,) = [f for f in findings if f.kind == "race" and f.array == "tile" and f.party.access == "write"]
    assert race.kernel == "kernel"
    assert race.other is not None
    assert (str(race.party.location), str(race.other.location)) == ("user.c:70", "user.c:72")
    assert (race.party.block, race.other.block) == ((0, 0, 0), (0, 0, 0))
    assert (race.other.access, race.memory, race.array_elements) == ("read", "shared", 64)
    assert race.element == race.party.thread[1] * 8 + race.party.thread[0]
    assert race.times > 1
    assert str(race).startswith("user.c:70: race in kernel kernel: write at user.c:70 by block (0,0,0) thread ")


def test_other_block_of_a_race(run_cu: Runner) -> None:
    kernel = "__global__ void k(float *b) { if (threadIdx.x == blockIdx.x) b[5] = 1; }"
    (race,) = check(run_cu, kernel, "k<<<3, 4>>>(b)")
    assert race.other is not None
    assert (race.element, race.party.block, race.party.thread) == (5, (1, 0, 0), (1, 0, 0))
    assert (race.other.block, race.other.thread, race.times) == ((0, 0, 0), (0, 0, 0), 2)


def test_the_use_of_a_raced_copy_says_who_copied_and_who_used(run_cu: Runner) -> None:
    kernel = (
        "__device__ __forceinline__ void tile_fetch(float *tile, const float *from) {\n"
        '#line 20 "user.c"\n    tile[threadIdx.x] = from[threadIdx.x];\n}\n'
        "__global__ void k(float *a, float *b) {\n    __shared__ float s[64];\n    tile_fetch(s, a);\n"
        "    __syncthreads();\n    if (blockIdx.x == 0 && threadIdx.x == 9)\n        a[40] = 1;\n"
        "    if (blockIdx.x == 1 && threadIdx.x == 5)\n        b[0] = s[40];\n}\n"
    )
    (race,) = check(run_cu, kernel, "k<<<2, 64>>>(a, b)")
    assert str(race) == (
        "user.c:20: race in kernel k: read at user.c:20 by block (1,0,0) thread (40,0,0), global array a[40] "
        "(it has 64 elements); conflicts with write at user.c:27 by block (0,0,0) thread (9,0,0); "
        "used at user.c:29 by block (1,0,0) thread (5,0,0)"
    )


def test_counters_tell_copy_routines_apart(run_cu: Runner) -> None:
    kernel = (
        FETCH
        + "__global__ void k(float *a, float *b) { __shared__ float s[64]; tile_fetch(s, a, 64); __syncthreads();\n"
        "int i = threadIdx.x; b[i] = s[i] + s[63 - i]; atomicAdd(a, 0.0f); }"
    )
    result = run_cu(f"{kernel}{HOST.replace('LAUNCH', 'k<<<1, 64>>>(a, b)')}", check=True)
    (k,) = result.counters
    assert (k.kernel, k.launches) == ("k", 1)
    assert (k.copying.global_loads, k.copying.shared_stores, k.copying.shared_loads) == (64, 64, 0)
    assert (k.own.global_stores, k.own.shared_loads, k.own.global_loads, k.own.global_atomics) == (64, 128, 0, 64)
    assert k.total.global_loads == 64


def test_a_kernel_named_like_a_copy_routine_is_none(run_cu: Runner) -> None:
    kernel = "__global__ void data_fetch(float *a, float *b) { a[threadIdx.x] = b[threadIdx.x]; }"
    assert kinds(check(run_cu, kernel, "data_fetch<<<1, 64>>>(a, b)")) == {("uninitialised", "b")}
