// Functions of the CUDA runtime for host code. Everything is synchronous: a stream is only a name.
#pragma once

#include "host_types.h"
#include "vector_types.h"

#ifdef __cplusplus
#define ACCACHE_CPU_DEFAULT(value) = value
extern "C" {
#else
#define ACCACHE_CPU_DEFAULT(value)
#endif

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags ACCACHE_CPU_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocHost(void **pointer, size_t bytes, unsigned flags ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
/* Of the driver's interface there is cuMemGetAddressRange alone. */
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaMemset(void *pointer, int value, size_t bytes);
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream ACCACHE_CPU_DEFAULT(0));

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted);
cudaError_t cudaInitDevice(int device, unsigned flags, unsigned which);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetPCIBusId(char *name, int length, int device);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *argument, unsigned flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes ACCACHE_CPU_DEFAULT(0),
                                     unsigned flags ACCACHE_CPU_DEFAULT(cudaMemAttachSingle));
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream ACCACHE_CPU_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

// cudaMalloc for an array of a C program: it need not begin where the widest access may, so that a plain run can end at an
// access behind its last byte.
cudaError_t accache_cpu_allocate_array(void **pointer, size_t bytes);
// Gives an allocation a name and an element size for the checker's findings; the plain build ignores it.
void accache_cpu_label(const void *device, size_t bytes, const char *name, size_t element_bytes);
// So many bytes of its array lie in front of an allocation that has a name.
void accache_cpu_begins(const void *device, size_t bytes);

// What the run-time library of OpenACC tells: the directive that is executed, memory of the host with a copy on the
// device, a part of it that came from there or did not although its mapping ends, what a reduction gave (kind f:
// floating-point, i: integer, b: else), the end of a construct or data region.
void accache_cpu_at(const char *file, int line);
void accache_cpu_mapped(const void *host, const void *device, size_t bytes);
void accache_cpu_unmapped(const void *host);
void accache_cpu_element(const void *host, size_t element_bytes);
void accache_cpu_downloaded(const void *host, size_t bytes, const void *array, const char *name);
void accache_cpu_dropped(const void *host, size_t bytes, const char *name);
void accache_cpu_result(const void *host, size_t count, size_t element_bytes, char kind);
void accache_cpu_region_ends(void);
// Whether this is the sequential program of `accache run --compare`: it runs constructs on the host, and its transfers
// move nothing there. Between these two it calls a construct's stub, and then executes the construct.
int accache_cpu_is_sequential(void);
void accache_cpu_defer(void);
void accache_cpu_settle(void);

static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent extent = {width, height, depth};
    return extent;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos position = {x, y, z};
    return position;
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height) {
    struct cudaPitchedPtr pitched = {pointer, pitch, width, height};
    return pitched;
}

#ifdef __cplusplus
}

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes) {
    return cudaMalloc(reinterpret_cast<void **>(pointer), bytes);
}
template <class T> static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned flags = 1) {
    return cudaMallocManaged(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned flags = 0) {
    return cudaMallocHost(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags) {
    return cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(reinterpret_cast<void **>(pointer), bytes, stream);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) {
    return cudaHostGetDevicePointer(reinterpret_cast<void **>(device), host, flags);
}
// Where managed memory lies is of no account; CUDA 12 and 13 name the place differently.
template <class... Place> static inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, Place...) { return cudaSuccess; }
template <class... Place> static inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, Place...) {
    return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}
#endif
#undef ACCACHE_CPU_DEFAULT
