/* The peer of bench/kernels/blend.c: a pixel is loaded and stored as one float4. */
#include "peer.h"

static __global__ void __launch_bounds__(256)
    blend(int n, const float4 *__restrict__ over, const float4 *__restrict__ under, float4 *__restrict__ out)
{
    const int i = 256 * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 a = over[i], b = under[i];
    const float rest = 1 - a.w;
    out[i] = make_float4(a.w * a.x + rest * b.x, a.w * a.y + rest * b.y, a.w * a.z + rest * b.z, a.w + rest * b.w);
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 65536);
    ALLOCATE(float, host, 4 * n);
    FILL(host, 4 * n);
    float4 *over = (float4 *)on_device(host, 4 * n), *under = (float4 *)on_device(host, 4 * n);
    float4 *out = on_device<float4>(NULL, n);
    blend<<<blocks_of(n, 256), 256>>>(n, over, under, out);
    to_host(host, (float *)out, 4 * n);
    REPORT(host, 4 * n, n);
    return 0;
}
