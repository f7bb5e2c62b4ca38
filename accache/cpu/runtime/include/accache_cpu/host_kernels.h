// What host code asks about kernels, and launches that take their arguments from an array.
#pragma once

#include <utility>

#include "host_api.h"
#include "launch.h"

extern "C" cudaError_t accache_cpu_function_attribute(const void *function, cudaFuncAttribute attribute, int value);

extern "C" int accache_cpu_resident_blocks(int threads, size_t shared);  // of dynamic shared memory, in bytes

template <class F> static inline cudaError_t cudaFuncSetAttribute(F *function, cudaFuncAttribute attribute, int value) {
    return accache_cpu_function_attribute((const void *)function, attribute, value);
}
template <class F> static inline cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache) { return cudaSuccess; }
template <class F> static inline cudaError_t cudaFuncSetSharedMemConfig(F *, cudaSharedMemConfig) { return cudaSuccess; }
template <class F> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, F *) {
    *attributes = cudaFuncAttributes{0, 0, 0, 1024, 32, 48 * 1024};
    return cudaSuccess;
}
template <class F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *, int threads, size_t shared) {
    *blocks = accache_cpu_resident_blocks(threads, shared);
    return cudaSuccess;
}
template <class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F *, size_t = 0, int limit = 0) {
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    *grid = 2 * 132;
    return cudaSuccess;
}

namespace accache_cpu {

template <class... Parameters, size_t... Index>
inline cudaError_t launch_each(const PlainLaunch<Parameters...> &launch, void **arguments, std::index_sequence<Index...>) {
    launch(*static_cast<std::remove_reference_t<Parameters> *>(arguments[Index])...);
    return cudaPeekAtLastError();
}

// cudaLaunchKernel((void *)kernel, ...), after the rewriter made it launch_array("kernel", kernel, ...).
template <class... Parameters>
inline cudaError_t launch_array(const char *name, void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                                size_t shared = 0, cudaStream_t stream = nullptr) {
    return launch_each(launch(name, kernel, grid, block, shared, stream), arguments,
                       std::index_sequence_for<Parameters...>{});
}

}  // namespace accache_cpu
