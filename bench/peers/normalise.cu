/* The peer of bench/kernels/normalise.c: a warp a row, which it keeps in registers. */
#include "peer.h"
#define WIDTH 256

static __global__ void __launch_bounds__(128) normalise(int rows, const float *__restrict__ in, float *__restrict__ out)
{
    const int r = 4 * blockIdx.x + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    const float4 *from = (const float4 *)&in[r * WIDTH];
    float4 *to = (float4 *)&out[r * WIDTH];
    const float4 u = from[lane], v = from[lane + 32];
    float x[8] = {u.x, u.y, u.z, u.w, v.x, v.y, v.z, v.w};
    float mean = 0, variance = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        mean += x[k];
    mean = sum_of_warp(mean) / WIDTH;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        variance += (x[k] - mean) * (x[k] - mean);
    variance = sum_of_warp(variance) / WIDTH;
    const float root = sqrtf(variance + 1e-5f);
#pragma unroll
    for (int k = 0; k < 8; ++k)
        x[k] = (x[k] - mean) / root;
    to[lane] = make_float4(x[0], x[1], x[2], x[3]);
    to[lane + 32] = make_float4(x[4], x[5], x[6], x[7]);
}

int main(int argc, char **argv)
{
    const int rows = (int)size_of(argc, argv, 256);
    ALLOCATE(float, in, rows * WIDTH);
    ALLOCATE(float, out, rows * WIDTH);
    FILL(in, rows * WIDTH);
    float *from = on_device(in, rows * WIDTH), *to = on_device<float>(NULL, rows * WIDTH);
    normalise<<<blocks_of(rows, 4), 128>>>(rows, from, to);
    to_host(out, to, rows * WIDTH);
    REPORT(out, rows * WIDTH, rows * WIDTH);
    return 0;
}
