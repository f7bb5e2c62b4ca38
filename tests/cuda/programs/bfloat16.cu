// The upper halves of floats, alone and in pairs: one rounding, to the nearest, of what exact numbers give.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"

enum { sum, difference, product, quotient, fused, root, larger, compared, whole, rows };

__global__ void compute(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const __nv_bfloat16 *c, __nv_bfloat16 *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat16 x = a[i], y = b[i], z = c[i];
    out[sum * n + i] = x + y;
    out[difference * n + i] = __hsub(x, y);
    out[product * n + i] = x * y;
    out[quotient * n + i] = __hdiv(x, y);
    out[fused * n + i] = __hfma(x, y, z);
    out[root * n + i] = hsqrt(__habs(x));
    out[larger * n + i] = __hmax(x, y);
    out[compared * n + i] = __hlt(x, y) ? __float2bfloat16(1.0f) : -y;
    out[whole * n + i] = __int2bfloat16_rn(__bfloat162int_rz(x) * 16777259 + i);
}

__global__ void pairs(const __nv_bfloat162 *a, __nv_bfloat162 *out, float *sums) {
    const int i = threadIdx.x;
    const __nv_bfloat162 v = a[i], two(2.0f, -2.0f);
    out[i] = __hfma2(v, two, __lowhigh2highlow(v)) - v;
    const __half2 h(1.5f, 2.5f);
    sums[i] = __low2float(v) + __high2float(v) + __low2float(h * __half2(__float2half(2.0f), h.x));
}

// Long doubles hold all sums here exactly.
static unsigned short rounded(long double exact) {
    const long double step = exact == 0 ? 1 : std::ldexp(1.0L, std::max(std::ilogb(exact), -126) - 7);
    const float nearest = (float)(std::nearbyint(exact / step) * step);
    unsigned bits;
    std::memcpy(&bits, &nearest, 4);
    return bits >> 16;
}

int main() {
    const int n = 256;
    std::vector<__nv_bfloat16> a(n), b(n), c(n), out(n * rows);
    for (int i = 0; i < n; ++i) {
        a[i] = __float2bfloat16(std::ldexp(1 + i % 13 * 0.0703125f, i % 7 - 3) * (i % 2 ? 1 : -1));
        b[i] = __float2bfloat16(std::ldexp(1 + i % 17 * 0.0546875f, i % 5 - 2));
        c[i] = __float2bfloat16(0.3f * i - 20);
        if (i % 4 == 0) a[i] = b[i] = __float2bfloat16(1.0625f), c[i] = __float2bfloat16(std::ldexp(i % 8 ? 1.0f : -1.0f, -54));
    }
    __nv_bfloat16 *device[3], *device_out;
    for (int k = 0; k < 3; ++k) {
        CHECK(cudaMalloc(&device[k], n * 2));
        CHECK(cudaMemcpy(device[k], (k == 0 ? a : k == 1 ? b : c).data(), n * 2, cudaMemcpyHostToDevice));
    }
    CHECK(cudaMalloc(&device_out, n * rows * 2));
    compute<<<4, 64>>>(device[0], device[1], device[2], device_out, n);
    CHECK(cudaMemcpy(out.data(), device_out, n * rows * 2, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; ++i) {
        const long double x = __bfloat162float(a[i]), y = __bfloat162float(b[i]), z = __bfloat162float(c[i]);
        const long double exact[] = {x + y,       x - y,         x * y,          x / y, x * y + z, std::sqrt(std::fabs(x)),
                                     x > y ? x : y, x < y ? 1 : -y, (long double)((int)x * 16777259 + i)};
        for (int row = 0; row < rows; ++row) {
            const unsigned short got = __bfloat16_as_ushort(out[row * n + i]);
            if (got == rounded(exact[row])) continue;
            std::fprintf(stderr, "row %d of %Lg, %Lg and %Lg: %04x, not %04x\n", row, x, y, z, got, rounded(exact[row]));
            right = false;
        }
    }
    float *sums, host_sums[32];
    CHECK(cudaMalloc(&sums, sizeof host_sums));
    pairs<<<1, 32>>>((const __nv_bfloat162 *)device[0], (__nv_bfloat162 *)device_out, sums);
    CHECK(cudaMemcpy(host_sums, sums, sizeof host_sums, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(out.data(), device_out, 128, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) {
        const float x = __bfloat162float(a[2 * i]), y = __bfloat162float(a[2 * i + 1]);
        const __nv_bfloat16 first = __float2bfloat16(x * 2 + y);
        right = right && __bfloat16_as_ushort(out[2 * i]) == rounded(__bfloat162float(first) - x);
        right = right && host_sums[i] == x + y + 3;
    }
    return verdict(right);
}
