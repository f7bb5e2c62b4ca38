// Half precision, alone and in pairs: arithmetic, fused and not, comparisons, conversions, shuffles.
#include <cuda_fp16.h>

#include <cmath>
#include <vector>

#include "check.h"

__global__ void halves(const __half *a, const __half *b, __half *out, int *bits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half x = a[i], y = b[i];
    __half sum = __hadd(x, y) * __float2half(0.5f);
    sum += __hfma(x, y, __float2half_rn(0.25f));
    out[i] = __hgt(x, y) ? sum - x : __hneg(sum / (y + __half(1.0f)));
    bits[i] = __half2int_rz(__hmul(x, __int2half_rn(100))) + (__half_as_ushort(y) & 15) + (x == y);
}

__global__ void pairs(const half2 *a, half2 *out, float *sums, int n) {
    const int i = threadIdx.x;
    half2 v = i < n ? a[i] : __float2half2_rn(0.0f);
    half2 w = __hfma2(v, __lowhigh2highlow(v), __floats2half2_rn(1.0f, -1.0f)) - v;
    if (i < n) out[i] = __hmax2(w, __hmul2(v, v));
    float sum = __low2float(v) + __high2float(v);
    for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (i < n) sums[i] = sum;
}

int main() {
    const int n = 64;
    std::vector<__half> a(n), b(n), out(n);
    for (int i = 0; i < n; ++i) a[i] = __float2half(0.37f * i - 5), b[i] = __float2half(i % 7 * 0.81f);
    __half *device_a, *device_b, *device_out;
    int *bits;
    float *sums, host_sums[32];
    CHECK(cudaMalloc(&device_a, n * sizeof(__half)));
    CHECK(cudaMalloc(&device_b, n * sizeof(__half)));
    CHECK(cudaMalloc(&device_out, n * sizeof(__half)));
    CHECK(cudaMalloc(&bits, n * sizeof(int)));
    CHECK(cudaMalloc(&sums, sizeof host_sums));
    CHECK(cudaMemcpy(device_a, a.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
    halves<<<2, 32>>>(device_a, device_b, device_out, bits, n);
    CHECK(cudaMemcpy(out.data(), device_out, n * sizeof(__half), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; ++i) {
        float x = __half2float(a[i]), y = __half2float(b[i]), sum = (x + y) / 2 + x * y + 0.25f;
        float expected = x > y ? sum - x : -sum / (y + 1);
        right = right && std::fabs(__half2float(out[i]) - expected) <= 0.01f * (std::fabs(x * y) + std::fabs(x) + 1);
    }
    pairs<<<1, 32>>>(reinterpret_cast<half2 *>(device_a), reinterpret_cast<half2 *>(device_out), sums, 32);
    CHECK(cudaMemcpy(host_sums, sums, sizeof host_sums, cudaMemcpyDeviceToHost));
    float total = 0;
    for (__half value : a) total += __half2float(value);
    return verdict(right && std::fabs(host_sums[3] - total) < 0.01f);
}
