/* The peer of samples/strided.c: four outputs a thread, whose elements it loads sixteen bytes at a time. */
#include "peer.h"
#define RATE 3
#define OFFSET 4
#define LENGTH 5
#define THREADS 256

static __global__ void __launch_bounds__(THREADS) strided(int n, const float *__restrict__ a, float *__restrict__ b)
{
    const int i = 4 * (THREADS * blockIdx.x + threadIdx.x);
    const float *from = &a[RATE * i + OFFSET];
    if (i + 4 < n) { /* also what lies behind the last of the four outputs is there */
        float x[16];
#pragma unroll
        for (int k = 0; k < 16; k += 4)
            *(float4 *)&x[k] = *(const float4 *)&from[k];
        float sum[4] = {};
#pragma unroll
        for (int o = 0; o < 4; ++o)
#pragma unroll
            for (int j = 0; j < LENGTH; ++j)
                sum[o] += x[RATE * o + j];
        *(float4 *)&b[i] = make_float4(sum[0] / LENGTH, sum[1] / LENGTH, sum[2] / LENGTH, sum[3] / LENGTH);
    } else {
        for (int o = 0; i + o < n && o < 4; ++o) {
            float sum = 0;
            for (int j = 0; j < LENGTH; ++j)
                sum += from[RATE * o + j];
            b[i + o] = sum / LENGTH;
        }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 4096), count = RATE * (n - 1) + OFFSET + LENGTH;
    unsigned seed = 1;
    ALLOCATE(float, a, count);
    ALLOCATE(float, b, n);
    for (int i = 0; i < count; ++i)
        a[i] = uniform(&seed);
    float *from = on_device(a, count), *to = on_device<float>(NULL, n);
    strided<<<blocks_of(n, 4 * THREADS), THREADS>>>(n, from, to);
    to_host(b, to, n);
    return report_mean(b, n);
}
