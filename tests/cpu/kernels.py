"""Kernels that the checker must or must not report.

A case: a kernel, what is wrong in it, what stands there in a correct twin, a launch, and the findings as pairs of
kind and array. Launches have ``a``, 64 floats with values, ``b``, 64 floats nobody wrote, and ``h`` on the host.
"""

from __future__ import annotations

Case = tuple[str, str, str, str, set[tuple[str, str]]]

CASES: dict[str, Case] = {
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
    "shift by all bits": (
        "__global__ void k(float *a) { a[threadIdx.x] = 1 << (32 - threadIdx.x) | 1ull >> threadIdx.x; }",
        "32 - ",
        "31 & ",
        "k<<<1, 32>>>(a)",
        {("wide-shift", "")},
    ),
    "four floats at the address of one": (
        "__global__ void k(float *a, float *b) {\nfloat4 v = *(float4 *)(a + threadIdx.x);\n"
        "b[threadIdx.x] = v.x + v.w; }",
        "a + threadIdx.x",
        "a + 4 * (threadIdx.x & 15)",
        "k<<<1, 32>>>(a, b)",
        {("misaligned", "a")},
    ),
    "store of two floats at the address of one": (
        "__global__ void k(float *b) { __shared__ float s[70];\n"
        "((float2 *)(s + 1))[threadIdx.x] = make_float2(1, 2); b[threadIdx.x] = s[2 * threadIdx.x + 2]; }",
        "s + 1",
        "s + 2",
        "k<<<1, 32>>>(b)",
        {("misaligned", "s")},
    ),
    "integer at the address of a byte": (
        "__global__ void k(float *a, float *b) { b[threadIdx.x] = *(const int *)((const char *)a + 2 * threadIdx.x); }",
        "2 * threadIdx.x",
        "4 * threadIdx.x",
        "k<<<1, 32>>>(a, b)",
        {("misaligned", "a")},
    ),
    "negative shift": (
        "__global__ void k(float *a) { a[threadIdx.x] = 1u >> (int(threadIdx.x) - 1); }",
        " - 1",
        "",
        "k<<<1, 32>>>(a)",
        {("wide-shift", "")},
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
    "end of a block of the heap": (
        "__global__ void k(float *b) { float *t = (float *)malloc(16); t[0 + 4] = 1; b[threadIdx.x] = 1; free(t); }",
        " + 4]",
        "]",
        "k<<<1, 64>>>(b)",
        {("out-of-bounds", "")},
    ),
    "block of the heap that nobody wrote": (
        "__global__ void k(float *b) { float *t = (float *)malloc(16); t[0] = 1; b[threadIdx.x] = t[1]; free(t); }",
        "t[1]",
        "t[0]",
        "k<<<1, 64>>>(b)",
        {("uninitialised", "")},
    ),
    "use of the heap after free": (
        "__global__ void k(float *b) { float *t = (float *)malloc(16); *t = 1; free(t); b[threadIdx.x] = *t; }",
        "free(t); b[threadIdx.x] = *t;",
        "b[threadIdx.x] = *t; free(t);",
        "k<<<1, 64>>>(b)",
        {("use-after-free", "")},
    ),
    "freed twice": (
        "__global__ void k(float *b) { float *t = (float *)malloc(16); b[threadIdx.x] = 1; free(t); free(t); }",
        "free(t); free(t);",
        "free(t);",
        "k<<<1, 64>>>(b)",
        {("use-after-free", "")},
    ),
    "free of memory of the host's": (
        "__global__ void k(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; if (threadIdx.x == 0) free(a); }",
        "free(a)",
        "free(0)",
        "k<<<1, 64>>>(a, b)",
        {("invalid-free", "a")},
    ),
    "free while others read": (
        "__global__ void k(float *b) { __shared__ float *t; if (threadIdx.x == 63) *(t = (float *)malloc(16)) = 1;\n"
        "__syncthreads(); b[threadIdx.x] = *t; /**/ if (threadIdx.x == 63) free(t); }",
        "/**/",
        "__syncthreads();",
        "k<<<1, 64>>>(b)",
        {("race", "")},
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
    "rows of a tile": (
        "__global__ void k(float *a, float *b) { __shared__ float t[8][8]; int x = threadIdx.x, y = threadIdx.y;\n"
        "t[y][x] = a[y * 8 + x];\n__syncthreads();\n"
        "float s = 0; for (int d = -1; d <= 1; d++) s += t[y][x + d]; b[y * 8 + x] = s; }",
        "x + d]",
        "x + d & 7]",
        "k<<<1, dim3(8, 8)>>>(a, b)",
        {("out-of-bounds", "t"), ("index", "")},
    ),
    "bytes over the end of a word": (
        "__global__ void k(char *c) { volatile int n = 6; if (threadIdx.x == 32) *(int *)(c + 4) = 1;\n"
        "if (threadIdx.x == 0) { c[0] = 1; memset(c + 1, 0, n); } }",
        "n = 6",
        "n = 3",
        "k<<<1, 64>>>((char *)a)",
        {("race", "a")},
    ),
}

# kernel and launch
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
