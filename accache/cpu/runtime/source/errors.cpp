#include "errors.h"

#include <atomic>

#include "accache_cpu/host_api.h"

namespace accache_cpu {

static thread_local cudaError_t last = cudaSuccess;
static std::atomic<cudaError_t> broken{cudaSuccess};

cudaError_t context_error() { return broken; }

cudaError_t remember(cudaError_t error) {
    if (error == cudaSuccess) error = broken;
    if (error != cudaSuccess) last = error;
    return error;
}

void break_context(cudaError_t error) { broken = error; }

struct ErrorText {
    cudaError_t error;
    const char *name, *text;
};

static const ErrorText error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "driver shutting down"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

static const ErrorText *text_of(cudaError_t error) {
    for (const ErrorText &text : error_texts)
        if (text.error == error) return &text;
    return nullptr;
}

}  // namespace accache_cpu

extern "C" {

const char *cudaGetErrorName(cudaError_t error) {
    const accache_cpu::ErrorText *text = accache_cpu::text_of(error);
    return text ? text->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    const accache_cpu::ErrorText *text = accache_cpu::text_of(error);
    return text ? text->text : "unrecognized error code";
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = accache_cpu::last;
    accache_cpu::last = accache_cpu::broken;
    return error;
}

cudaError_t cudaPeekAtLastError(void) { return accache_cpu::last; }
}
