// What the microbenchmarks share: checked calls, memory, and loads that are timed one by one.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, #call, __FILE__, __LINE__)

inline void check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
        std::exit(1);
    }
}

constexpr int LINE = 128;

// Zeroed device memory.
template <typename T> struct Buffer {
    T *data = nullptr;
    size_t count;

    explicit Buffer(size_t count) : count(count)
    {
        CHECK(cudaMalloc(&data, count * sizeof(T)));
        CHECK(cudaMemset(data, 0, count * sizeof(T)));
    }
    Buffer(const Buffer &) = delete;
    ~Buffer() { cudaFree(data); }

    std::vector<T> host() const
    {
        std::vector<T> copy(count);
        CHECK(cudaMemcpy(copy.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }
};

enum Policy { CA, CG, NO_ALLOCATE, EVICT_FIRST, EVICT_LAST };

#ifdef __CUDACC__
template <int POLICY = CA> __device__ unsigned load(const char *address)
{
    unsigned value;
    if constexpr (POLICY == CA) // the default; ld.global.ca is another instruction
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    else if constexpr (POLICY == CG)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    else if constexpr (POLICY == NO_ALLOCATE)
        asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    else if constexpr (POLICY == EVICT_FIRST)
        asm volatile("ld.global.L1::evict_first.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    else
        asm volatile("ld.global.L1::evict_last.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

__device__ inline void store(char *address, unsigned value)
{
    asm volatile("st.global.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), int threads, Arguments... arguments)
{
    kernel<<<1, threads>>>(arguments...);
    CHECK(cudaGetLastError());
}
#else
// tests/l1/on_model.h takes the place of a GPU, and the cache model that of its L1.
template <int POLICY = CA> unsigned load(const char *address)
{
    return model_load(address, POLICY);
}

inline void store(char *address, unsigned)
{
    model_store(address);
}
#endif

// Wait for a value: storing it where others might look needs it.
__device__ inline void use(volatile unsigned *sink, unsigned value)
{
    *sink = value;
}

template <int POLICY = CA> __device__ unsigned cycles_of(const char *address, volatile unsigned *sink)
{
    long long start = clock64();
    use(sink, load<POLICY>(address));
    return static_cast<unsigned>(clock64() - start);
}

constexpr int TRIES = 64;

// The first and the second load of each of some lines, both timed.
__global__ void time_twice(const char *memory, unsigned *first, unsigned *second)
{
    __shared__ volatile unsigned sink;
    for (int i = 0; i < TRIES; ++i) {
        first[i] = cycles_of(memory + i * LINE, &sink);
        second[i] = cycles_of(memory + i * LINE, &sink);
    }
}

// Cycles of a load that L1 serves, and of one that L2 does.
struct Latencies {
    unsigned hit, miss;

    // a load that takes longer has missed
    unsigned limit() const { return (hit + miss) / 2; }
};

inline Latencies measure_latencies()
{
    Buffer<char> memory(TRIES * LINE);
    Buffer<unsigned> first(TRIES), second(TRIES);
    for (int run = 0; run < 2; ++run) // the second run finds all in L2
        launch(time_twice, 1, memory.data, first.data, second.data);
    CHECK(cudaDeviceSynchronize());
    auto median = [](std::vector<unsigned> cycles) {
        std::nth_element(cycles.begin(), cycles.begin() + cycles.size() / 2, cycles.end());
        return cycles[cycles.size() / 2];
    };
    Latencies found{median(second.host()), median(first.host())};
    std::printf("hit_cycles %u\nmiss_cycles %u\n", found.hit, found.miss);
    if (found.miss <= found.hit + found.hit / 4) {
        std::printf("no L1 cache is seen: second loads take as long as first ones\n");
        std::exit(1);
    }
    return found;
}

// Leave as little as possible of the memory that L1 is in to shared memory.
template <typename Kernel> void prefer_l1(Kernel *kernel)
{
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1));
}
