// Reads lines of limits, threads and shared bytes; prints the resident blocks that NVIDIA's own header computes.
#include <climits>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include <cuda_occupancy.h>

int main()
{
    int arch, threads_per_sm;
    size_t shared_per_sm, shared_per_block, reserved, threads, shared;
    while (std::scanf("%d %zu %zu %zu %d %zu %zu", &arch, &shared_per_sm, &shared_per_block, &reserved,
                      &threads_per_sm, &threads, &shared) == 7) {
        cudaOccDeviceProp device;
        device.computeMajor = arch / 10;
        device.computeMinor = arch % 10;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = threads_per_sm;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 48 * 1024;
        device.sharedMemPerMultiprocessor = shared_per_sm;
        device.sharedMemPerBlockOptin = shared_per_block;
        device.reservedSharedMemPerBlock = reserved;
        device.numSms = 1;
        bool dynamic = shared > 48 * 1024;
        cudaOccFuncAttributes kernel;
        kernel.maxThreadsPerBlock = INT_MAX;
        kernel.numRegs = 16; // so few that they never are the limit
        kernel.sharedSizeBytes = dynamic ? 0 : shared;
        kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
        kernel.shmemLimitConfig = dynamic ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
        kernel.maxDynamicSharedSizeBytes = dynamic ? shared : 0;
        kernel.numBlockBarriers = 1;
        kernel.virtualResourceCount = 0;
        cudaOccDeviceState state;
        cudaOccResult result;
        cudaOccError status =
            cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, (int)threads, dynamic ? shared : 0);
        std::printf("%d\n", status == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -(int)status);
    }
}
