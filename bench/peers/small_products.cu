/* The peer of bench/kernels/small_products.c: a row of a product a thread, sixteen bytes at a time. */
#include "peer.h"

static __global__ void __launch_bounds__(128)
    multiply(int rows, const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ c)
{
    const int r = 128 * blockIdx.x + threadIdx.x;
    if (r >= rows)
        return;
    const float4 u = a[r], *of = &b[r / 4 * 4];
    const float4 p = of[0], q = of[1], s = of[2], t = of[3];
    c[r] = make_float4(u.x * p.x + u.y * q.x + u.z * s.x + u.w * t.x, u.x * p.y + u.y * q.y + u.z * s.y + u.w * t.y,
                       u.x * p.z + u.y * q.z + u.z * s.z + u.w * t.z, u.x * p.w + u.y * q.w + u.z * s.w + u.w * t.w);
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 2048);
    ALLOCATE(float, a, 16 * n);
    ALLOCATE(float, b, 16 * n);
    ALLOCATE(float, c, 16 * n);
    FILL(a, 16 * n);
    FILL(b, 16 * n);
    float *left = on_device(a, 16 * n), *right = on_device(b, 16 * n), *product = on_device<float>(NULL, 16 * n);
    multiply<<<blocks_of(4 * n, 128), 128>>>(4 * n, (const float4 *)left, (const float4 *)right, (float4 *)product);
    to_host(c, product, 16 * n);
    REPORT(c, 16 * n, 16 * n);
    return 0;
}
