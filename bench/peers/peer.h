/* What the hand-written peers share. A peer does the work of the program of its name, with the same arguments, input and
   order of additions where that is fixed, and prints the same checksum. It keeps IEEE divisions and square roots. */
#pragma once
#include <cuda_runtime.h>

#include "../kernels/problem.h"

template <typename T> static T *on_device(const T *host, size_t count)
{
    T *device;
    cudaMalloc((void **)&device, count * sizeof(T));
    if (host)
        cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

template <typename T> static void to_host(T *host, const T *device, size_t count)
{
    cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost);
}

static inline int blocks_of(int count, int size)
{
    return (count + size - 1) / size;
}

/* The sum of a value over the lanes of a warp, in each of them. */
template <typename T> static __device__ T sum_of_warp(T value)
{
    for (int step = 16; step; step /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

/* The random numbers of the samples, and what they print. */
static inline float uniform(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) * (1.0f / 16777216);
}

template <typename T> static int report_mean(const T *result, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += result[i];
    printf("mean %.9g\n", sum / count);
    return 0;
}
