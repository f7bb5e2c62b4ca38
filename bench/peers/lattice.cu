/* The peer of bench/kernels/lattice.c: a cell a thread; velocities and weights are constants of the unrolled
   loops, and nothing is multiplied by zero. */
#include "peer.h"
#define Q 9

static __global__ void __launch_bounds__(128) step(int h, int w, const float *__restrict__ from, float *__restrict__ to)
{
    constexpr int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    constexpr float weight[Q] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                                 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    const int x = 1 + 128 * blockIdx.x + threadIdx.x, y = 1 + blockIdx.y, n = h * w;
    if (x >= w - 1)
        return;
    const float *in = &from[y * w + x];
    float *out = &to[y * w + x];
    float f[Q], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < Q; ++q) {
        f[q] = in[q * n - cy[q] * w - cx[q]];
        rho += f[q];
        if (cx[q])
            ux += cx[q] * f[q];
        if (cy[q])
            uy += cy[q] * f[q];
    }
    ux /= rho;
    uy /= rho;
    const float speed = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int q = 0; q < Q; ++q) {
        const float cu = 3 * ((cx[q] ? cx[q] * ux : 0) + (cy[q] ? cy[q] * uy : 0));
        const float even = weight[q] * rho * (1 + cu + 0.5f * cu * cu - speed);
        out[q * n] = f[q] + 0.6f * (even - f[q]);
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 130), count = Q * n * n;
    ALLOCATE(float, host, count);
    for (int i = 0; i < count; ++i)
        host[i] = 0.1f + (float)input(i) / 64;
    float *from = on_device(host, count), *to = on_device(host, count);
    step<<<dim3(blocks_of(n - 2, 128), n - 2), 128>>>(n, n, from, to);
    to_host(host, to, count);
    REPORT(host, count, (n - 2) * (n - 2));
    return 0;
}
