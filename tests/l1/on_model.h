// A GPU of one thread at a time, as far as samples/micro needs it, whose L1 cache is accache's model.
#pragma once

#include <cstddef>
#include <cstdio>
#include <sys/mman.h>

#define __global__
#define __device__
#define __shared__ static

extern "C" {
// set by test_micro_samples.py
unsigned (*model_cycles_of_load)(unsigned long long address, int policy);
void (*model_store_at)(unsigned long long address);
void (*model_start)(); // of a launch, where L1 is empty
}

struct Index {
    int x;
};
inline Index threadIdx, blockDim;
inline long long model_clock;

inline long long clock64()
{
    return model_clock;
}

inline unsigned model_load(const char *address, int policy)
{
    model_clock += model_cycles_of_load(reinterpret_cast<unsigned long long>(address), policy);
    return 0;
}

inline void model_store(char *address)
{
    model_store_at(reinterpret_cast<unsigned long long>(address));
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), int threads, Arguments... arguments)
{
    model_start();
    blockDim.x = threads;
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
        kernel(arguments...);
}

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum { cudaMemcpyDeviceToHost, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1 };
constexpr size_t ALIGNMENT = size_t(1) << 32; // so that an offset's bits are an address's

template <typename T> cudaError_t cudaMalloc(T **data, size_t bytes)
{
    void *room = mmap(nullptr, bytes + ALIGNMENT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t start = (reinterpret_cast<size_t>(room) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *data = reinterpret_cast<T *>(start);
    return room == MAP_FAILED ? cudaErrorMemoryAllocation : cudaSuccess;
}

inline cudaError_t cudaMemset(void *, int, size_t) { return cudaSuccess; } // it is zero
inline cudaError_t cudaFree(void *) { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline const char *cudaGetErrorString(cudaError_t) { return "no memory"; }

inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int)
{
    __builtin_memcpy(to, from, bytes);
    return cudaSuccess;
}

inline cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = *total = size_t(8) << 30;
    return cudaSuccess;
}

template <typename Kernel> cudaError_t cudaFuncSetAttribute(Kernel *, int, int)
{
    return cudaSuccess;
}

int program(); // main of the sample

extern "C" int run()
{
    int status = program();
    std::fflush(stdout);
    return status;
}
