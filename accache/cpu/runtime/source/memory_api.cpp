// cudaMalloc, cudaMemcpy and their relatives.
#include <cstdlib>
#include <cstring>

#include "accache_cpu/host_api.h"
#include "capture.h"
#include "check.h"
#include "device_memory.h"
#include "errors.h"

using accache_cpu::device_memory;
using accache_cpu::Kind;
using accache_cpu::remember;
namespace check = accache_cpu::check;

namespace {

cudaError_t allocate(void **pointer, size_t bytes, Kind kind) {
    if (!pointer) return remember(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (cudaError_t error = accache_cpu::context_error()) return remember(error);
    if (bytes == 0) return cudaSuccess;
    *pointer = device_memory().allocate(bytes, kind);
    return *pointer ? cudaSuccess : remember(cudaErrorMemoryAllocation);
}

bool on_device(const void *pointer, size_t bytes) { return device_memory().holds(pointer, bytes); }
bool on_host(const void *pointer) {
    return !device_memory().in_arena(pointer) || device_memory().is_managed(pointer);
}

// Whether both ends of a copy lie where its kind says.
bool legal(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    switch (kind) {
    case cudaMemcpyHostToHost: return on_host(to) && on_host(from);
    case cudaMemcpyHostToDevice: return on_device(to, bytes) && on_host(from);
    case cudaMemcpyDeviceToHost: return on_host(to) && on_device(from, bytes);
    case cudaMemcpyDeviceToDevice: return on_device(to, bytes) && on_device(from, bytes);
    case cudaMemcpyDefault:
        return (on_host(to) || on_device(to, bytes)) && (on_host(from) || on_device(from, bytes));
    }
    return false;
}

cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    if (cudaError_t error = accache_cpu::context_error()) return remember(error);
    if (bytes == 0) return cudaSuccess;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return remember(cudaErrorInvalidMemcpyDirection);
    if (!to || !from || !legal(to, from, bytes, kind)) return remember(cudaErrorInvalidValue);
    std::memmove(to, from, bytes);
    check::copied(to, from, bytes);
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes) { return allocate(pointer, bytes, Kind::plain); }
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned) {
    cudaError_t error = allocate(pointer, bytes, Kind::managed);
    // The host may write managed memory unseen.
    if (error == cudaSuccess && bytes) check::written(*pointer, bytes);
    return error;
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return allocate(pointer, *pitch * height, Kind::plain);
}

cudaError_t cudaFree(void *pointer) {
    if (cudaError_t error = accache_cpu::context_error()) return remember(error);
    if (!pointer || device_memory().release(pointer, false)) return cudaSuccess;
    return remember(cudaErrorInvalidValue);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t) { return cudaFree(pointer); }

cudaError_t cudaMallocHost(void **pointer, size_t bytes, unsigned) {
    *pointer = std::malloc(bytes);
    return *pointer || !bytes ? cudaSuccess : remember(cudaErrorMemoryAllocation);
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) { return cudaMallocHost(pointer, bytes, flags); }
cudaError_t cudaFreeHost(void *pointer) {
    std::free(pointer);
    return cudaSuccess;
}
cudaError_t cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    *total = device_memory().capacity();
    *available = *total - device_memory().used();
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
    void *p = const_cast<void *>(pointer);
    if (device_memory().is_managed(pointer)) *attributes = {cudaMemoryTypeManaged, 0, p, p};
    else if (device_memory().holds(pointer, 0)) *attributes = {cudaMemoryTypeDevice, 0, p, nullptr};
    else *attributes = {cudaMemoryTypeUnregistered, 0, nullptr, p};
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return copy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return remember(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row) {
        cudaError_t error = copy(static_cast<char *>(to) + row * to_pitch,
                                 static_cast<const char *>(from) + row * from_pitch, width, kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t) {
    if (to_device != 0 || from_device != 0) return remember(cudaErrorInvalidDevice);
    return copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
    if (cudaError_t error = accache_cpu::context_error()) return remember(error);
    if (bytes == 0) return cudaSuccess;
    if (!on_device(pointer, bytes)) return remember(cudaErrorInvalidValue);
    std::memset(pointer, value, bytes);
    check::written(pointer, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t) {
    return cudaMemset(pointer, value, bytes);
}

void accache_cpu_label(const void *device, size_t bytes, const char *name, size_t element_bytes) {
    check::labelled(device, bytes, name, element_bytes);
    accache_cpu::capture::labelled(device, bytes, name, element_bytes);
}
}
