#include "copies.h"

#include <algorithm>
#include <cstring>

#include "access.h"

namespace accache_cpu::check {

constexpr size_t part_bytes = 16;

template <Access kind> static void ordinary(Region &region, size_t offset, size_t bytes, const void *pc) {
    if (bytes == 4) return ordinary_access<kind>(region, offset, 4, pc);
    for (size_t done = 0; done < bytes; done += part_bytes)
        ordinary_access<kind>(region, offset + done, std::min(part_bytes, bytes - done), pc);
}

static __attribute__((noinline)) bool many_exist(const Region &region, size_t offset, size_t bytes) {
    for (size_t done = 0; done < bytes; done += part_bytes)
        if (!all_there(region, offset + done, std::min(part_bytes, bytes - done))) return false;
    return true;
}

static inline bool exists(const Region &region, size_t offset, size_t bytes) {
    return bytes <= part_bytes ? all_there(region, offset, bytes) : many_exist(region, offset, bytes);
}

template <class T> static inline uint64_t one_value(const char *memory) {
    T value;
    std::memcpy(&value, memory, sizeof value);
    return value;
}

// Each by a load of its own: to put parts together in memory, and read the whole, makes a processor wait.
static inline uint64_t first_bytes(const char *memory, size_t bytes) {
    if (bytes == 4) return one_value<uint32_t>(memory);
    if (bytes >= 8) return one_value<uint64_t>(memory);
    if (bytes == 1) return one_value<uint8_t>(memory);
    if (bytes == 2) return one_value<uint16_t>(memory);
    uint64_t value = 0;
    std::memcpy(&value, memory, bytes);
    return value;
}

void load_in_copy(Region &region, size_t offset, size_t bytes, const void *pc) {
    OpenCopy &open = state.open_copy;
    // The assignment of a structure names its store first: then nothing is stored yet. A single byte is a dirty flag.
    bool behind_store = open.target && !open.source && open.bytes == bytes && bytes > 1 &&
                        first_bytes(address_of(*open.target, open.to), bytes) == open.value;
    // Of a load, a store and this load the store may belong to either.
    bool either = open.target && open.source && open.bytes == bytes && bytes > 1;
    Region *earlier_target = either ? open.target : nullptr;
    size_t earlier_to = open.to;
    if (!behind_store) settle_copy();
    if (!exists(region, offset, bytes)) return ordinary<Access::read>(region, offset, bytes, pc);
    if (either) open.earlier_target = earlier_target, open.earlier_to = earlier_to;
    open.source = &region, open.from = offset, open.bytes = bytes, open.pc = pc;
    open.value = first_bytes(address_of(region, offset), bytes);
}

void store_in_copy(Region &region, size_t offset, size_t bytes, const void *pc) {
    OpenCopy &open = state.open_copy;
    bool to_itself = open.source == &region && open.from == offset;
    if (open.target || open.bytes != bytes || to_itself) settle_copy();
    ordinary<Access::write>(region, offset, bytes, pc);
    if (!exists(region, offset, bytes)) return;
    open.target = &region, open.to = offset, open.bytes = bytes;
    if (!open.source) open.value = first_bytes(address_of(region, offset), bytes);
}

// The bytes that have a value, be it an old one.
static uint32_t values_there(const Region &region, size_t offset, size_t bytes) {
    uint32_t written = few_bits(region.written, offset, bytes);
    return region.outdated ? written | few_bits(region.outdated, offset, bytes) : written;
}

void store_local_in_copy(size_t offset, size_t bytes, const void *pc) {
    if (state.in_assignment) end_assignment();
    OpenCopy &open = state.open_copy;
    if (!open.source || open.target || open.source->shared || open.bytes != bytes) {
        settle_copy();
        if (holds_unset(offset, bytes)) local_access(offset, bytes, Access::write, pc);
        return;
    }
    Region &source = *open.source;
    open.close();
    touch_range<Access::read>(source, open.from, bytes, open.pc);
    uint32_t all = (1u << bytes) - 1;
    put_few_bits(state.locals.unset, offset, bytes, values_there(source, open.from, bytes) ^ all);
}

// From global to shared memory: the copies count as written, and their sources as read, when somebody uses them.
static inline __attribute__((always_inline)) void fetch(Region &target, size_t to, Region &source, size_t from, size_t bytes,
                                                        const void *pc) {
    put_few_bits(target.copied, to, bytes, few_bits(source.written, from, bytes));
    put_few_bits(target.written, to, bytes, 0);
    Origin *origin = target.origins + to;
    each_cell(source, from, bytes, [&](Cell &cell, const char *address, size_t touched) {
        Stamp racing = write_races(cell.write, state.me, false) ? cell.write : 0;
        for (size_t i = 0; i < (touched == 1 ? 1 : 4); ++i)
            *origin++ = {address + i, state.me, racing, pc_bits(pc), cell.write_pc};
    });
}

// From shared memory: a copy of a copy has the same origin, unless it leaves the block.
static void pass_on(Region &target, size_t to, Region &source, size_t from, size_t bytes, const void *pc) {
    touch_range<Access::read>(source, from, bytes, pc);
    if (!target.shared) use_copies(source, from, bytes, pc);
    put_few_bits(target.written, to, bytes, few_bits(source.written, from, bytes));
    if (!target.shared) return;
    put_few_bits(target.copied, to, bytes, few_bits(source.copied, from, bytes));
    std::memmove(&target.origins[to], &source.origins[from], bytes * sizeof(Origin));
}

static inline __attribute__((always_inline)) void hand_on(Region &target, size_t to, Region &source, size_t from,
                                                          size_t bytes, const void *pc) {
    if (source.shared) return pass_on(target, to, source, from, bytes, pc);
    if (target.shared) return fetch(target, to, source, from, bytes, pc);
    touch_range<Access::read>(source, from, bytes, pc);
    put_few_bits(target.written, to, bytes, values_there(source, from, bytes));
}

// A structure goes to a variable of the thread's own, whose members are not watched: some of them need no value.
static void read_structure(Region &region, size_t offset, size_t bytes, const void *pc) {
    bool is_set = false;
    for (size_t done = 0; done < bytes; done += part_bytes) {
        size_t place = offset + done, part = std::min(part_bytes, bytes - done);
        if (region.shared) use_copies(region, place, part, pc);
        is_set = is_set || values_there(region, place, part);
    }
    for (size_t done = 0; done < bytes; done += part_bytes) {
        size_t place = offset + done, part = std::min(part_bytes, bytes - done);
        bool is_old = region.outdated && few_bits(region.outdated, place, part);
        if (is_set && !is_old) touch_range<Access::read>(region, place, part, pc);
        else ordinary<Access::read>(region, place, part, pc);
    }
}

void settle_open_copy() {
    OpenCopy &open = state.open_copy;
    Region *source = open.source, *target = open.target ? open.target : open.earlier_target;
    size_t from = open.from, to = open.target ? open.to : open.earlier_to, bytes = open.bytes;
    const void *pc = open.pc;
    open.close();
    if (!source) return;
    // The first bytes will do: not every instruction that copies a long value moves its padding.
    bool copied = target && first_bytes(address_of(*target, to), bytes) == open.value;
    if (!copied && state.in_assignment) return read_structure(*source, from, bytes, pc);
    if (!copied) return ordinary<Access::read>(*source, from, bytes, pc);
    if (bytes == 4) return hand_on(*target, to, *source, from, 4, pc);  // most are, and for these all is known
    for (size_t done = 0; done < bytes; done += part_bytes)
        hand_on(*target, to + done, *source, from + done, std::min(part_bytes, bytes - done), pc);
}

void end_assignment() {
    settle_copy();
    state.in_copy = state.in_assignment = false;
}

template <Access kind> void assign_structure(const void *address, size_t bytes, const void *pc) {
    Region *region = region_at(address);
    if (!region || kind == Access::write) end_assignment();
    if (!region) return access_many<kind>(address, bytes, pc);
    for (size_t done = 0; done < bytes; done += part_bytes) count<kind>(*region);
    if (kind == Access::write) store_in_copy(*region, region->offset(address), bytes, pc);
    else load_in_copy(*region, region->offset(address), bytes, pc);
    state.in_copy = state.in_assignment = true;
}
template void assign_structure<Access::read>(const void *, size_t, const void *);
template void assign_structure<Access::write>(const void *, size_t, const void *);

static inline Region &source_of(const Origin &origin) {
    return state.device.offset(origin.source) < state.device.bytes ? state.device : *region_at(origin.source);
}

// The source of `bytes` bytes copied at one time was read then.
static inline __attribute__((always_inline)) void use(const Origin &origin, size_t bytes, const void *pc) {
    Region &source = source_of(origin);
    each_cell(source, source.offset(origin.source), bytes, [&](Cell &cell, const char *address, size_t cell_bytes) {
        bool late = write_races(cell.write, origin.read, false);  // written after the copy was made
        if (origin.write) report_copy_race(origin, origin.write, origin.write_pc, address, cell_bytes, pc);
        else if (late) report_copy_race(origin, cell.write, cell.write_pc, address, cell_bytes, pc);
        // A later read of this block stands for this one, whose phase is over.
        if (phase_of(cell.read) <= phase_of(origin.read)) record_read(cell, origin.read, origin.read_pc);
    });
}

// Whether a byte was copied together with that before it.
static bool continues(const Origin &before, const Origin &origin) {
    return origin.source == before.source + 1 && origin.read == before.read && origin.write == before.write;
}

bool use_whole_copy(Region &region, size_t offset, size_t bytes, const void *pc) {
    uint32_t all = (1u << bytes) - 1;
    if (few_bits(region.copied, offset, bytes) != all || !all_there(region, offset, bytes)) return false;
    const Origin *origins = region.origins + offset;
    bool is_word = bytes == 4 && continues(origins[0], origins[1]) && continues(origins[1], origins[2]) &&
                   continues(origins[2], origins[3]);
    if (!is_word && bytes != 1) return false;
    put_few_bits(region.written, offset, bytes, all);
    put_few_bits(region.copied, offset, bytes, 0);
    if (is_word) use(origins[0], 4, pc);
    else use(origins[0], 1, pc);
    return true;
}

void use_copies(Region &region, size_t offset, size_t bytes, const void *pc) {
    uint32_t copied = few_bits(region.copied, offset, bytes);
    put_few_bits(region.written, offset, bytes, few_bits(region.written, offset, bytes) | copied);
    put_few_bits(region.copied, offset, bytes, 0);
    const Origin *origins = region.origins + offset;
    while (copied) {
        size_t first = static_cast<size_t>(__builtin_ctz(copied)), end = first + 1;
        while (copied >> end & 1 && continues(origins[end - 1], origins[end])) ++end;
        use(origins[first], end - first, pc);
        copied &= ~0u << end;
    }
}

}  // namespace accache_cpu::check
