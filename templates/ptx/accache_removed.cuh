/* Names that CUDA 13 no longer has, for programs of which only the kernels are compiled: nothing here is ever run. */
#pragma once

#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

struct accache_device_properties : cudaDeviceProp {
    int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, singleToDoublePrecisionPerfRatio;
};
static inline cudaError_t cudaGetDeviceProperties(accache_device_properties *properties, int device)
{
    return cudaGetDeviceProperties(static_cast<cudaDeviceProp *>(properties), device);
}
#define cudaDeviceProp accache_device_properties
#endif
