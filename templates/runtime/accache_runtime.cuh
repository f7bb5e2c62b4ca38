// accache run-time: the present table of OpenACC 3.3 (2.6.7), data regions, and the checks around kernel launches.
// Interface: accache_runtime.h, accache_launch.cuh. All is inline, so that the .cu files linked into a program share one present table.
#ifndef ACCACHE_RUNTIME_CUH
#define ACCACHE_RUNTIME_CUH
#ifndef ACCACHE_RUNTIME_H
#include "accache_runtime.h"
#endif
#ifndef ACCACHE_LAUNCH_CUH
#include "accache_launch.cuh"
#endif

#ifdef ACCACHE_CPU // on a CPU, a memory checker may want the variable's name for its messages
extern "C" __attribute__((weak)) void accache_cpu_label(const void *device, size_t bytes, const char *name,
                                                        size_t element_bytes);
#endif

// ---- Messages ----

namespace accache {

struct Place { const char *file; int line; };

inline Place here{"(before the first directive)", 0}; // the construct that is being executed
inline Place last_launch{nullptr, 0};                 // kernels are asynchronous: a later call may report their errors
inline const char *last_kernel = nullptr;

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void fatal(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s:%d: accache: ", here.file, here.line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

// ---- Data declared outside of functions ----

struct Declared { // as it was when the program started
    Place place;
    int action;
    const void *host;
    size_t bytes;
    const char *name;
    size_t element_bytes;
    std::vector<char> value; // for copyin
};

inline std::vector<Declared> &declared() // not yet on the device; constructors of any file may be the first to ask
{
    static std::vector<Declared> waiting;
    return waiting;
}

void place_declared();

// Without a GPU the program ends, with one clear line, where it first needs one.
inline void find_device()
{
    static bool found = false;
    if (found) {
        if (!declared().empty())
            place_declared();
        return;
    }
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess || devices == 0) {
        fflush(stdout);
        fprintf(stderr, "accache: no CUDA device found (%s)\n",
                cudaGetErrorString(status != cudaSuccess ? status : cudaErrorNoDevice));
        exit(1);
    }
    found = true;
    place_declared();
}

inline void check(cudaError_t status, const char *what, const char *name, size_t bytes)
{
    if (status == cudaSuccess)
        return;
    if (last_kernel == nullptr)
        fatal("%s %s (%zu bytes): %s", what, name, bytes, cudaGetErrorString(status));
    fatal("%s %s (%zu bytes): %s; the last kernel launched was %s (%s:%d)", what, name, bytes,
          cudaGetErrorString(status), last_kernel, last_launch.file, last_launch.line);
}

// ACCACHE_NOTIFY=1 in the environment: a line on stderr for each launch and transfer; 2: also for each allocation.
inline bool notify(int level)
{
    static const char *const setting = getenv("ACCACHE_NOTIFY");
    return setting != nullptr && atoi(setting) >= level;
}

inline void tell(int level, const char *what, const char *name, size_t bytes)
{
    if (notify(level))
        fprintf(stderr, "accache: %s %s %zu bytes %s:%d\n", what, name, bytes, here.file, here.line);
}

inline void arrive(const char *file, int line) // at a directive
{
    here = Place{file, line};
    find_device();
}

// ---- The present table ----

struct Mapping {
    uintptr_t host;
    size_t bytes;
    char *device;
    const char *name;
    size_t structured, dynamic; // reference counters; the mapping lives while one of them is above zero

    void *address_of(const void *pointer) const { return device + (reinterpret_cast<uintptr_t>(pointer) - host); }
    bool unused() const { return structured == 0 && dynamic == 0; }
};

struct Section { // what a clause names
    const void *host;
    size_t bytes;
    const char *name;

    bool empty() const { return host == nullptr || bytes == 0; } // such a section maps nothing
};

struct Entry { // a clause of an open region, as it was at the entry: the user may swap pointers meanwhile
    int action;
    Section section;
    Mapping *mapping;
};

struct Region {
    Place place;
    std::vector<Entry> entries;
};

inline std::map<uintptr_t, Mapping> present;           // by host address; ranges never overlap, elements never move
inline std::map<uintptr_t, const Mapping *> on_device; // the same mappings by device address
inline std::vector<Region> regions;                    // open structured regions, innermost last

inline const Mapping *around(const void *device)
{
    const uintptr_t address = reinterpret_cast<uintptr_t>(device);
    const auto behind = on_device.upper_bound(address);
    if (behind == on_device.begin())
        return nullptr;
    const auto candidate = std::prev(behind);
    return address - candidate->first < candidate->second->bytes ? candidate->second : nullptr;
}

[[noreturn]] inline void fatal_partly_present(const Section &section, const Mapping &other)
{
    fatal("%s (%zu bytes at %p) is only partly present on the device: the data of %s there is %zu bytes at %p",
          section.name, section.bytes, section.host, other.name, other.bytes, reinterpret_cast<void *>(other.host));
}

// The mapping that holds all of a section, or null if none of it is present. A part of it present is an error (2.7.3).
// A section of ACCACHE_WHOLE becomes the mapping's.
inline Mapping *find(Section &section)
{
    const bool whole = section.bytes == ACCACHE_WHOLE;
    if (!whole && section.bytes > PTRDIFF_MAX)
        fatal("the section of %s has a negative length", section.name);
    const uintptr_t first = reinterpret_cast<uintptr_t>(section.host);
    const uintptr_t end = first + (whole ? 1 : section.bytes);
    const auto behind = present.upper_bound(first);
    if (behind != present.begin()) {
        Mapping &mapping = std::prev(behind)->second;
        if (end <= mapping.host + mapping.bytes) {
            if (whole)
                section = Section{reinterpret_cast<const void *>(mapping.host), mapping.bytes, section.name};
            return &mapping;
        }
        if (first < mapping.host + mapping.bytes)
            fatal_partly_present(section, mapping);
    }
    if (behind != present.end() && behind->first < end)
        fatal_partly_present(section, behind->second);
    return nullptr;
}

inline Mapping *create(const Section &section, size_t element_bytes)
{
    if (section.bytes == ACCACHE_WHOLE)
        fatal("%s is not present on the device, and its length is not known here", section.name);
    void *device = nullptr;
    check(cudaMalloc(&device, section.bytes), "create", section.name, section.bytes);
    const uintptr_t host = reinterpret_cast<uintptr_t>(section.host);
    Mapping &mapping = present[host];
    mapping = Mapping{host, section.bytes, static_cast<char *>(device), section.name, 0, 0};
    on_device[reinterpret_cast<uintptr_t>(device)] = &mapping;
    tell(2, "create", section.name, section.bytes);
#ifdef ACCACHE_CPU
    if (accache_cpu_label)
        accache_cpu_label(device, section.bytes, section.name, element_bytes);
#endif
    (void)element_bytes;
    return &mapping;
}

inline void release(Mapping &mapping)
{
    check(cudaFree(mapping.device), "delete", mapping.name, mapping.bytes);
    tell(2, "delete", mapping.name, mapping.bytes);
    on_device.erase(reinterpret_cast<uintptr_t>(mapping.device));
    present.erase(mapping.host);
}

inline void upload(const Mapping &mapping, const Section &section)
{
    check(cudaMemcpy(mapping.address_of(section.host), section.host, section.bytes, cudaMemcpyHostToDevice), "upload",
          section.name, section.bytes);
    tell(1, "upload", section.name, section.bytes);
}

inline void download(const Mapping &mapping, const Section &section)
{
    void *const host = const_cast<void *>(section.host);
    check(cudaMemcpy(host, mapping.address_of(host), section.bytes, cudaMemcpyDeviceToHost), "download", section.name,
          section.bytes);
    tell(1, "download", section.name, section.bytes);
}

// Declared data gets its device copy when the program first uses the device, and keeps it. Several files may declare it.
inline void place_declared()
{
    const std::vector<Declared> waiting = std::move(declared());
    declared().clear();
    const Place before = here;
    for (const Declared &item : waiting) {
        here = item.place;
        Section section{item.host, item.bytes, item.name};
        if (find(section) != nullptr)
            continue;
        Mapping &mapping = *create(section, item.element_bytes);
        ++mapping.dynamic;
        if (item.action != ACCACHE_COPYIN)
            continue;
        check(cudaMemcpy(mapping.device, item.value.data(), item.bytes, cudaMemcpyHostToDevice), "upload", item.name,
              item.bytes);
        tell(1, "upload", item.name, item.bytes);
    }
    here = before;
}

// The mapping to update, or null if there is nothing to do.
inline const Mapping *find_to_update(Section &section, int if_present)
{
    if (section.empty())
        return nullptr;
    const Mapping *const mapping = find(section);
    if (mapping == nullptr && !if_present)
        fatal("update: %s is not present on the device", section.name);
    return mapping;
}

struct Scratch { void *device; size_t bytes; };
inline std::vector<Scratch> scratch; // by slot

} // namespace accache

// ---- Data directives: called from C, so they are emitted even if nothing here calls them ----

#define ACCACHE_ENTRY extern "C" inline __attribute__((used))

ACCACHE_ENTRY void accache_data_begin(const char *file, int line)
{
    accache::arrive(file, line);
    accache::regions.push_back(accache::Region{accache::here, {}});
}

ACCACHE_ENTRY void *accache_map(int action, const void *host, size_t bytes, const char *name, size_t element_bytes)
{
    if (accache::regions.empty())
        accache::fatal("%s is mapped outside every data region", name);
    accache::Region &region = accache::regions.back();
    accache::here = region.place;
    accache::Section section{host, bytes, name};
    if (section.empty())
        return nullptr;
    accache::Mapping *mapping = accache::find(section);
    if (mapping == nullptr) {
        if (action == ACCACHE_NO_CREATE)
            return nullptr;
        if (action == ACCACHE_PRESENT)
            accache::fatal("present: %s is not present on the device", name);
        mapping = accache::create(section, element_bytes);
        if (action == ACCACHE_COPY || action == ACCACHE_COPYIN)
            accache::upload(*mapping, section);
    }
    ++mapping->structured;
    region.entries.push_back(accache::Entry{action, section, mapping});
    return mapping->address_of(host);
}

// All counters go down first, so that the order of clauses is of no consequence where two name the same memory.
ACCACHE_ENTRY void accache_data_end(void)
{
    if (accache::regions.empty())
        accache::fatal("the end of a data region that was never entered");
    const accache::Region region = std::move(accache::regions.back());
    accache::regions.pop_back();
    accache::here = region.place;
    std::map<uintptr_t, accache::Mapping *> unused;
    for (const accache::Entry &entry : region.entries)
        if (--entry.mapping->structured == 0 && entry.mapping->dynamic == 0)
            unused[entry.mapping->host] = entry.mapping;
    for (const accache::Entry &entry : region.entries)
        if (entry.mapping->unused() && (entry.action == ACCACHE_COPY || entry.action == ACCACHE_COPYOUT))
            accache::download(*entry.mapping, entry.section);
    for (const auto &[host, mapping] : unused)
        accache::release(*mapping);
}

ACCACHE_ENTRY void accache_enter_data(int action, const void *host, size_t bytes, const char *name,
                                      size_t element_bytes, const char *file, int line)
{
    accache::arrive(file, line);
    accache::Section section{host, bytes, name};
    if (section.empty())
        return;
    accache::Mapping *mapping = accache::find(section);
    if (mapping == nullptr) {
        mapping = accache::create(section, element_bytes);
        if (action == ACCACHE_COPYIN)
            accache::upload(*mapping, section);
    }
    ++mapping->dynamic;
}

// Data that is absent, or that only structured regions hold, is left as it is (2.6.6).
ACCACHE_ENTRY void accache_exit_data(int action, int finalize, const void *host, size_t bytes, const char *name,
                                     const char *file, int line)
{
    accache::arrive(file, line);
    accache::Section section{host, bytes, name};
    accache::Mapping *const mapping = section.empty() ? nullptr : accache::find(section);
    if (mapping == nullptr || mapping->dynamic == 0)
        return;
    mapping->dynamic = finalize ? 0 : mapping->dynamic - 1;
    if (!mapping->unused())
        return;
    if (action == ACCACHE_COPYOUT)
        accache::download(*mapping, section);
    accache::release(*mapping);
}

ACCACHE_ENTRY void accache_update_device(const void *host, size_t bytes, int if_present, const char *name,
                                         const char *file, int line)
{
    accache::arrive(file, line);
    accache::Section section{host, bytes, name};
    if (const accache::Mapping *const mapping = accache::find_to_update(section, if_present))
        accache::upload(*mapping, section);
}

ACCACHE_ENTRY void accache_update_host(void *host, size_t bytes, int if_present, const char *name, const char *file,
                                       int line)
{
    accache::arrive(file, line);
    accache::Section section{host, bytes, name};
    if (const accache::Mapping *const mapping = accache::find_to_update(section, if_present))
        accache::download(*mapping, section);
}

ACCACHE_ENTRY void *accache_device_pointer(const void *host, const char *name)
{
    if (!accache::regions.empty())
        accache::here = accache::regions.back().place;
    if (host == nullptr)
        return nullptr;
    accache::find_device();
    accache::Section section{host, ACCACHE_WHOLE, name};
    const accache::Mapping *const mapping = accache::find(section);
    if (mapping == nullptr)
        accache::fatal("%s (%p) is not present on the device", name, host);
    return mapping->address_of(host);
}

ACCACHE_ENTRY void accache_wait(const char *file, int line)
{
    accache::arrive(file, line);
    accache::check(cudaDeviceSynchronize(), "wait for", "the device", 0);
}

ACCACHE_ENTRY void accache_declare(int action, const void *host, size_t bytes, const char *name, size_t element_bytes,
                                   const char *file, int line)
{
    const char *const first = static_cast<const char *>(host);
    std::vector<char> value;
    if (action == ACCACHE_COPYIN)
        value.assign(first, first + bytes);
    accache::declared().push_back({{file, line}, action, host, bytes, name, element_bytes, std::move(value)});
}

#undef ACCACHE_ENTRY

// ---- For the launch stubs ----

inline accache_extent accache_extent_of(const void *device, size_t element_bytes)
{
    const long long size = static_cast<long long>(element_bytes);
    const accache::Mapping *const mapping = accache::around(device);
    if (mapping == nullptr) // not our memory (deviceptr)
        return accache_extent{LLONG_MIN / size, LLONG_MAX / size, false};
    const long long before = static_cast<const char *>(device) - mapping->device;
    return accache_extent{-(before / size), (static_cast<long long>(mapping->bytes) - before) / size, true};
}

// Different mappings are different arrays. Memory that we did not map is not inside a mapping either, except that a
// pointer just behind one may be used to reach back into it. Of two pointers that we did not map nothing is known.
inline bool accache_overlap(const void *device_a, const void *device_b)
{
    if (device_a == nullptr || device_b == nullptr)
        return false;
    const accache::Mapping *const a = accache::around(device_a), *const b = accache::around(device_b);
    if (a == b)
        return true;
    return (a != nullptr && device_b == a->device + a->bytes) || (b != nullptr && device_a == b->device + b->bytes);
}

inline void accache_allow_shared(const void *kernel, size_t shared_bytes)
{
    accache::find_device();
    if (shared_bytes > 48 * 1024)
        accache::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes)),
                       "reserve", "shared memory", shared_bytes);
}

inline void accache_launched(const char *kernel, dim3 grid, dim3 block, size_t shared_bytes, const char *file,
                             int line)
{
    accache::arrive(file, line);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess)
        accache::fatal("launch %s grid=(%u,%u,%u) block=(%u,%u,%u) shared=%zu: %s", kernel, grid.x, grid.y, grid.z,
                       block.x, block.y, block.z, shared_bytes, cudaGetErrorString(status));
    accache::last_kernel = kernel;
    accache::last_launch = accache::here;
    if (accache::notify(1))
        fprintf(stderr, "accache: launch %s grid=(%u,%u,%u) block=(%u,%u,%u) shared=%zu %s:%d\n", kernel, grid.x,
                grid.y, grid.z, block.x, block.y, block.z, shared_bytes, file, line);
}

inline void *accache_scratch(size_t bytes, int slot)
{
    accache::find_device();
    const size_t index = static_cast<size_t>(slot);
    if (index >= accache::scratch.size())
        accache::scratch.resize(index + 1, accache::Scratch{nullptr, 0});
    accache::Scratch &buffer = accache::scratch[index];
    if (buffer.bytes < bytes) {
        accache::check(cudaFree(buffer.device), "free", "scratch memory", buffer.bytes);
        accache::check(cudaMalloc(&buffer.device, bytes), "create", "scratch memory", bytes);
        buffer.bytes = bytes;
    }
    return buffer.device;
}

inline void accache_read(void *host, const void *device, size_t bytes)
{
    accache::check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "read", "a result", bytes);
}

inline void accache_write(void *device, const void *host, size_t bytes)
{
    accache::check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "write", "a value", bytes);
}

#endif
