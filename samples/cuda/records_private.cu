// Each thread transforms records of its own, through accache_private.cuh: compare samples/records.c.
#include "../../templates/runtime/accache_private.cuh"
#include <cstdio>
#include <vector>

#define THREADS 512
#define RECORDS 256
#define LINE 16
#define ARRAYS 3

using cache = accache_private::cache<ARRAYS, LINE, true>; // true: the arrays share no bytes

template <class Cache>
__device__ void transform(Cache &cache, const char *a, const int *b, int *out, int start, int end)
{
    size_t records = size_t(gridDim.x) * blockDim.x * RECORDS;
    cache.template bind<0>(a, records, true);
    cache.template bind<1>(b, records * sizeof(int), true);
    cache.template bind<2>(out, records * sizeof(int), false);
    for (int i = start; i < end; ++i) {
        cache.loop_head();
        int value = cache.template read<0>(&a[i]) * 3 + cache.template read<1>(&b[i]);
        cache.template write<2>(&out[i], value);
    }
    cache.flush();
}

__global__ void records_cached(const char *a, const int *b, int *out, int lines)
{
    extern __shared__ unsigned words[];
    unsigned *decision = words + accache_private::words_needed(ARRAYS, lines, blockDim.x, LINE) - ARRAYS - 2;
    if (threadIdx.x < ARRAYS + 2)
        decision[threadIdx.x] = 0;
    __syncthreads();
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    cache mine(words, lines, threadIdx.x, blockDim.x);
    transform(mine, a, b, out, thread * RECORDS, (thread + 1) * RECORDS);
}

__global__ void records_plain(const char *a, const int *b, int *out)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    accache_private::plain<ARRAYS> none;
    transform(none, a, b, out, thread * RECORDS, (thread + 1) * RECORDS);
}

int main()
{
    const int records = THREADS * RECORDS, block = 128;
    std::vector<char> a(records);
    std::vector<int> b(records), out(records), plain(records);
    for (int i = 0; i < records; ++i) {
        a[i] = char(i % 101);
        b[i] = i ^ 0x55;
    }
    char *device_a;
    int *device_b, *device_out;
    cudaMalloc(&device_a, records);
    cudaMalloc(&device_b, records * sizeof(int));
    cudaMalloc(&device_out, records * sizeof(int));
    cudaMemcpy(device_a, a.data(), records, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b.data(), records * sizeof(int), cudaMemcpyHostToDevice);

    int lines = accache_private::lines_per_thread(records_cached, block, ARRAYS, LINE);
    if (lines > 0) {
        accache_private::note_choices(); // with ACCACHE_NOTIFY=1 in the environment
        records_cached<<<THREADS / block, block, accache_private::words_needed(ARRAYS, lines, block, LINE) * 4>>>(
            device_a, device_b, device_out, lines);
        accache_private::tell_choices("records_cached", {"a", "b", "out"}, THREADS / block);
    } else {
        records_plain<<<THREADS / block, block>>>(device_a, device_b, device_out);
    }
    cudaMemcpy(out.data(), device_out, records * sizeof(int), cudaMemcpyDeviceToHost);
    records_plain<<<THREADS / block, block>>>(device_a, device_b, device_out);
    cudaMemcpy(plain.data(), device_out, records * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < records; ++i)
        if (out[i] != a[i] * 3 + b[i] || plain[i] != out[i]) {
            std::printf("record %d is wrong\n", i);
            return 1;
        }
    std::puts("right");
    cudaFree(device_a);
    cudaFree(device_b);
    cudaFree(device_out);
    return cudaGetLastError() != cudaSuccess;
}
