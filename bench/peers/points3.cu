/* The peer of bench/kernels/points3.c: a point a thread, the coordinates of a block staged in shared memory. */
#include "peer.h"
#define THREADS 128

static __constant__ float matrix[9];

static __global__ void __launch_bounds__(THREADS) turn(int n, const float *__restrict__ p, float *__restrict__ q)
{
    __shared__ __align__(16) float points[3 * THREADS];
    const int t = threadIdx.x, first = 3 * THREADS * blockIdx.x, left = min(3 * n - first, 3 * THREADS);
    for (int k = 4 * t; k < left; k += 4 * THREADS) {
        if (k + 4 <= left) {
            *(float4 *)&points[k] = *(const float4 *)&p[first + k];
        } else {
            for (int e = k; e < left; ++e)
                points[e] = p[first + e];
        }
    }
    __syncthreads();
    if (3 * t < left) {
        const float x = points[3 * t], y = points[3 * t + 1], z = points[3 * t + 2];
#pragma unroll
        for (int c = 0; c < 3; ++c)
            points[3 * t + c] = matrix[3 * c] * x + matrix[3 * c + 1] * y + matrix[3 * c + 2] * z;
    }
    __syncthreads();
    for (int k = 4 * t; k < left; k += 4 * THREADS) {
        if (k + 4 <= left) {
            *(float4 *)&q[first + k] = *(const float4 *)&points[k];
        } else {
            for (int e = k; e < left; ++e)
                q[first + e] = points[e];
        }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1 << 15);
    float m[9];
    ALLOCATE(float, p, 3 * n);
    ALLOCATE(float, q, 3 * n);
    FILL(m, 9);
    FILL(p, 3 * n);
    cudaMemcpyToSymbol(matrix, m, sizeof m);
    float *from = on_device(p, 3 * n), *to = on_device<float>(NULL, 3 * n);
    turn<<<blocks_of(n, THREADS), THREADS>>>(n, from, to);
    to_host(q, to, 3 * n);
    REPORT(q, 3 * n, n);
    return 0;
}
