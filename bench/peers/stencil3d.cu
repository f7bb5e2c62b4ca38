/* The peer of bench/kernels/stencil3d.c: each thread walks along eight planes and keeps its own column in registers. */
#include "peer.h"
#define PLANES 8

static __global__ void __launch_bounds__(128) step(int n, const double *__restrict__ u, double *__restrict__ v)
{
    const int k = 1 + 32 * blockIdx.x + threadIdx.x, j = 1 + 4 * blockIdx.y + threadIdx.y, first = 1 + PLANES * blockIdx.z;
    if (j >= n - 1 || k >= n - 1)
        return;
    const size_t plane = (size_t)n * n;
    const double *in = &u[first * plane + j * n + k];
    double *out = &v[first * plane + j * n + k];
    double before = in[-(long)plane], own = in[0];
#pragma unroll
    for (int i = 0; i < PLANES; ++i) {
        if (first + i >= n - 1)
            break;
        const double next = in[plane];
        *out = own + 0.1 * (before + next + in[-n] + in[n] + in[-1] + in[1] - 6 * own);
        before = own;
        own = next;
        in += plane;
        out += plane;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 66);
    ALLOCATE(double, host, n * n * n);
    FILL(host, n * n * n);
    double *u = on_device(host, n * n * n), *v = on_device(host, n * n * n);
    step<<<dim3(blocks_of(n - 2, 32), blocks_of(n - 2, 4), blocks_of(n - 2, PLANES)), dim3(32, 4)>>>(n, u, v);
    to_host(host, v, n * n * n);
    REPORT(host, n * n * n, (n - 2) * (n - 2) * (n - 2));
    return 0;
}
