// A CUDA runtime of two pages. Device memory is memory of its own, on MOCK_DEVICES devices. Work in a stream is done as
// late as CUDA allows: when somebody waits for it. MOCK_FAIL=<function> in the environment makes that call fail.
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#define CUDART_VERSION 13000
#define __device__

enum cudaError_t {
    cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaErrorCudartUnloading = 4, cudaErrorNoDevice = 100, cudaErrorInvalidDevice = 101, cudaErrorNotReady = 600,
    cudaErrorLaunchFailure = 719
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2, cudaEnableDefault = 0 };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0 };
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct cudaDeviceProp { char name[256]; };

struct MockStream { int device = 0; std::deque<std::function<void()>> work; size_t done = 0; };
struct MockEvent { int device = 0; MockStream *stream = nullptr; size_t position = 0; };
using cudaStream_t = MockStream *;
using cudaEvent_t = MockEvent *;
using cudaHostFn_t = void (*)(void *);

inline int mock_device = 0;                                 // the current one
inline std::map<char *, std::pair<size_t, int>> mock_memory; // live device memory: bytes, device
inline std::map<char *, size_t> mock_pinned;                // live pinned memory
inline size_t mock_capacity = getenv("MOCK_MEMORY") ? strtoull(getenv("MOCK_MEMORY"), nullptr, 10) : size_t(-1) / 2;
inline std::set<MockStream *> mock_streams;

[[noreturn]] inline void mock_abort(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "mock: %s\n", what);
    _Exit(70);
}
template <class Table> const char *mock_block(const Table &table, const void *pointer)
{
    const auto behind = table.upper_bound(static_cast<char *>(const_cast<void *>(pointer)));
    return behind == table.begin() ? nullptr : std::prev(behind)->first;
}
inline void mock_must_live(const void *pointer, size_t bytes)
{
    const auto block = mock_memory.find(const_cast<char *>(mock_block(mock_memory, pointer)));
    const char *const first = static_cast<const char *>(pointer);
    if (block == mock_memory.end() || first + bytes > block->first + block->second.first)
        mock_abort("access to device memory that is not allocated");
}
inline bool mock_is_pinned(const void *pointer)
{
    const auto block = mock_pinned.find(const_cast<char *>(mock_block(mock_pinned, pointer)));
    return block != mock_pinned.end() && static_cast<const char *>(pointer) < block->first + block->second;
}
inline void mock_advance(MockStream *stream, size_t position)
{
    while (stream != nullptr && stream->done < position) {
        const std::function<void()> next = stream->work.front();
        stream->work.pop_front();
        ++stream->done;
        next();
    }
}
inline void mock_drain(MockStream *stream) { mock_advance(stream, stream ? stream->done + stream->work.size() : 0); }
inline void mock_enqueue(MockStream *stream, std::function<void()> work)
{
    if (stream == nullptr)
        return work();
    if (mock_streams.count(stream) == 0)
        mock_abort("use of a stream that does not exist");
    stream->work.push_back(std::move(work));
}

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
    *count = getenv("MOCK_DEVICES") ? atoi(getenv("MOCK_DEVICES")) : 1;
    return mock_status("cudaGetDeviceCount", cudaErrorNoDevice);
}
inline cudaError_t cudaSetDevice(int device)
{
    mock_device = device;
    return mock_status("cudaSetDevice", cudaErrorInvalidDevice);
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    snprintf(properties->name, sizeof properties->name, "mock %d", device);
    return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int *version) { *version = 13010; return cudaSuccess; }
inline cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *total = mock_capacity;
    *available = mock_capacity - 1;
    return cudaSuccess;
}

inline cudaError_t cudaMalloc(void **device, size_t bytes)
{
    size_t used = 0;
    for (const auto &[start, block] : mock_memory)
        used += block.second == mock_device ? block.first : 0;
    if (used + bytes > mock_capacity)
        return cudaErrorMemoryAllocation;
    *device = memset(malloc(bytes), 0xee, bytes);
    mock_memory[static_cast<char *>(*device)] = {bytes, mock_device};
    return mock_status("cudaMalloc", cudaErrorMemoryAllocation);
}
inline cudaError_t cudaFree(void *device) // at once, whatever the streams still hold: what they do with it then is an error
{
    if (device != nullptr && mock_memory.erase(static_cast<char *>(device)) == 0)
        mock_abort("free of device memory that is not allocated");
    free(device);
    return mock_status("cudaFree", cudaErrorLaunchFailure);
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    void *const place = const_cast<void *>(pointer);
    const auto block = mock_memory.find(const_cast<char *>(mock_block(mock_memory, pointer)));
    if (block != mock_memory.end() && static_cast<char *>(place) < block->first + block->second.first)
        *attributes = {cudaMemoryTypeDevice, block->second.second, place, nullptr};
    else
        *attributes = {cudaMemoryTypeUnregistered, 0, nullptr, place};
    return cudaSuccess;
}
inline cudaError_t cudaMallocHost(void **host, size_t bytes)
{
    *host = malloc(bytes);
    mock_pinned[static_cast<char *>(*host)] = bytes;
    return mock_status("cudaMallocHost", cudaErrorMemoryAllocation);
}
inline cudaError_t cudaFreeHost(void *host)
{
    mock_pinned.erase(static_cast<char *>(host));
    free(host);
    return cudaSuccess;
}

// Of pageable host memory, the host waits for downloads, and uploads are read at the call, before earlier work is done.
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    const auto move = [=](const void *source) {
        if (kind != cudaMemcpyDeviceToHost)
            mock_must_live(to, bytes);
        if (kind != cudaMemcpyHostToDevice)
            mock_must_live(from, bytes);
        memmove(to, source, bytes);
    };
    if (kind == cudaMemcpyHostToDevice && !mock_is_pinned(from)) {
        const std::vector<char> staged(static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
        mock_enqueue(stream, [=] { move(staged.data()); });
    } else {
        mock_enqueue(stream, [=] { move(from); });
        if (kind == cudaMemcpyDeviceToHost && !mock_is_pinned(to))
            mock_drain(stream);
    }
    return mock_status("cudaMemcpyAsync", cudaErrorLaunchFailure);
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cudaMemcpyAsync(to, from, bytes, kind, nullptr);
    return mock_status("cudaMemcpy", cudaErrorLaunchFailure);
}

inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream)
{
    for (size_t row = 0; row < height; ++row)
        cudaMemcpyAsync(static_cast<char *>(to) + row * to_pitch, static_cast<const char *>(from) + row * from_pitch, width, kind, stream);
    return mock_status("cudaMemcpy2DAsync", cudaErrorLaunchFailure);
}
inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                                cudaMemcpyKind kind)
{
    cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
    return mock_status("cudaMemcpy2D", cudaErrorLaunchFailure);
}
inline cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    mock_enqueue(stream, [=] {
        mock_must_live(memory, bytes);
        memset(memory, value, bytes);
    });
    return mock_status("cudaMemsetAsync", cudaErrorLaunchFailure);
}
inline cudaError_t cudaMemset(void *memory, int value, size_t bytes) { return cudaMemsetAsync(memory, value, bytes, nullptr); }
inline cudaError_t cudaMemcpyPeerAsync(void *to, int device_to, const void *from, int device_from, size_t bytes, cudaStream_t stream)
{
    for (const auto &[pointer, device] : {std::pair<const void *, int>(to, device_to), {from, device_from}})
        if (mock_memory.find(const_cast<char *>(mock_block(mock_memory, pointer)))->second.second != device)
            mock_abort("memory of another device");
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = new MockStream;
    (*stream)->device = mock_device;
    mock_streams.insert(*stream);
    return mock_status("cudaStreamCreateWithFlags", cudaErrorLaunchFailure);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    mock_drain(stream);
    mock_streams.erase(stream);
    delete stream;
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    mock_drain(stream);
    return mock_status("cudaStreamSynchronize", cudaErrorLaunchFailure);
}
inline cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) // each question lets one piece of work be done
{
    if (stream == nullptr || stream->work.empty())
        return cudaSuccess;
    mock_advance(stream, stream->done + 1);
    return cudaErrorNotReady;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = new MockEvent{mock_device, nullptr, 0};
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (stream != nullptr && stream->device != event->device)
        mock_abort("an event of one device in a stream of another");
    event->stream = stream;
    event->position = stream ? stream->done + stream->work.size() : 0;
    return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    const MockEvent reached = *event;
    mock_enqueue(stream, [reached] {
        if (mock_streams.count(reached.stream) > 0)
            mock_advance(reached.stream, reached.position);
    });
    return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    mock_enqueue(stream, [=] { function(argument); });
    return mock_status("cudaLaunchHostFunc", cudaErrorLaunchFailure);
}
inline int mock_context(void **context) { *context = &mock_device; return 0; }
inline cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **entry, unsigned, int, cudaDriverEntryPointQueryResult *found)
{
    if (strcmp(name, "cuCtxGetCurrent") != 0)
        mock_abort("no such entry point");
    *entry = reinterpret_cast<void *>(mock_context);
    *found = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return mock_status("cudaGetLastError", cudaErrorLaunchFailure); }
inline cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return mock_status("cudaFuncSetAttribute", cudaErrorLaunchFailure); }
