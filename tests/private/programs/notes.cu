// What blocks choose is noted by kernels from PTX as by those of a CPU.
#define ACCACHE_PRIVATE_NOTIFY
#include "../../../templates/runtime/accache_private.cuh"
#include <cstdio>

#define BLOCKS 210
#define SETS 20

__device__ unsigned done;

// All threads of the blocks note, and the last block looks up how often which set was noted.
__global__ void count(unsigned *numbers)
{
    using namespace accache_private;
    const unsigned set = blockIdx.x % 7 < 4 ? blockIdx.x % 7 : 1u << blockIdx.x % SETS;
    note(0x80000000u | set);
    __threadfence();
    __shared__ unsigned before;
    __syncthreads();
    if (threadIdx.x == 0)
        before = atomicAdd(&done, 1u);
    __syncthreads();
    if (before != gridDim.x - 1 || threadIdx.x != 0)
        return;
#ifdef __CUDA_ARCH__
    const choices &all = noted;
#else
    const choices &all = noted_aside;
#endif
    for (int set = 0; set < 4; ++set)
        for (int i = 0; i < choices::most; ++i)
            if (all.sets[i] == (0x80000000u | set))
                numbers[set] = all.blocks[i];
    numbers[4] = all.others;
    for (int i = 0; i < choices::most; ++i)
        numbers[4] += all.blocks[i];
}

int main()
{
    unsigned *numbers, found[5];
    cudaMalloc(&numbers, sizeof found);
    cudaMemset(numbers, 0, sizeof found);
    count<<<BLOCKS, 32>>>(numbers);
    cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost);
    std::printf("%u %u\n", found[0] / 32, found[4] / 32);
    cudaFree(numbers);
    return cudaGetLastError() != cudaSuccess;
}
