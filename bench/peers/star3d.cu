/* The peer of bench/kernels/star3d.c: each thread walks along eight planes with nine elements of its column in registers. */
#include "peer.h"
#define R 4
#define PLANES 8

static __constant__ float weights[R + 1];

static __global__ void __launch_bounds__(128) step(int n, const float *__restrict__ u, float *__restrict__ v)
{
    const int k = R + 32 * blockIdx.x + threadIdx.x, j = R + 4 * blockIdx.y + threadIdx.y, first = R + PLANES * blockIdx.z;
    if (j >= n - R || k >= n - R)
        return;
    const size_t plane = (size_t)n * n;
    const float *in = &u[(first - R) * plane + j * n + k];
    float *out = &v[first * plane + j * n + k];
    float column[2 * R + 1];
#pragma unroll
    for (int r = 0; r < 2 * R; ++r)
        column[r] = in[r * plane];
    in += R * plane;
#pragma unroll
    for (int i = 0; i < PLANES; ++i) {
        if (first + i >= n - R)
            break;
        column[2 * R] = in[R * plane];
        float sum = 3 * weights[0] * column[R];
#pragma unroll
        for (int r = 1; r <= R; ++r)
            sum += weights[r] * (column[R - r] + column[R + r] + in[-r * n] + in[r * n] + in[-r] + in[r]);
        *out = 2 * column[R] - *out + sum;
#pragma unroll
        for (int r = 0; r < 2 * R; ++r)
            column[r] = column[r + 1];
        in += plane;
        out += plane;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 136);
    float weight[R + 1];
    ALLOCATE(float, host, n * n * n);
    FILL(weight, R + 1);
    FILL(host, n * n * n);
    cudaMemcpyToSymbol(weights, weight, sizeof weight);
    float *u = on_device(host, n * n * n), *v = on_device(host, n * n * n);
    step<<<dim3(blocks_of(n - 2 * R, 32), blocks_of(n - 2 * R, 4), blocks_of(n - 2 * R, PLANES)), dim3(32, 4)>>>(n, u, v);
    to_host(host, v, n * n * n);
    REPORT(host, n * n * n, (n - 2 * R) * (n - 2 * R) * (n - 2 * R));
    return 0;
}
