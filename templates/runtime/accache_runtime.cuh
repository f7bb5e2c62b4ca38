// accache run-time, part 3: what translated programs call. Interface: accache_runtime.h, accache_launch.cuh.
#ifndef ACCACHE_RUNTIME_CUH
#define ACCACHE_RUNTIME_CUH
#ifndef ACCACHE_PRESENT_CUH
#include "accache_present.cuh"
#endif

// ---- Data directives: called from C, so they are emitted even if nothing here calls them ----

#define ACCACHE_ENTRY extern "C" inline __attribute__((used))

ACCACHE_ENTRY void accache_data_begin(const char *file, int line)
{
    accache::arrive(file, line);
    accache::place_residents();
    const accache::Selection &now = accache::selection();
    accache::regions.push_back(accache::Region{accache::here, now.host, now.number, ACCACHE_SYNC, {}, {}, {}, {}});
}

ACCACHE_ENTRY void *accache_map(int action, const void *host, size_t bytes, const char *name, size_t element_bytes)
{
    if (accache::regions.empty())
        accache::fatal("%s is mapped outside every data region", name);
    const accache::OfStructure until_the_end;
    accache::Region &region = accache::regions.back();
    accache::go_to(region.place);
    accache::Section section{host, bytes, name};
    if (section.empty() && !region.host)
        region.empty.push_back(accache::note_empty(host));
    if (section.empty())
        return nullptr;
    if (region.host)
        return const_cast<void *>(host);
    if ((action & ACCACHE_PART) && !accache::look_up(host, bytes).whole)
        if (void *const device = accache::address_on_device(host, name))
            return device;
    if ((action & ACCACHE_MEMBERS) && !accache::look_up(host, bytes).whole)
        if (void *const device = accache::structure_of_members(host, bytes, name)) {
            region.structures.push_back(accache::Part{section, static_cast<char *>(device)});
            return device;
        }
    const int plain = action & ACCACHE_ACTION;
    if ((plain == ACCACHE_NO_CREATE || plain == ACCACHE_PRESENT) && accache::find(section) == nullptr) {
        if ((action & ACCACHE_DEVICE_MEMORY) && accache::is_host_memory(host))
            accache::fatal("%s leads to memory of the host, and a clause maps the pointer alone: write %s[0:n]", name,
                           name);
        if (plain == ACCACHE_NO_CREATE)
            return const_cast<void *>(host); // 2.7.12: the construct has the variable of the host
        if (bytes == ACCACHE_WHOLE && accache::is_empty(host))
            return nullptr;
        accache::fatal("present: %s is not present on the device", name);
    }
    accache::Mapping *const mapping = accache::find_or_create(action, section, element_bytes, region.async);
    accache::check_structures(region, section, *mapping);
    accache::attach_residents(*mapping, region.async);
    ++mapping->structured;
    region.entries.push_back(accache::Entry{action, section, mapping});
    return mapping->address_of(host);
}

ACCACHE_ENTRY void accache_structure(const void *host, size_t bytes)
{
    accache::next_structure = accache::Section{host, bytes, nullptr};
}

namespace accache {

inline bool copies_out(const Entry &entry)
{
    const int action = entry.action & ACCACHE_ACTION;
    return action == ACCACHE_COPY || action == ACCACHE_COPYOUT;
}

#ifdef ACCACHE_CPU // for what compares
inline bool comes_home(const Region &region, const Mapping &mapping)
{
    for (const Entry &entry : region.entries)
        if (entry.mapping == &mapping && copies_out(entry))
            return true;
    return false;
}
#endif

} // namespace accache

// All counters go down first, so that the order of clauses is of no consequence where two name the same memory.
ACCACHE_ENTRY void accache_data_end(void)
{
    if (accache::regions.empty())
        accache::fatal("the end of a data region that was never entered");
    const accache::Region region = std::move(accache::regions.back());
    accache::regions.pop_back();
    accache::go_to(region.place);
#ifdef ACCACHE_CPU
    accache_cpu_region_ends();
#endif
    const accache::OnDevice there(region.host, region.number);
    for (void *const *const pointer : region.attached)
        accache::detach(pointer, false, region.async);
    for (const uintptr_t address : region.empty)
        accache::forget_empty(address);
    std::map<uintptr_t, accache::Mapping *> unused;
    for (const accache::Entry &entry : region.entries)
        if (--entry.mapping->structured == 0 && entry.mapping->dynamic == 0)
            unused[entry.mapping->host] = entry.mapping;
    for (const accache::Entry &entry : region.entries) {
        const bool goes = entry.mapping->unused() && accache::copies_out(entry);
        if (goes || (entry.action & ACCACHE_ALWAYS_OUT))
            accache::download(*entry.mapping, entry.section, region.async);
#ifdef ACCACHE_CPU
        else if (entry.mapping->unused() && !accache::comes_home(region, *entry.mapping))
            accache_cpu_dropped(entry.section.host, entry.section.bytes, entry.section.name);
#endif
    }
    for (const auto &[host, mapping] : unused)
        accache::release(*mapping, region.async);
}

ACCACHE_ENTRY void accache_attach(const void *pointer)
{
    accache::Region &region = accache::regions.back();
    void *const *const place = static_cast<void *const *>(pointer);
    if (accache::attach(place, region.async))
        region.attached.push_back(place);
}

ACCACHE_ENTRY void accache_array(const void *array, const void *first)
{
    if (array == nullptr || first == array || accache::on_host())
        return;
    const uintptr_t address = reinterpret_cast<uintptr_t>(array);
    accache::Mapping *const mapping = accache::look_up(first, 1).mapping;
    if (mapping != nullptr) {
        accache::stand_in(address, *mapping);
#ifdef ACCACHE_CPU // for the messages of a checker
        if (mapping->host > address)
            accache_cpu_begins(mapping->device, mapping->host - address);
#endif
    }
    if (mapping == nullptr && accache::is_empty(first)) {
        const uintptr_t noted = accache::note_empty(array);
        if (!accache::regions.empty())
            accache::regions.back().empty.push_back(noted);
    }
}

ACCACHE_ENTRY void accache_enter_data(int action, const void *host, size_t bytes, const char *name,
                                      size_t element_bytes, const char *file, int line)
{
    const accache::OfStructure until_the_end;
    accache::arrive(file, line);
    if (!accache::on_host())
        accache::enter_data(action, accache::Section{host, bytes, name}, element_bytes, accache::directive_queue);
}

ACCACHE_ENTRY void accache_exit_data(int action, int finalize, const void *host, size_t bytes, const char *name,
                                     const char *file, int line)
{
    accache::arrive(file, line);
    if (!accache::on_host())
        accache::exit_data(action, finalize != 0, accache::Section{host, bytes, name}, accache::directive_queue);
}

ACCACHE_ENTRY void accache_exit_pointer(int finalize, const void *pointer, const void *target, const char *name,
                                        const char *file, int line)
{
    accache::arrive(file, line);
    const bool itself = !accache::on_host() && accache::look_up(pointer, sizeof target).whole;
    accache_exit_data(ACCACHE_DELETE, finalize, itself ? pointer : target, itself ? sizeof target : ACCACHE_WHOLE,
                      name, file, line);
}

ACCACHE_ENTRY void accache_enter_pointer(const void *pointer, const char *name, const char *file, int line)
{
    const accache::OfStructure until_the_end;
    accache::arrive(file, line);
    if (accache::on_host())
        return;
    accache::Mapping *const known = accache::look_up(pointer, sizeof pointer).mapping;
    if (known != nullptr && !known->implied)
        return;
    if (known == nullptr && accache::next_structure.empty())
        return;
    accache::Section section{pointer, sizeof pointer, name};
    accache::Mapping *const mapping =
        accache::find_or_create(ACCACHE_COPYIN, section, sizeof pointer, accache::directive_queue);
    mapping->implied = true;
    ++mapping->dynamic;
}

ACCACHE_ENTRY void accache_leave_pointer(int finalize, const void *pointer, const char *name, const char *file,
                                         int line)
{
    accache::arrive(file, line);
    const accache::Mapping *const known =
        accache::on_host() ? nullptr : accache::look_up(pointer, sizeof pointer).mapping;
    if (known != nullptr && known->implied)
        accache_exit_data(ACCACHE_DELETE, finalize, pointer, sizeof pointer, name, file, line);
}

ACCACHE_ENTRY void accache_enter_attach(const void *pointer, const char *file, int line)
{
    accache::arrive(file, line);
    accache::attach(static_cast<void *const *>(pointer), accache::directive_queue);
}

ACCACHE_ENTRY void accache_exit_detach(const void *pointer, int finalize, const char *file, int line)
{
    accache::arrive(file, line);
    accache::detach(static_cast<void *const *>(pointer), finalize != 0, accache::directive_queue);
}

ACCACHE_ENTRY void accache_update_device(const void *host, size_t bytes, int if_present, const char *name,
                                         const char *file, int line)
{
    accache::arrive(file, line);
    accache::Section section{host, bytes, name};
    if (const accache::Mapping *const mapping = accache::find_to_update(section, if_present))
        accache::upload(*mapping, section, accache::directive_queue);
}

ACCACHE_ENTRY void accache_update_host(void *host, size_t bytes, int if_present, const char *name, const char *file,
                                       int line)
{
    accache::arrive(file, line);
    accache::Section section{host, bytes, name};
    if (const accache::Mapping *const mapping = accache::find_to_update(section, if_present))
        accache::download(*mapping, section, accache::directive_queue);
}

ACCACHE_ENTRY void accache_update_rows(int to_device, void *first, size_t width, size_t rows, size_t pitch,
                                       int if_present, const char *name, const char *file, int line)
{
    accache::arrive(file, line);
    if (width == 0 || rows == 0)
        return;
    accache::Section section{first, (rows - 1) * pitch + width, name};
    if (const accache::Mapping *const mapping = accache::find_to_update(section, if_present))
        accache::transfer_rows(*mapping, section, width, pitch,
                               to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, accache::directive_queue);
}

ACCACHE_ENTRY void *accache_device_pointer(const void *host, const char *name)
{
    if (!accache::regions.empty())
        accache::go_to(accache::regions.back().place);
    if (host == nullptr || accache::on_host())
        return const_cast<void *>(host);
    void *const device = accache::address_on_device(host, name);
    if (device == nullptr && !accache::is_empty(host))
        accache::fatal("%s (%p) is not present on the device; a data clause such as copyin(%s[0:n]) puts it there",
                       name, host, name);
    return device;
}

ACCACHE_ENTRY void *accache_use_device(int condition, const void *host, const char *name, int if_present,
                                       const char *file, int line)
{
    accache::arrive(file, line);
    if (!condition || host == nullptr || accache::on_host() || accache_is_sequential())
        return const_cast<void *>(host);
    void *const device = accache::address_on_device(host, name);
    if (device == nullptr && !if_present)
        accache::fatal("use_device: %s (%p) is not present on the device", name, host);
    return device != nullptr ? device : const_cast<void *>(host);
}

ACCACHE_ENTRY void accache_at(const char *file, int line) { accache::go_to(accache::Place{file, line}); }

ACCACHE_ENTRY void accache_contiguous(int whole, const char *section, const char *file, int line)
{
    if (whole)
        return;
    accache_at(file, line);
    accache::fatal("%s is not contiguous in memory: it names parts of rows", section);
}

ACCACHE_ENTRY void accache_wait(const char *file, int line)
{
    accache::arrive(file, line);
    if (accache::construct_queue() == ACCACHE_SYNC)
        accache::check(cudaStreamSynchronize(nullptr), "wait for", "the device", 0);
}

ACCACHE_ENTRY void accache_async(int queue) { accache::regions.back().async = accache::meant_by(queue); }

ACCACHE_ENTRY void accache_async_begin(int queue, const char *file, int line)
{
    accache::arrive(file, line);
    accache::directive_queue = accache::meant_by(queue);
}

ACCACHE_ENTRY void accache_async_end(void) { accache::directive_queue = ACCACHE_SYNC; }

ACCACHE_ENTRY void accache_wait_for(int queue, int device, int waiting, const char *file, int line)
{
    accache::arrive(file, line);
    accache::wait_for(queue, device, waiting);
}

ACCACHE_ENTRY void accache_declare(int action, const void *host, size_t bytes, const char *name, size_t element_bytes,
                                   const char *file, int line)
{
    const char *const first = static_cast<const char *>(host);
    std::vector<char> value;
    if ((action & ACCACHE_ACTION) == ACCACHE_COPYIN)
        value.assign(first, first + bytes);
    accache::declared().push_back({{file, line}, action, host, bytes, name, element_bytes, std::move(value)});
}

// A pointer has a copy of its own, which leads nowhere until what it leads to is on the device.
ACCACHE_ENTRY void accache_resident(const void *host, size_t bytes, const char *name, int is_pointer,
                                    int (*place)(const void *address, void *queue), const char *file, int line)
{
    if (is_pointer)
        accache_declare(ACCACHE_CREATE | ACCACHE_ZERO, host, bytes, name, bytes, file, line);
    accache::residents().push_back({reinterpret_cast<uintptr_t>(host), bytes, name, is_pointer != 0, place});
}

#undef ACCACHE_ENTRY

// ---- For the launch stubs ----

inline accache_extent accache_extent_of(const void *pointer, size_t element_bytes)
{
    const long long size = static_cast<long long>(element_bytes);
    const accache::Mapping *const mapping = accache::mapping_of(pointer);
    if (mapping == nullptr) // not our memory (deviceptr)
        return accache_extent{LLONG_MIN / size, LLONG_MAX / size, false};
    const bool on_device = accache::around(pointer) == mapping;
    const uintptr_t first = on_device ? reinterpret_cast<uintptr_t>(mapping->device) : mapping->host;
    const long long before = static_cast<long long>(reinterpret_cast<uintptr_t>(pointer) - first);
    return accache_extent{-(before / size), (static_cast<long long>(mapping->bytes) - before) / size, true};
}

inline void accache_fetches(accache_extent there, long long before, long long first, long long last, const char *name)
{
    const long long begin = there.first + before, end = there.end + before;
    if (there.known && first <= last && (first < begin || last >= end))
        accache::fatal("the kernel uses elements %lld to %lld of %s, and on the device are %lld to %lld", first, last,
                       name, begin, end - 1);
}

inline void accache_reaches(accache_extent there, long long before, long long first, long long last, const char *name)
{
#ifdef ACCACHE_CPU_CHECK // the checker finds what lies near, between this memory and the next, and tells its place
    const long long near = 16;
    if (first >= there.first + before - near && last < there.end + before + near)
        return;
#endif
    accache_fetches(there, before, first, last, name);
}

inline void accache_reaches_members(const void *structure, size_t bytes, const char *name)
{
    const accache_extent there = accache_extent_of(structure, 1);
    if (structure != nullptr && there.known && there.end < static_cast<long long>(bytes))
        accache::fatal("the kernel uses members in the first %zu bytes of the structure at %s, and on the device are %lld; "
                       "a data clause such as copyin(%s[0:1]) puts all of it there", bytes, name, there.end, name);
}

inline void accache_strides(long long limit, long long stride, const char *name)
{
    if (stride > 0 ? limit > INT32_MAX - stride : limit < INT32_MIN - stride)
        accache::fatal("the loop over %s ends at %lld, which is too near to the end of int for threads that stride "
                       "by %lld: let %s be a long", name, limit, stride, name);
}

inline bool accache_holds(const void *pointer, size_t element_bytes, long long first, long long end)
{
    const accache_extent extent = accache_extent_of(pointer, element_bytes);
    return extent.known && extent.first <= first && extent.end >= end;
}

// Different mappings are different arrays. Memory that we did not map is not inside a mapping either, except that a
// pointer just behind one may be used to reach back into it. Of two pointers that we did not map nothing is known.
inline bool accache_disjoint(const void *pointer, accache_pointers others)
{
    if (pointer == nullptr)
        return true;
    const accache::Mapping *const a = accache::mapping_of(pointer);
    for (const void *const other : others) {
        if (other == nullptr)
            continue;
        const accache::Mapping *const b = accache::mapping_of(other);
        if (a == b || (a != nullptr && b == nullptr && other == a->device + a->bytes) ||
            (b != nullptr && a == nullptr && pointer == b->device + b->bytes))
            return false;
    }
    return true;
}

inline bool accache_disjoint(std::initializer_list<accache_apart> rows)
{
    for (const accache_apart &row : rows)
        if (!accache_disjoint(row.pointer, row.others))
            return false;
    return true;
}

inline void accache_allow_shared(const void *kernel, size_t shared_bytes)
{
    accache::find_device();
    accache::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared_bytes)),
                   "reserve", "shared memory", shared_bytes);
}

inline void accache_launched(const char *kernel, dim3 grid, dim3 block, size_t shared_bytes, const char *file,
                             int line)
{
    accache::arrive(file, line);
    if (accache::on_host())
        accache::fatal("the host was chosen as the device, and %s is compiled for GPUs only", kernel);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) {
        const bool too_long = grid.y > 65535 || grid.z > 65535;
        accache::fatal("launch %s grid=(%u,%u,%u) block=(%u,%u,%u) shared=%zu: %s%s", kernel, grid.x, grid.y, grid.z,
                       block.x, block.y, block.z, shared_bytes, cudaGetErrorString(status),
                       too_long ? "; y and z hold 65535 blocks at most: let the longest loop be the inner one" : "");
    }
    ++accache::launches;
    accache::last_kernel = kernel;
    accache::last_launch = accache::here;
    if (accache::construct_queue() != ACCACHE_SYNC) {
        static const bool waits = atexit(accache::wait_at_exit) == 0;
        (void)waits;
    }
    if (accache::notify(1))
        fprintf(stderr, "accache: launch %s grid=(%u,%u,%u) block=(%u,%u,%u) shared=%zu %s:%d\n", kernel, grid.x,
                grid.y, grid.z, block.x, block.y, block.z, shared_bytes, file, line);
}

inline void accache_launched_too(const char *kernel, bool is_last)
{
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess)
        accache::fatal("launch %s: %s", kernel, cudaGetErrorString(status));
    if (is_last && accache::construct_queue() == ACCACHE_SYNC) // queues do not wait for what has none
        accache::check(cudaStreamSynchronize(nullptr), "wait for", "the device", 0);
}

inline cudaStream_t accache_stream() { return accache::queue_of(accache::construct_queue()).stream; }

inline void *accache_present_copy(const void *host, size_t bytes)
{
    if (accache::on_host())
        return nullptr;
    const accache::Found found = accache::look_up(host, bytes);
    return found.whole ? found.mapping->address_of(host) : nullptr;
}

inline void *accache_scratch(size_t bytes, int slot)
{
    const int async = accache::construct_queue();
    accache::Queue &queue = accache::queue_of(async);
    const size_t index = static_cast<size_t>(slot);
    if (index >= queue.scratch.size())
        queue.scratch.resize(index + 1, accache::Scratch{nullptr, 0});
    accache::Scratch &buffer = queue.scratch[index];
    if (buffer.bytes < bytes) {
        accache::discard(buffer.memory, async, "scratch memory", buffer.bytes);
        buffer = accache::Scratch{accache::allocate(bytes, "scratch memory"), bytes};
    }
    return buffer.memory;
}

inline void *accache_staging(size_t bytes)
{
    accache::Queue &queue = accache::queue_of(accache::construct_queue());
    accache::Scratch &buffer = queue.staging;
    if (buffer.bytes < bytes) {
        queue.unpinned.push_back(buffer.memory);
        if (accache::construct_queue() == ACCACHE_SYNC)
            accache::free_discarded(queue);
        accache::check(cudaMallocHost(&buffer.memory, bytes), "create", "pinned memory", bytes);
        buffer.bytes = bytes;
    }
    return buffer.memory;
}

inline void accache_read(void *host, const void *device, size_t bytes)
{
    accache::copy(host, device, bytes, cudaMemcpyDeviceToHost, accache::construct_queue(), "read", "a result");
}

inline void accache_write(void *device, const void *host, size_t bytes)
{
    accache::copy(device, host, bytes, cudaMemcpyHostToDevice, accache::construct_queue(), "write", "a value");
}

inline void accache_then(void (*action)(void *), void *argument)
{
    if (accache::construct_queue() == ACCACHE_SYNC)
        action(argument);
    else
        accache::check(cudaLaunchHostFunc(accache_stream(), action, argument), "queue", "the end of a reduction", 0);
}

inline void accache_finish() { accache::check(cudaStreamSynchronize(accache_stream()), "wait for", "a queue", 0); }

#endif
