// cudaMalloc, cudaMemcpy and their relatives.
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "accache_cpu/host_api.h"
#include "accache_cpu/host_symbols.h"
#include "capture.h"
#include "check.h"
#include "device_memory.h"
#include "errors.h"

using accache_cpu::Allocation;
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

// The variables whose addresses the program has asked for.
struct Symbols {
    std::mutex mutex;
    std::map<const char *, size_t> sizes;
};
Symbols &symbols() {
    static auto *all = new Symbols;
    return *all;
}

bool in_symbol(const void *pointer, size_t bytes) {
    std::lock_guard<std::mutex> lock(symbols().mutex);
    const char *first = static_cast<const char *>(pointer);
    auto after = symbols().sizes.upper_bound(first);
    if (after == symbols().sizes.begin()) return false;
    const auto &[start, size] = *std::prev(after);
    return static_cast<size_t>(first - start) <= size && bytes <= size - static_cast<size_t>(first - start);
}

bool on_device(const void *pointer, size_t bytes) {
    return device_memory().in_arena(pointer) ? device_memory().holds(pointer, bytes) : in_symbol(pointer, bytes);
}
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
    check::before_copy(to, from, bytes);
    std::memmove(to, from, bytes);
    check::copied(to, from, bytes);
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes) { return allocate(pointer, bytes, Kind::plain); }
cudaError_t accache_cpu_allocate_array(void **pointer, size_t bytes) { return allocate(pointer, bytes, Kind::array); }
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

// Kernels may use pinned memory as it is: it is managed memory under another name.
cudaError_t cudaMallocHost(void **pointer, size_t bytes, unsigned flags) { return cudaMallocManaged(pointer, bytes, flags); }
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) { return cudaMallocManaged(pointer, bytes, flags); }
cudaError_t cudaFreeHost(void *pointer) { return cudaFree(pointer); }
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned) {
    *device = device_memory().is_managed(host) ? host : nullptr;
    return *device ? cudaSuccess : remember(cudaErrorNotSupported);  // of registered memory
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    *flags = cudaHostAllocMapped;
    return device_memory().is_managed(host) ? cudaSuccess : remember(cudaErrorInvalidValue);
}
cudaError_t cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    *total = device_memory().capacity();
    *available = *total - device_memory().used();
    return cudaSuccess;
}

// cuMemGetAddressRange: the allocation, or the variable, that a pointer leads into; 1 is CUDA_ERROR_INVALID_VALUE.
static int address_range(unsigned long long *start, size_t *bytes, unsigned long long pointer) {
    const void *place = reinterpret_cast<const void *>(pointer);
    const Allocation *found = device_memory().in_arena(place) ? device_memory().at_or_below(place) : nullptr;
    if (!found || !device_memory().holds(place, 0)) return 1;
    *start = reinterpret_cast<unsigned long long>(found->start);
    *bytes = found->bytes;
    return 0;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult *status) {
    const bool is_known = strcmp(symbol, "cuMemGetAddressRange") == 0;
    *function = is_known ? reinterpret_cast<void *>(address_range) : nullptr;
    if (status) *status = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *status) {
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
    void *p = const_cast<void *>(pointer);
    if (device_memory().is_managed(pointer)) *attributes = {cudaMemoryTypeManaged, 0, p, p};
    else if (device_memory().holds(pointer, 0)) *attributes = {cudaMemoryTypeDevice, 0, p, nullptr};
    else *attributes = {cudaMemoryTypeUnregistered, 0, nullptr, p};
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    check::enqueue(nullptr, true);
    return copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    check::enqueue(stream, false);
    return copy(to, from, bytes, kind);
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                             cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) return remember(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row) {
        cudaError_t error = copy(static_cast<char *>(to) + row * to_pitch,
                                 static_cast<const char *>(from) + row * from_pitch, width, kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    check::enqueue(nullptr, true);
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    check::enqueue(stream, false);
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    check::enqueue(stream, false);
    if (to_device != 0 || from_device != 0) return remember(cudaErrorInvalidDevice);
    return copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
    *pointer = {nullptr, 0, extent.width, extent.height};
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}
static cudaError_t copy_planes(const cudaMemcpy3DParms *p) {
    if (!p) return remember(cudaErrorInvalidValue);
    auto place = [](const cudaPitchedPtr &pointer, const cudaPos &at, size_t z) {
        return static_cast<char *>(pointer.ptr) + ((at.z + z) * pointer.ysize + at.y) * pointer.pitch + at.x;
    };
    for (size_t z = 0; z < p->extent.depth; ++z) {
        cudaError_t error = copy_rows(place(p->dstPtr, p->dstPos, z), p->dstPtr.pitch, place(p->srcPtr, p->srcPos, z),
                                      p->srcPtr.pitch, p->extent.width, p->extent.height, p->kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
    check::enqueue(nullptr, true);
    return copy_planes(p);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
    check::enqueue(stream, false);
    return copy_planes(p);
}

void accache_cpu_symbol(const void *address, size_t bytes) {
    std::lock_guard<std::mutex> lock(symbols().mutex);
    symbols().sizes[static_cast<const char *>(address)] = bytes;
}

cudaError_t accache_cpu_symbol_copy(void *to, const void *from, size_t bytes, size_t offset, size_t size) {
    if (cudaError_t error = accache_cpu::context_error()) return remember(error);
    if (offset > size || bytes > size - offset) return remember(cudaErrorInvalidValue);
    std::memmove(to, from, bytes);
    check::copied(to, from, bytes);
    return cudaSuccess;
}

static cudaError_t fill(void *pointer, int value, size_t bytes) {
    if (cudaError_t error = accache_cpu::context_error()) return remember(error);
    if (bytes == 0) return cudaSuccess;
    if (!on_device(pointer, bytes)) return remember(cudaErrorInvalidValue);
    std::memset(pointer, value, bytes);
    check::written(pointer, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
    check::enqueue(nullptr, false);
    return fill(pointer, value, bytes);
}
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
    check::enqueue(stream, false);
    return fill(pointer, value, bytes);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch) return remember(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row)
        if (cudaError_t error = cudaMemset(static_cast<char *>(pointer) + row * pitch, value, width)) return error;
    return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
    return cudaMemset2D(pointer, pitch, value, width, height);
}
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
    for (size_t z = 0; z < extent.depth; ++z) {
        char *plane = static_cast<char *>(pointer.ptr) + z * pointer.ysize * pointer.pitch;
        if (cudaError_t error = cudaMemset2D(plane, pointer.pitch, value, extent.width, extent.height)) return error;
    }
    return cudaSuccess;
}

void accache_cpu_label(const void *device, size_t bytes, const char *name, size_t element_bytes) {
    check::labelled(device, bytes, name, element_bytes);
    accache_cpu::capture::labelled(device, bytes, name, element_bytes);
}

void accache_cpu_begins(const void *device, size_t bytes) { check::begins(device, bytes); }
}
