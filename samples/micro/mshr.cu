// How many loads can be on their way: the paper's Figures 8 and 9.
//
// One lane of each warp makes loads that do not depend on each other. Where the next one has no register, time jumps.
#include "micro.cuh"

constexpr int MOST_LOADS = 16, MOST_WARPS = 32;

template <int LOADS> __global__ void independent_loads(const char *memory, unsigned *cycles)
{
    __shared__ volatile unsigned sink[MOST_WARPS];
    if (threadIdx.x % 32 != 0)
        return;
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    unsigned value[LOADS], sum = 0;
    long long start = clock64();
#pragma unroll
    for (int i = 0; i < LOADS; ++i)
        value[i] = load(memory + (warp + i * warps) * LINE);
#pragma unroll
    for (int i = 0; i < LOADS; ++i)
        sum += value[i];
    use(&sink[warp], sum);
    cycles[warp] = static_cast<unsigned>(clock64() - start);
}

// Cycles of the slowest of some warps that make 1, 2, ... loads each.
template <int LOADS> void measure(int warps, const Buffer<char> &memory, std::vector<unsigned> &found)
{
    if constexpr (LOADS <= MOST_LOADS) {
        Buffer<unsigned> cycles(MOST_WARPS);
        for (int run = 0; run < 3; ++run) // the first one fills L2
            launch(independent_loads<LOADS>, 32 * warps, memory.data, cycles.data);
        CHECK(cudaDeviceSynchronize());
        auto each = cycles.host();
        found.push_back(*std::max_element(each.begin(), each.end()));
        measure<LOADS + 1>(warps, memory, found);
    }
}

int main()
{
    Latencies latencies = measure_latencies();
    unsigned jump = (latencies.miss - latencies.hit) / 2;
    Buffer<char> memory(size_t(MOST_LOADS) * MOST_WARPS * LINE);
    std::printf("\ncycles by the loads of each warp (Figure 9)\nwarps");
    for (int loads = 1; loads <= MOST_LOADS; ++loads)
        std::printf(" %5d", loads);
    std::printf("  loads before a jump\n");
    int registers = 0, of_warp = 0;
    for (int warps = 1; warps <= MOST_WARPS; ++warps) {
        std::vector<unsigned> cycles;
        measure<1>(warps, memory, cycles);
        int before = 1;
        while (before < MOST_LOADS && cycles[before] < cycles[before - 1] + jump)
            ++before;
        std::printf("%5d", warps);
        for (unsigned each : cycles)
            std::printf(" %5u", each);
        std::printf("  %s%d\n", before == MOST_LOADS ? ">= " : "", before);
        registers = std::max(registers, warps * before);
        if (warps == 1)
            of_warp = before;
    }
    std::printf("\nmshrs %s%d\nwarp_mshrs %s%d\n", registers == MOST_LOADS * MOST_WARPS ? ">= " : "", registers,
                of_warp == MOST_LOADS ? ">= " : "", of_warp);
    return 0;
}
