"""Kernels with routines that copy, which use nothing they only hand on (kernels.py says what a case is)."""

from __future__ import annotations

from kernels import Case

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

CASES: dict[str, Case] = {
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
}

CLEAN = {
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
}
