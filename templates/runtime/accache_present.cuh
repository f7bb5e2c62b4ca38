// accache run-time, part 2: the present table of OpenACC 3.3 (2.6.7), attached pointers (2.6.8), transfers.
#ifndef ACCACHE_PRESENT_CUH
#define ACCACHE_PRESENT_CUH
#ifndef ACCACHE_DEVICE_CUH
#include "accache_device.cuh"
#endif

namespace accache {

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

struct Part { Section section; char *device; };

struct Region {
    Place place;
    bool host;  // the device it was
    int number; // entered on
    int async;
    std::vector<Entry> entries;
    std::vector<uintptr_t> empty; // addresses that its sections without elements were named by
    std::vector<void *const *> attached;
    std::vector<Part> structures;     // those of which members stand for all
};

inline std::vector<Region> regions;         // open structured regions, innermost last
inline int directive_queue = ACCACHE_SYNC; // of a directive without a region

inline int construct_queue() { return regions.empty() ? ACCACHE_SYNC : regions.back().async; }

// ---- Looking things up ----

inline const Mapping *around(const void *memory) // by device address
{
    const std::map<uintptr_t, const Mapping *> &mappings = device().on_device;
    const uintptr_t address = reinterpret_cast<uintptr_t>(memory);
    const auto behind = mappings.upper_bound(address);
    if (behind == mappings.begin())
        return nullptr;
    const auto candidate = std::prev(behind);
    return address - candidate->first < candidate->second->bytes ? candidate->second : nullptr;
}

struct Found { Mapping *mapping; bool whole; }; // what holds a section, all of it or only a part; null: it is absent

inline Found look_up(const void *host, size_t bytes)
{
    std::map<uintptr_t, Mapping> &present = device().present;
    const uintptr_t first = reinterpret_cast<uintptr_t>(host), end = first + bytes;
    const auto behind = present.upper_bound(first);
    if (behind != present.begin()) {
        Mapping &mapping = std::prev(behind)->second;
        if (first < mapping.host + mapping.bytes)
            return Found{&mapping, end <= mapping.host + mapping.bytes};
    }
    if (behind != present.end() && behind->first < end)
        return Found{&behind->second, false};
    return Found{nullptr, false};
}

// The device address of present data, or of an array of which a section is present; null if there is neither.
inline void *address_on_device(const void *host, const char *name)
{
    const Mapping *holder = look_up(host, 1).mapping;
    const uintptr_t first = reinterpret_cast<uintptr_t>(host);
    for (auto array = device().arrays.lower_bound({first, nullptr});
         array != device().arrays.end() && array->first == first; ++array) {
        if (holder != nullptr)
            fatal("several sections of %s are present: name the one you mean in a data clause", name);
        holder = array->second;
    }
    return holder != nullptr ? holder->address_of(host) : nullptr;
}

// Lets an address stand for a mapping that begins behind it: that of an array of which a section is present.
inline void stand_in(uintptr_t address, Mapping &mapping)
{
    if (mapping.host > address && device().arrays.emplace(address, &mapping).second)
        mapping.arrays.push_back(address);
}

// The address that a structure would have on the device, by those of its members that are there; null if none is.
inline void *structure_of_members(const void *host, size_t bytes, const char *name)
{
    const uintptr_t first = reinterpret_cast<uintptr_t>(host), end = first + bytes;
    std::map<uintptr_t, Mapping> &present = device().present;
    char *found = nullptr;
    for (auto part = present.lower_bound(first); part != present.end() && part->first < end; ++part) {
        char *const base = part->second.device - (part->first - first);
        if (found != nullptr && found != base)
            fatal("the members of %s were brought to the device one by one: name %s as a whole", name, name);
        found = base;
        stand_in(first, part->second);
    }
    return found;
}

// In a construct whose kernels take the members of a structure for parts of one: that they are.
inline void check_structures(const Region &region, const Section &section, const Mapping &mapping)
{
    const uintptr_t host = reinterpret_cast<uintptr_t>(section.host);
    for (const Part &whole : region.structures) {
        const uintptr_t first = reinterpret_cast<uintptr_t>(whole.section.host);
        if (host - first < whole.section.bytes && mapping.address_of(section.host) != whole.device + (host - first))
            fatal("the members of %s were brought to the device one by one: name %s as a whole", whole.section.name,
                  whole.section.name);
    }
}

// Whether kernels cannot reach what a pointer leads to.
inline bool is_host_memory(const void *pointer)
{
    cudaPointerAttributes attributes{};
    const cudaError_t status = cudaPointerGetAttributes(&attributes, pointer);
    if (status != cudaSuccess)
        cudaGetLastError();
    return status != cudaSuccess || attributes.type == cudaMemoryTypeUnregistered;
}

// Notes that a section without elements is present by this address: so programs need not ask whether there are any.
inline uintptr_t note_empty(const void *host)
{
    return *device().empty.insert(reinterpret_cast<uintptr_t>(host));
}

inline bool is_empty(const void *host)
{
    return device().empty.count(reinterpret_cast<uintptr_t>(host)) != 0;
}

inline void forget_empty(uintptr_t address)
{
    const auto noted = device().empty.find(address);
    if (noted != device().empty.end())
        device().empty.erase(noted);
}

// The mapping that a pointer of the program leads to: a host address, one that stands for a section, a device address.
inline const Mapping *mapping_of(const void *pointer)
{
    if (const Mapping *const mapping = look_up(pointer, 1).mapping)
        return mapping;
    const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    const auto array = device().arrays.lower_bound({address, nullptr});
    return array != device().arrays.end() && array->first == address ? array->second : around(pointer);
}

// The mapping that holds all of a section, or null if none of it is present. A part of it present is an error (2.7.3).
// A section of ACCACHE_WHOLE becomes the mapping's.
inline Mapping *find(Section &section)
{
    const bool whole = section.bytes == ACCACHE_WHOLE;
    if (!whole && section.bytes > PTRDIFF_MAX)
        fatal("the section of %s has a negative length", section.name);
    const Found found = look_up(section.host, whole ? 1 : section.bytes);
    if (found.mapping == nullptr)
        return nullptr;
    const Mapping &mapping = *found.mapping;
    if (!found.whole)
        fatal("%s (%zu bytes at %p) is only partly present on the device, where %s is %zu bytes at %p",
              section.name, section.bytes, section.host, mapping.name, mapping.bytes,
              reinterpret_cast<void *>(mapping.host));
    if (whole)
        section = Section{reinterpret_cast<const void *>(mapping.host), mapping.bytes, section.name};
    return found.mapping;
}

// ---- Making and ending mappings ----

// Lets the pointers of routines lead to the copies of variables that a new mapping holds, or parts of them.
inline void lead_to(const Mapping &mapping, int async)
{
    for (const Resident &item : residents()) {
        if (item.host >= mapping.host + mapping.bytes || mapping.host >= item.host + item.bytes)
            continue;
        const void *const copy = mapping.address_of(reinterpret_cast<const void *>(item.host));
        check(static_cast<cudaError_t>(item.place(copy, queue_of(async).stream)), "place", item.name, item.bytes);
    }
}

inline Mapping *enter(const Section &section, void *memory, bool borrowed, int async)
{
    const uintptr_t host = reinterpret_cast<uintptr_t>(section.host);
    Mapping &mapping = device().present[host];
    mapping = Mapping{host, section.bytes, static_cast<char *>(memory), section.name, 0, 0, borrowed};
    device().on_device[reinterpret_cast<uintptr_t>(memory)] = &mapping;
#ifdef ACCACHE_CPU
    accache_cpu_mapped(section.host, memory, section.bytes);
#endif
    lead_to(mapping, async);
    return &mapping;
}

// The structure that the next section is a member of, until that is mapped.
inline Section next_structure{nullptr, 0, nullptr};

struct OfStructure { ~OfStructure() { next_structure = Section{nullptr, 0, nullptr}; } };

// Memory for a member of a structure, in a block in which its members lie as they do on the host; null if there is none.
inline char *memory_of_member(const Section &section)
{
    const uintptr_t first = reinterpret_cast<uintptr_t>(next_structure.host);
    const size_t offset = reinterpret_cast<uintptr_t>(section.host) - first;
    if (next_structure.empty() || offset + section.bytes > next_structure.bytes)
        return nullptr;
    const auto known = device().structures.find(first);
    if (known == device().structures.end())
        device().structures[first] =
            Block{static_cast<char *>(allocate(next_structure.bytes, section.name)), next_structure.bytes, 0};
    Block &block = device().structures[first];
    if (block.bytes != next_structure.bytes) // of a variable that was there before
        return nullptr;
    ++block.users;
    return block.device + offset;
}

inline Mapping *create(const Section &section, size_t element_bytes, int async)
{
    if (section.bytes == ACCACHE_WHOLE)
        fatal("%s is not present on the device, and its length is not known here", section.name);
    char *const shared = memory_of_member(section);
    Mapping *const mapping =
        enter(section, shared != nullptr ? shared : allocate(section.bytes, section.name), false, async);
    mapping->structure = shared != nullptr ? reinterpret_cast<uintptr_t>(next_structure.host) : 0;
    tell(2, "create", section.name, section.bytes);
#ifdef ACCACHE_CPU // for the messages of a checker
    accache_cpu_label(mapping->device, section.bytes, section.name, element_bytes);
    accache_cpu_element(section.host, element_bytes);
#endif
    (void)element_bytes;
    return mapping;
}

inline void forget_attachments(const Mapping &mapping) // of pointers inside it
{
    std::map<uintptr_t, Attachment> &attachments = device().attachments;
    attachments.erase(attachments.lower_bound(mapping.host), attachments.lower_bound(mapping.host + mapping.bytes));
}

inline void leave(const Mapping &mapping)
{
    forget_attachments(mapping);
    for (const uintptr_t array : mapping.arrays)
        device().arrays.erase({array, &mapping});
    device().on_device.erase(reinterpret_cast<uintptr_t>(mapping.device));
    device().present.erase(mapping.host);
}

inline void part_with(const Mapping &mapping) // before its memory goes
{
#ifdef ACCACHE_CPU
    accache_cpu_unmapped(reinterpret_cast<const void *>(mapping.host));
#endif
    (void)mapping;
}

inline void release(const Mapping &mapping, int async)
{
    part_with(mapping);
    const auto block = device().structures.find(mapping.structure);
    const bool shares = mapping.structure != 0 && block != device().structures.end();
    if (shares && --block->second.users == 0) {
        discard(block->second.device, async, mapping.name, block->second.bytes);
        device().structures.erase(block);
    }
    if (!mapping.borrowed && !shares)
        discard(mapping.device, async, mapping.name, mapping.bytes);
    if (!mapping.borrowed)
        tell(2, "delete", mapping.name, mapping.bytes);
    leave(mapping);
}

// ---- Transfers ----

// Where the array begins that a mapping is of, or holds a section of.
inline uintptr_t array_of(const Mapping &mapping)
{
    return mapping.arrays.size() == 1 ? mapping.arrays.front() : mapping.host;
}

// A part of a mapping came from the device. `accache run --compare`: the sequential program, which calls this in the
// place of the transfer, has its values already.
inline void downloaded(const Mapping &mapping, const void *host, size_t bytes)
{
#ifdef ACCACHE_CPU
    accache_cpu_downloaded(host, bytes, reinterpret_cast<const void *>(array_of(mapping)), mapping.name);
#endif
    (void)mapping, (void)host, (void)bytes;
}

// Copies a section between host and device. Pointers in it that are attached keep their values on both sides.
inline void transfer(const Mapping &mapping, const Section &section, cudaMemcpyKind kind, int async)
{
    const bool up = kind == cudaMemcpyHostToDevice;
    const char *const what = up ? "upload" : "download";
    const uintptr_t end = reinterpret_cast<uintptr_t>(section.host) + section.bytes;
    uintptr_t first = reinterpret_cast<uintptr_t>(section.host);
    const auto move = [&](uintptr_t stop) {
        void *const host = reinterpret_cast<void *>(first);
        void *const there = mapping.address_of(host);
        if (first < stop && (up || !accache_is_sequential()))
            copy(up ? there : host, up ? host : there, stop - first, kind, async, what, section.name);
        if (first < stop && !up)
            downloaded(mapping, host, stop - first);
    };
    const std::map<uintptr_t, Attachment> &attachments = device().attachments;
    const auto last = attachments.lower_bound(end);
    for (auto pointer = attachments.lower_bound(first); pointer != last; ++pointer) {
        move(pointer->first);
        first = pointer->first + sizeof(void *);
    }
    move(end);
    tell(1, what, section.name, section.bytes);
}

inline bool has_attachments(const Section &section)
{
    const uintptr_t first = reinterpret_cast<uintptr_t>(section.host);
    const auto pointer = device().attachments.lower_bound(first);
    return pointer != device().attachments.end() && pointer->first < first + section.bytes;
}

// The same for rows of width bytes, pitch bytes from one to the next; the section is all from the first to the last.
inline void transfer_rows(const Mapping &mapping, const Section &section, size_t width, size_t pitch,
                          cudaMemcpyKind kind, int async)
{
    const bool up = kind == cudaMemcpyHostToDevice;
    const size_t rows = (section.bytes - width) / pitch + 1;
    if (has_attachments(section)) {
        for (size_t row = 0; row < rows; ++row)
            transfer(mapping, Section{static_cast<const char *>(section.host) + row * pitch, width, section.name},
                     kind, async);
        return;
    }
    void *const host = const_cast<void *>(section.host), *const there = mapping.address_of(host);
    void *const to = up ? there : host;
    const void *const from = up ? host : there;
    count(up ? uploads : downloads, rows * width);
    if (!up && accache_is_sequential())
        ;
    else if (meant_by(async) == ACCACHE_SYNC)
        check(cudaMemcpy2D(to, pitch, from, pitch, width, rows, kind), "update", section.name, rows * width);
    else
        check(cudaMemcpy2DAsync(to, pitch, from, pitch, width, rows, kind, queue_of(async).stream), "update",
              section.name, rows * width);
    for (size_t row = 0; row < rows && !up; ++row)
        downloaded(mapping, static_cast<char *>(host) + row * pitch, width);
    tell(1, up ? "upload" : "download", section.name, rows * width);
}

inline void upload(const Mapping &mapping, const Section &section, int async)
{
    transfer(mapping, section, cudaMemcpyHostToDevice, async);
}

inline void download(const Mapping &mapping, const Section &section, int async)
{
    transfer(mapping, section, cudaMemcpyDeviceToHost, async);
}

// Declared data gets its copy when the program first uses a device, and keeps it. Several files may declare it.
inline void place_declared(Device &device)
{
    const Place before = here;
    while (device.declared < declared().size()) {
        const Declared &item = declared()[device.declared++];
        go_to(item.place);
        Section section{item.host, item.bytes, item.name};
        if (find(section) != nullptr)
            continue;
        Mapping &mapping = *create(section, item.element_bytes, ACCACHE_SYNC);
        mapping.structured = 1;
        if (item.action & ACCACHE_ZERO)
            fill_with_zeros(mapping.device, item.bytes, ACCACHE_SYNC, item.name);
        if ((item.action & ACCACHE_ACTION) == ACCACHE_COPYIN) {
            copy(mapping.device, item.value.data(), item.bytes, cudaMemcpyHostToDevice, ACCACHE_SYNC, "upload",
                 item.name);
            tell(1, "upload", item.name, item.bytes);
        }
    }
    go_to(before);
}

// The mapping to update, or null if there is nothing to do.
inline const Mapping *find_to_update(Section &section, int if_present)
{
    if (section.empty() || on_host())
        return nullptr;
    const Mapping *const mapping = find(section);
    const bool lacks_elements = section.bytes == ACCACHE_WHOLE && is_empty(section.host);
    if (mapping == nullptr && !if_present && !lacks_elements)
        fatal("update: %s (%p) is not present on the device", section.name, section.host);
    return mapping;
}

// ---- Pointers in device memory (2.7.2) ----

inline void set_pointer(const Mapping &holder, void *const *pointer, const void *value, int async)
{
    copy(holder.address_of(pointer), &value, sizeof value, cudaMemcpyHostToDevice, async, "attach", holder.name);
}

// Lets the device copy of a pointer point to the device copy of its target, if both are present, and says so.
inline bool attach(void *const *pointer, int async)
{
    if (on_host())
        return false;
    const Found holder = look_up(pointer, sizeof *pointer);
    const void *const target = *pointer != nullptr ? address_on_device(*pointer, "a pointer's target") : nullptr;
    if (!holder.whole || (target == nullptr && *pointer != nullptr))
        return false;
    Attachment &attachment = device().attachments[reinterpret_cast<uintptr_t>(pointer)];
    if (attachment.count > 0 && attachment.target == target) {
        ++attachment.count;
        return true;
    }
    attachment = Attachment{1, target};
    set_pointer(*holder.mapping, pointer, target, async);
    return true;
}

// Gives the device copy of a pointer the host's value again when its counter has come down to zero.
inline void detach(void *const *pointer, bool finalize, int async)
{
    if (on_host())
        return;
    std::map<uintptr_t, Attachment> &attachments = device().attachments;
    const auto attachment = attachments.find(reinterpret_cast<uintptr_t>(pointer));
    if (attachment == attachments.end())
        return;
    attachment->second.count = finalize ? 0 : attachment->second.count - 1;
    if (attachment->second.count > 0)
        return;
    attachments.erase(attachment);
    set_pointer(*look_up(pointer, sizeof *pointer).mapping, pointer, *pointer, async);
}

// Lets the copies of pointers that routines use lead to what is mapped now, if that is what they lead to on the host.
inline void attach_residents(const Mapping &mapping, int async)
{
    for (const Resident &item : residents()) {
        void *const *const pointer = reinterpret_cast<void *const *>(item.host);
        if (!item.is_pointer || reinterpret_cast<uintptr_t>(*pointer) - mapping.host >= mapping.bytes)
            continue;
        const auto known = device().attachments.find(item.host);
        if (known == device().attachments.end() || known->second.target != mapping.address_of(*pointer))
            attach(pointer, async);
    }
}

// Before a kernel: all that is declared has its place.
inline void place_residents()
{
    if (!residents().empty() && !on_host())
        device();
}

// ---- Dynamic lifetimes (2.6.6), of directives and of routines ----

// The mapping of a section, made if there is none, and with the values that an action gives it.
inline Mapping *find_or_create(int action, Section &section, size_t element_bytes, int async)
{
    const int plain = action & ACCACHE_ACTION;
    Mapping *mapping = find(section);
    const bool is_new = mapping == nullptr;
    if (is_new)
        mapping = create(section, element_bytes, async);
    if ((is_new && (plain == ACCACHE_COPY || plain == ACCACHE_COPYIN)) || (action & ACCACHE_ALWAYS_IN))
        upload(*mapping, section, async);
    else if (is_new && (action & ACCACHE_ZERO))
        fill_with_zeros(mapping->device, section.bytes, async, section.name);
    return mapping;
}

inline Mapping *enter_data(int action, Section section, size_t element_bytes, int async)
{
    if (section.empty()) {
        note_empty(section.host);
        return nullptr;
    }
    Mapping *const mapping = find_or_create(action, section, element_bytes, async);
    attach_residents(*mapping, async);
    ++mapping->dynamic;
    return mapping;
}

// Data that is absent, or that only structured regions hold, is left as it is. What acc_map_data mapped stays.
inline void exit_data(int action, bool finalize, Section section, int async)
{
    Mapping *const mapping = section.empty() ? nullptr : find(section);
    if (section.empty() || (mapping == nullptr && section.bytes == ACCACHE_WHOLE))
        forget_empty(reinterpret_cast<uintptr_t>(section.host));
    const size_t least = mapping != nullptr && mapping->borrowed ? 1 : 0;
    if (mapping == nullptr)
        return;
    if (mapping->dynamic > least)
        mapping->dynamic = finalize ? least : mapping->dynamic - 1;
    if ((mapping->unused() && (action & ACCACHE_ACTION) == ACCACHE_COPYOUT) || (action & ACCACHE_ALWAYS_OUT))
        download(*mapping, section, async);
    if (mapping->unused())
        release(*mapping, async);
}

} // namespace accache
#endif
