// Warp scans, match and reduce of warps, a function pointer as kernel, cudaLaunchKernel, bit intrinsics, a lambda on the host.
#include <algorithm>
#include <functional>
#include <vector>

#include "check.h"

__device__ int scan_warp(int value) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int offset = 1; offset < 32; offset <<= 1) {
        int other = __shfl_up_sync(0xffffffffu, value, offset);
        if (lane >= offset) value += other;
    }
    return value;
}

template <int THREADS> __global__ void scan(int *data, int n) {
    __shared__ int sums[THREADS / 32];
    const int i = threadIdx.x, lane = i & 31, warp = i >> 5;
    int value = scan_warp(i < n ? data[i] : 0);
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = scan_warp(lane < THREADS / 32 ? sums[lane] : 0);
        if (lane < THREADS / 32) sums[lane] = sum;
    }
    __syncthreads();
    if (warp > 0) value += sums[warp - 1];
    if (i < n) data[i] = value;
}

__global__ void bits(const unsigned *in, unsigned *out) {
    const unsigned x = in[threadIdx.x];
    unsigned *mine = out + threadIdx.x * 10;
    mine[0] = __brev(x);
    mine[1] = __popc(x) + 100 * __clz(x) + 10000 * __ffs(x);
    mine[2] = __byte_perm(x, ~x, 0x5140);
    mine[3] = __funnelshift_l(x, ~x, 7);
    mine[4] = __umulhi(x, 0x9e3779b9u);
    mine[5] = __match_any_sync(0xffffffffu, x & 3);
    mine[6] = __reduce_add_sync(0xffffffffu, x & 0xffu);
    mine[7] = __shfl_xor_sync(0xffffffffu, x, 5);
    mine[8] = __all_sync(0xffffffffu, x > 3) + 2 * __any_sync(0xffffffffu, x == 0);
    mine[9] = (unsigned)(__umul64hi(x * 0x100000001ull, ~0ull) >> 3) + __usad(x, 5u, 1u);
}

__global__ void scale(float *data, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

int main() {
    const int n = 250;
    std::vector<int> host(n), expected(n);
    int sum = 0;
    for (int i = 0; i < n; ++i) host[i] = i % 13 - 4, expected[i] = sum += host[i];
    int *data;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    CHECK(cudaMemcpy(data, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void (*kernel)(int *, int) = scan<256>;
    kernel<<<1, 256>>>(data, n);
    CHECK(cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool right = host == expected;

    std::vector<unsigned> in(32), out(320);
    std::generate(in.begin(), in.end(), [state = 12345u]() mutable { return state = state * 1664525u + 1013904223u; });
    unsigned *device_in, *device_out;
    CHECK(cudaMalloc(&device_in, 32 * 4));
    CHECK(cudaMalloc(&device_out, 320 * 4));
    CHECK(cudaMemcpy(device_in, in.data(), 32 * 4, cudaMemcpyHostToDevice));
    bits<<<1, 32>>>(device_in, device_out);
    CHECK(cudaMemcpy(out.data(), device_out, 320 * 4, cudaMemcpyDeviceToHost));
    unsigned bytes = 0;
    for (unsigned x : in) bytes += x & 0xff;
    for (int lane = 0; lane < 32; ++lane) {
        const unsigned x = in[lane], *mine = &out[lane * 10];
        unsigned same = 0;
        for (int other = 0; other < 32; ++other) same |= unsigned((in[other] & 3) == (x & 3)) << other;
        right = right && mine[3] == (~x << 7 | x >> 25) && mine[4] == (unsigned)(x * 0x9e3779b9ull >> 32);
        right = right && mine[5] == same && mine[6] == bytes && mine[7] == in[lane ^ 5] && mine[8] == 1;
        right = right && mine[2] == ((x & 0xff) | (~x & 0xff) << 8 | (x >> 8 & 0xff) << 16 | (~x >> 8 & 0xff) << 24);
    }

    float *values, factor = 1.5f, first = 4;
    int count = 1;
    CHECK(cudaMalloc(&values, sizeof(float)));
    CHECK(cudaMemcpy(values, &first, sizeof first, cudaMemcpyHostToDevice));
    void *arguments[] = {&values, &factor, &count};
    CHECK(cudaLaunchKernel((void *)scale, dim3(1), dim3(32), arguments, 0, nullptr));
    CHECK(cudaLaunchKernel(scale, 1, 32, arguments));
    CHECK(cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost));
    return verdict(right && first == 9);
}
