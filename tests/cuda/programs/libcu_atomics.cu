// libcu++'s atomics: counters, a hand-over by release and acquire, maxima, and numbers that are no integers.
#include <cuda/atomic>

#include "check.h"

__device__ cuda::atomic<int, cuda::thread_scope_device> total;

__global__ void count(int *plain, float *sum, int *flag, int *data, int *out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> in_block;
    if (threadIdx.x == 0) in_block.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    in_block.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(0.5f);
    cuda::atomic_ref<int, cuda::thread_scope_device> largest(*plain);
    largest.fetch_max((int)(blockIdx.x * blockDim.x + threadIdx.x), cuda::std::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) total += in_block.load();
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (threadIdx.x == 1 && blockIdx.x == 1) {
        data[0] = 41;
        ready.store(1, cuda::memory_order_release);
    }
    if (threadIdx.x == 1 && blockIdx.x == 0) {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        int expected = 1;
        out[0] = data[0] + ready.compare_exchange_strong(expected, 2);
    }
}

__global__ void read_total(int *out) { out[1] = total; }

int main() {
    int *memory, host[5];
    CHECK(cudaMalloc(&memory, sizeof host));
    CHECK(cudaMemset(memory, 0, sizeof host));
    count<<<3, 40>>>(memory, (float *)(memory + 1), memory + 2, memory + 3, memory + 4);
    CHECK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    float sum;
    CHECK(cudaMemcpy(&sum, memory + 1, 4, cudaMemcpyDeviceToHost));
    read_total<<<1, 1>>>(memory);
    int all;
    CHECK(cudaMemcpy(&all, memory + 1, 4, cudaMemcpyDeviceToHost));
    return verdict(host[0] == 119 && sum == 60 && host[2] == 2 && host[4] == 42 && all == 120);
}
