/* The peer of bench/kernels/tridiagonal.c: a system a thread, all loops unrolled so that it stays in registers; sixteen
   bytes a load. */
#include "peer.h"
#define N 16

static __device__ void load(float (&to)[N], const float *__restrict__ from)
{
#pragma unroll
    for (int i = 0; i < N; i += 4) {
        const float4 four = *(const float4 *)&from[i];
        to[i] = four.x;
        to[i + 1] = four.y;
        to[i + 2] = four.z;
        to[i + 3] = four.w;
    }
}

static __global__ void __launch_bounds__(64) solve(int systems, const float *__restrict__ low, const float *__restrict__ mid,
                                                   const float *__restrict__ up, float *__restrict__ x)
{
    const int s = 64 * blockIdx.x + threadIdx.x;
    if (s >= systems)
        return;
    float l[N], m[N], c[N], d[N];
    load(l, &low[s * N]);
    load(m, &mid[s * N]);
    load(c, &up[s * N]);
    load(d, &x[s * N]);
    c[0] /= m[0];
    d[0] /= m[0];
#pragma unroll
    for (int i = 1; i < N; ++i) {
        const float w = m[i] - l[i] * c[i - 1];
        c[i] /= w;
        d[i] = (d[i] - l[i] * d[i - 1]) / w;
    }
#pragma unroll
    for (int i = N - 2; i >= 0; --i)
        d[i] -= c[i] * d[i + 1];
#pragma unroll
    for (int i = 0; i < N; i += 4)
        *(float4 *)&x[s * N + i] = make_float4(d[i], d[i + 1], d[i + 2], d[i + 3]);
}

int main(int argc, char **argv)
{
    const int systems = (int)size_of(argc, argv, 2048), n = systems * N;
    ALLOCATE(float, low, n);
    ALLOCATE(float, mid, n);
    ALLOCATE(float, x, n);
    FILL(low, n);
    FILL(x, n);
    for (int i = 0; i < n; ++i)
        mid[i] = 4 + (float)input(i);
    float *l = on_device(low, n), *m = on_device(mid, n), *u = on_device(low, n), *result = on_device(x, n);
    solve<<<blocks_of(systems, 64), 64>>>(systems, l, m, u, result);
    to_host(x, result, n);
    REPORT(x, n, n);
    return 0;
}
