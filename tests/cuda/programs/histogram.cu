// Atomics in shared and global memory, compare-and-swap, a namespace, vector loads, volatile.
#include <cstdint>
#include <vector>

#include "check.h"

namespace image {

constexpr int bins = 64;

__global__ void histogram(const uchar4 *pixels, unsigned int *counts, int n) {
    __shared__ unsigned int local[bins];
    for (int i = threadIdx.x; i < bins; i += blockDim.x) local[i] = 0;
    __syncthreads();
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const uchar4 p = pixels[i];
        atomicAdd(&local[p.x % bins], 1);
        atomicAdd(&local[p.y % bins], 1u);
        atomicInc(&local[p.z % bins], 0xffffffffu);
        atomicAdd(local + p.w % bins, 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (local[i]) atomicAdd(counts + i, local[i]);
}

namespace {
__device__ float largest_so_far(float *address, float value) {
    int *bits = (int *)address, old = *bits, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value) break;
        old = atomicCAS(bits, assumed, __float_as_int(value));
    } while (assumed != old);
    return __int_as_float(old);
}

__global__ void largest(const unsigned char *values, int n, float *result, volatile int *done) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) largest_so_far(result, values[i] / 2.0f);
    __threadfence();
    if (i == 0) *done = 1;
}
}  // namespace

bool run() {
    const int n = 3000;
    std::vector<unsigned char> bytes(4 * n);
    std::vector<unsigned> expected(bins);
    unsigned char most = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<unsigned char>(i * i % 251);
        ++expected[bytes[i] % bins];
        most = bytes[i] > most ? bytes[i] : most;
    }
    unsigned char *pixels;
    unsigned *counts;
    float *result;
    int *done;
    CHECK(cudaMalloc(&pixels, bytes.size()));
    CHECK(cudaMalloc(&counts, bins * sizeof *counts));
    CHECK(cudaMalloc(&result, sizeof *result));
    CHECK(cudaMalloc(&done, sizeof *done));
    CHECK(cudaMemcpy(pixels, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counts, 0, bins * sizeof *counts));
    CHECK(cudaMemset(result, 0, sizeof *result));
    histogram<<<4, 96>>>(reinterpret_cast<uchar4 *>(pixels), counts, n);
    largest<<<(4 * n + 255) / 256, 256>>>(pixels, 4 * n, result, done);
    std::vector<unsigned> found(bins);
    float greatest;
    CHECK(cudaMemcpy(found.data(), counts, bins * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&greatest, result, sizeof greatest, cudaMemcpyDeviceToHost));
    return found == expected && greatest == most / 2.0f;
}

}  // namespace image

int main() {
    bool right = image::run();
    return verdict(right);
}
