// A CUDA runtime of a page: device memory is memory of its own, and MOCK_FAIL=<function> in the environment makes that call fail.
#pragma once
#include <cstdlib>
#include <cstring>

enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaErrorNoDevice = 100, cudaErrorLaunchFailure = 719 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

inline cudaError_t mock_status(const char *function, cudaError_t failure)
{
    const char *failing = getenv("MOCK_FAIL");
    return failing && !strcmp(failing, function) ? failure : cudaSuccess;
}
inline const char *cudaGetErrorString(cudaError_t status)
{
    return status == cudaErrorNoDevice ? "no CUDA-capable device is detected" : status == cudaSuccess ? "no error" : "mock failure";
}
inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return mock_status("cudaGetDeviceCount", cudaErrorNoDevice);
}
inline cudaError_t cudaMalloc(void **device, size_t bytes)
{
    *device = malloc(bytes);
    memset(*device, 0xee, bytes);
    return mock_status("cudaMalloc", cudaErrorMemoryAllocation);
}
inline cudaError_t cudaFree(void *device) { free(device); return mock_status("cudaFree", cudaErrorLaunchFailure); }
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    memcpy(to, from, bytes);
    return mock_status("cudaMemcpy", cudaErrorLaunchFailure);
}
inline cudaError_t cudaGetLastError() { return mock_status("cudaGetLastError", cudaErrorLaunchFailure); }
inline cudaError_t cudaDeviceSynchronize() { return mock_status("cudaDeviceSynchronize", cudaErrorLaunchFailure); }
inline cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return mock_status("cudaFuncSetAttribute", cudaErrorLaunchFailure); }
