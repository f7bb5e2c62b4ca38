// How long a launch takes: it is made again and again between two CUDA events, after some that warm up, until there are
// SAMPLES times or LONGEST milliseconds are over. Short ones are made several times between two events.
//
// A line for each launch is appended to the file that ACCACHE_TIMES names: kernel, grid, block, and milliseconds. When
// nothing was launched for PATIENCE seconds, SIGALRM ends the program: what follows only compares results.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <vector>

namespace launch_timer {

constexpr int WARM_UPS = 3, SAMPLES = 30, LAUNCHES = 64, PATIENCE = 2;
constexpr float SHORT = 0.2f;     // milliseconds between two events at least
constexpr float LONGEST = 1500; // milliseconds for all samples of a launch

inline void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "launch timer: %s\n", cudaGetErrorString(error));
        std::_Exit(1);
    }
}

template <typename Launch> float milliseconds(Launch launch, int times, cudaStream_t stream)
{
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    check(cudaEventRecord(start, stream));
    for (int i = 0; i < times; ++i)
        check(launch());
    check(cudaEventRecord(stop, stream));
    check(cudaEventSynchronize(stop));
    float found;
    check(cudaEventElapsedTime(&found, start, stop));
    check(cudaEventDestroy(start));
    check(cudaEventDestroy(stop));
    return found / times;
}

template <typename Launch> void measure(const char *name, dim3 grid, dim3 block, cudaStream_t stream, Launch launch)
{
    static int launches = 0;
    const char *path = std::getenv("ACCACHE_TIMES");
    if (path == nullptr || ++launches > LAUNCHES)
        return;
    for (int i = 0; i < WARM_UPS; ++i)
        check(launch());
    int times = static_cast<int>(std::ceil(SHORT / std::fmax(milliseconds(launch, 1, stream), SHORT / 100)));
    std::vector<float> found;
    for (float spent = 0; found.size() < SAMPLES && (spent < LONGEST || found.size() < 3); spent += found.back() * times)
        found.push_back(milliseconds(launch, times, stream));
    std::FILE *file = std::fopen(path, "a");
    if (file == nullptr)
        std::_Exit(1);
    std::fprintf(file, "%s %u,%u,%u %u,%u,%u", name, grid.x, grid.y, grid.z, block.x, block.y, block.z);
    for (float each : found)
        std::fprintf(file, " %.6g", each);
    std::fprintf(file, "\n");
    std::fclose(file);
    alarm(PATIENCE);
}

} // namespace launch_timer
