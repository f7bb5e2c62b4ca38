// accache run-time, part 4: what the routines of openacc.h are made of.
#ifndef ACCACHE_ROUTINES_CUH
#define ACCACHE_ROUTINES_CUH
#ifndef ACCACHE_RUNTIME_CUH
#include "accache_runtime.cuh"
#endif
#ifndef _OPENACC_H
#include "openacc.h"
#endif

namespace accache {

struct Routine { // the scope of a call, for messages
    explicit Routine(const char *name) { routine = name; }
    Routine(const Routine &) = delete;
    Routine &operator=(const Routine &) = delete;
    ~Routine() { routine = nullptr; }
};

// ---- Devices ----

inline bool is_gpu(acc_device_t type) { return type == acc_device_nvidia || type == acc_device_not_host; }

inline bool means_host(acc_device_t type) // which of our two types a value stands for
{
    if (type == acc_device_current)
        return on_host();
    if (type == acc_device_default)
        return host_by_default();
    if (type != acc_device_host && !is_gpu(type))
        fatal("there is no device of type %d", type);
    return type == acc_device_host;
}

inline void choose_number(int number, acc_device_t type)
{
    const bool host = type == acc_device_none ? on_host() : means_host(type);
    choose(host, number >= 0 ? number : number_by_default());
}

inline int device_asked(int number, acc_device_t type) // by a query that names a device
{
    return type == acc_device_current || means_host(type) ? selection().number : this_or(number);
}

inline void initialise(acc_device_t type, int number)
{
    choose_number(number, type);
    if (on_host())
        return;
    check(cudaFree(nullptr), "initialise", "the device", 0);
    device();
}

// Ends what the runtime holds on the current device; the host's data stays as it is.
inline void shut_down()
{
    for (const Region &region : regions)
        if (!region.host && region.number == selection().number)
            fatal("the data region of %s:%d is still open", region.place.file, region.place.line);
    finish_all();
    for (auto &[async, queue] : device().queues) {
        for (const Scratch &buffer : queue.scratch)
            check(cudaFree(buffer.memory), "free", "scratch memory", buffer.bytes);
        check(cudaFreeHost(queue.staging.memory), "free", "pinned memory", queue.staging.bytes);
        if (queue.own)
            check(cudaStreamDestroy(queue.stream), "destroy", "a queue", 0);
    }
    while (!device().present.empty())
        release(device().present.begin()->second, ACCACHE_SYNC);
    devices.erase(selection().number);
}

inline void shut_down_device(int number, acc_device_t type)
{
    if (means_host(type) || devices.count(number) == 0)
        return;
    const OnDevice there(false, number);
    shut_down();
}

inline void shut_down_all(acc_device_t type)
{
    while (!means_host(type) && !devices.empty())
        shut_down_device(devices.begin()->first, type);
}

inline size_t number_property(acc_device_property_t property)
{
    if (property == acc_property_shared_memory_support)
        return on_host();
    size_t available = 0, total = 0;
    if (!on_host())
        check(cudaMemGetInfo(&available, &total), "ask", "the device", 0);
    return property == acc_property_memory ? total : property == acc_property_free_memory ? available : 0;
}

inline const char *driver_version()
{
    static char text[32] = "";
    int version = 0;
    check(cudaDriverGetVersion(&version), "ask", "the driver", 0);
    snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
    return text;
}

inline const char *string_property(acc_device_property_t property)
{
    static std::map<int, cudaDeviceProp> properties;
    const int number = on_host() ? -1 : selection().number;
    if (number >= 0 && properties.count(number) == 0)
        check(cudaGetDeviceProperties(&properties[number], number), "ask", "the device", 0);
    switch (property) {
    case acc_property_name: return number >= 0 ? properties[number].name : "host";
    case acc_property_vendor: return number >= 0 ? "NVIDIA" : "host";
    case acc_property_driver: return number >= 0 ? driver_version() : "host";
    default: return nullptr;
    }
}

// ---- Queues: of the current device where number is negative ----

inline bool test(int async, int number)
{
    if (on_host())
        return true;
    const OnDevice there(false, this_or(number));
    Queue *const queue = known_queue(async);
    return queue == nullptr || is_finished(*queue);
}

inline bool test_all(int number)
{
    if (on_host())
        return true;
    const OnDevice there(false, this_or(number));
    bool all = true;
    for (auto &[async, queue] : device().queues)
        all = is_finished(queue) && all;
    return all;
}

inline int wait_any(int count, const int *asyncs, int number)
{
    for (bool waiting = true; waiting;) {
        waiting = false;
        for (int i = 0; i < count; ++i) {
            if (asyncs[i] == ACCACHE_SYNC)
                continue;
            if (test(asyncs[i], number))
                return i;
            waiting = true;
        }
    }
    return -1;
}

inline int set_stream(int async, cudaStream_t stream)
{
    if (on_host() || meant_by(async) == ACCACHE_SYNC)
        return 0;
    Queue &queue = device().queues[meant_by(async)];
    if (queue.stream != nullptr)
        finish(queue);
    if (queue.own)
        check(cudaStreamDestroy(queue.stream), "destroy", "a queue", 0);
    queue.own = false;
    queue.stream = stream;
    return 1;
}

// The current device if something has used it since the start, or since it was shut down; else null.
inline std::pair<const int, Device> *device_in_use()
{
    const auto found = devices.find(selection().number);
    return on_host() || found == devices.end() ? nullptr : &*found;
}

inline void *current_cuda_device() // where its number is: a CUdevice, to which gcc's library points, too
{
    std::pair<const int, Device> *const used = device_in_use();
    return used != nullptr ? const_cast<int *>(&used->first) : nullptr;
}

inline void *current_context() // by way of the CUDA run-time, so that nobody has to link the driver's library
{
#ifdef ACCACHE_CPU
    return device_in_use(); // CUDA has no context here
#else
    if (device_in_use() == nullptr)
        return nullptr;
    void *entry = nullptr, *context = nullptr;
    cudaDriverEntryPointQueryResult found;
    check(cudaFree(nullptr), "initialise", "the device", 0);
#if CUDART_VERSION >= 12050
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t status = cudaGetDriverEntryPoint("cuCtxGetCurrent", &entry, cudaEnableDefault, &found);
#endif
    check(status, "find", "cuCtxGetCurrent", 0);
    reinterpret_cast<int (*)(void **)>(entry)(&context);
    return context;
#endif
}

// ---- Data ----

inline void *give_memory(size_t bytes) // null if there is none left: the caller of acc_malloc deals with it
{
    void *memory = nullptr;
    find_device();
    if (bytes > 0 && cudaMalloc(&memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return memory;
}

inline void take_memory_back(void *memory)
{
    if (around(memory) != nullptr)
        fatal("the device memory at %p is still mapped to data", memory);
    check(cudaFree(memory), "free", "device memory", 0);
}

inline Section data(const void *host, size_t bytes) { return Section{host, bytes, "data"}; }

inline void *begin_lifetime(int action, void *host, size_t bytes, int async)
{
    if (on_host())
        return host;
    const Mapping *const mapping = enter_data(action, data(host, bytes), 1, async);
    if (accache_is_sequential())
        return host;
    return mapping != nullptr ? mapping->address_of(host) : nullptr;
}

inline void end_lifetime(int action, bool finalize, void *host, size_t bytes, int async)
{
    if (!on_host())
        exit_data(action, finalize, data(host, bytes), async);
}

inline void update(void *host, size_t bytes, cudaMemcpyKind kind, int async)
{
    Section section = data(host, bytes);
    if (const Mapping *const mapping = find_to_update(section, 0))
        transfer(*mapping, section, kind, async);
}

inline void copy_bytes(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, int async)
{
    if (on_host() || accache_is_sequential()) // where what has a copy on the device stands for that
        memmove(to, from, bytes);
    else
        copy(to, from, bytes, kind, async, "copy", "data");
}

inline void *present_address(void *host, size_t bytes, int number)
{
    const OnDevice there(false, number);
    Section section = data(host, bytes);
    const Mapping *const mapping = find(section);
    if (mapping == nullptr)
        fatal("data (%p) is not present on device %d", host, number);
    return mapping->address_of(host);
}

// Copies between the device copies of host data; the host's own stays as it is.
inline void copy_between(void *to, void *from, size_t bytes, int device_to, int device_from, int async)
{
    if (on_host())
        return copy_bytes(to, from, bytes, cudaMemcpyDeviceToDevice, async);
    if (bytes == 0)
        return;
    const void *const source = present_address(from, bytes, device_from);
    void *const target = present_address(to, bytes, device_to);
    const OnDevice there(false, device_from);
    Queue &queue = queue_of(async);
    check(cudaMemcpyPeerAsync(target, device_to, source, device_from, bytes, queue.stream), "copy", "data", bytes);
    if (meant_by(async) == ACCACHE_SYNC)
        finish(queue);
}

inline bool is_present(const void *host, size_t bytes)
{
    if (host == nullptr || on_host())
        return host != nullptr;
    return look_up(host, bytes > 0 ? bytes : 1).whole;
}

inline void map_data(void *host, void *memory, size_t bytes)
{
    if (on_host())
        return;
    if (host == nullptr || memory == nullptr || bytes == 0)
        fatal("an address is null, or there are no bytes to map");
    if (look_up(host, bytes).mapping != nullptr)
        fatal("%zu bytes at %p are already present on the device", bytes, host);
    const auto next = device().on_device.lower_bound(reinterpret_cast<uintptr_t>(memory));
    if (around(memory) != nullptr ||
        (next != device().on_device.end() && next->first < reinterpret_cast<uintptr_t>(memory) + bytes))
        fatal("the device memory at %p is already mapped to other data", memory);
    enter(data(host, bytes), memory, true, ACCACHE_SYNC)->dynamic = 1;
}

inline void unmap_data(void *host)
{
    if (on_host())
        return;
    const auto found = device().present.find(reinterpret_cast<uintptr_t>(host));
    if (found == device().present.end() || !found->second.borrowed)
        fatal("acc_map_data has not mapped %p", host);
    if (found->second.structured > 0)
        fatal("a data region still uses the data at %p", host);
    part_with(found->second);
    leave(found->second);
}

inline void *device_address(void *host)
{
    if (host == nullptr || on_host() || accache_is_sequential())
        return host;
    const Found found = look_up(host, 1);
    return found.mapping != nullptr ? found.mapping->address_of(host) : nullptr;
}

inline void *host_address(void *memory)
{
    if (memory == nullptr || on_host() || accache_is_sequential())
        return memory;
    const Mapping *const mapping = around(memory);
    if (mapping == nullptr)
        return nullptr;
    return reinterpret_cast<char *>(mapping->host) + (static_cast<char *>(memory) - mapping->device);
}

} // namespace accache
#endif
