/* The peer of bench/kernels/heat_change.c: a thread walks down four rows of its column with three values in registers;
 * shuffles, then an exchange of the warps, then one atomic maximum a block, since floats that are not negative have the
 * order of their bits. */
#include "peer.h"

#define ROWS 4

static __global__ void __launch_bounds__(256)
    step(int n, const float *__restrict__ from, float *__restrict__ to, int *__restrict__ change)
{
    __shared__ float of_warps[8];
    const int j = 32 * blockIdx.x + threadIdx.x + 1, first = ROWS * (8 * blockIdx.y + threadIdx.y) + 1;
    float largest = 0;
    if (j < n - 1 && first < n - 1) {
        float above = from[(first - 1) * n + j], own = from[first * n + j];
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            const int i = first + k;
            if (i >= n - 1)
                break;
            const float below = from[(i + 1) * n + j];
            const float next = 0.25f * (from[i * n + j - 1] + from[i * n + j + 1] + above + below);
            to[i * n + j] = next;
            largest = fmaxf(largest, fabsf(next - own));
            above = own;
            own = below;
        }
    }
    for (int lanes = 16; lanes > 0; lanes /= 2)
        largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, lanes));
    if (threadIdx.x == 0)
        of_warps[threadIdx.y] = largest;
    __syncthreads();
    if (threadIdx.y == 0 && threadIdx.x < 8) {
        largest = of_warps[threadIdx.x];
        for (int lanes = 4; lanes > 0; lanes /= 2)
            largest = fmaxf(largest, __shfl_down_sync(0xff, largest, lanes));
        if (threadIdx.x == 0)
            atomicMax(change, __float_as_int(largest));
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    int none = 0;
    float *from = on_device(a, n * n), *to = on_device(b, n * n);
    int *change = on_device(&none, 1);
    const dim3 grid(blocks_of(n - 2, 32), blocks_of(n - 2, ROWS * 8));
    step<<<grid, dim3(32, 8)>>>(n, from, to, change);
    to_host(b, to, n * n);
    to_host(&none, change, 1);
    memcpy(&b[0], &none, sizeof none);
    REPORT(b, n * n, (n - 2) * (n - 2));
    return 0;
}
