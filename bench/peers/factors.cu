/* The peer of bench/kernels/factors.c: a matrix a thread, in registers, all loops unrolled; sixteen bytes a load. */
#include "peer.h"
#define N 6

static __global__ void __launch_bounds__(64) factor(int batch, float *__restrict__ m)
{
    const int b = 64 * blockIdx.x + threadIdx.x;
    if (b >= batch)
        return;
    float x[N * N];
#pragma unroll
    for (int i = 0; i < N * N; i += 4)
        *(float4 *)&x[i] = *(const float4 *)&m[b * N * N + i];
#pragma unroll
    for (int k = 0; k < N; ++k)
#pragma unroll
        for (int i = k + 1; i < N; ++i) {
            x[i * N + k] /= x[k * N + k];
#pragma unroll
            for (int j = k + 1; j < N; ++j)
                x[i * N + j] -= x[i * N + k] * x[k * N + j];
        }
#pragma unroll
    for (int i = 4; i < N * N; i += 4) /* of the first row only the last two elements, beside others that change */
        *(float4 *)&m[b * N * N + i] = *(const float4 *)&x[i];
}

int main(int argc, char **argv)
{
    const int batch = (int)size_of(argc, argv, 2048), n = batch * N * N;
    ALLOCATE(float, m, n);
    for (int i = 0; i < n; ++i)
        m[i] = (float)input(i) + (i % (N * N) % (N + 1) == 0) * N;
    float *device = on_device(m, n);
    factor<<<blocks_of(batch, 64), 64>>>(batch, device);
    to_host(m, device, n);
    REPORT(m, n, n);
    return 0;
}
