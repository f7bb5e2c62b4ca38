// What happens at every access of a kernel: find its memory, see that it exists and was written, look for races.
#pragma once

#include "copies.h"
#include "findings.h"
#include "locals.h"
#include "races.h"
#include "record.h"
#include "state.h"

namespace accache_cpu::check {

// The rare cases, kept out of the way of the common one.
void access_outside(const void *address, size_t bytes, Access access, const void *pc);
void doubtful_load(Region &region, size_t offset, size_t bytes, Access access, const void *pc);
void first_store(Region &region, size_t offset, size_t bytes, Access access, const void *pc);
void split_word(Region &region, size_t word);
Exchanged found_by_exchange(const void *address, size_t bytes);
Region *region_at(const void *address);  // null if kernels see no memory there

inline Cell &cell_of_byte(Region &region, size_t offset) {
    if (__builtin_expect(region.words[offset / 4].write != split, 0)) split_word(region, offset / 4);
    return region.single_bytes[offset];
}

inline const char *address_of(const Region &region, size_t offset) {
    return reinterpret_cast<const char *>(region.base + offset);
}

// Calls `visit(cell, address, bytes)` for each byte of a range: neighbouring bytes may belong to different threads.
template <class Visit>
__attribute__((noinline)) void each_byte(Region &region, size_t offset, size_t bytes, const Visit &visit) {
    for (size_t i = offset; i < offset + bytes; ++i) visit(cell_of_byte(region, i), address_of(region, i), 1);
}

// The same for each cell of a range.
template <class Visit>
inline __attribute__((always_inline)) void each_cell(Region &region, size_t offset, size_t bytes, const Visit &visit) {
    if (__builtin_expect((offset | bytes) & 3, 0)) return each_byte(region, offset, bytes, visit);
    for (size_t i = offset; i < offset + bytes; i += 4) {
        Cell &cell = region.words[i / 4];
        if (__builtin_expect(cell.write == split, 0)) each_byte(region, i, 4, visit);
        else visit(cell, address_of(region, i), bytes);
    }
}

template <Access kind> void touch_range(Region &region, size_t offset, size_t bytes, const void *pc) {
    each_cell(region, offset, bytes, [&](Cell &cell, const char *address, size_t touched) {
        touch<kind>(cell, region.shared, address, touched, pc);
    });
}

// The same for a scalar. Of a plain access that is all, as a rule: no call, and nothing kept on the stack.
template <Access kind>
inline __attribute__((always_inline)) void touch_scalar(Region &region, size_t offset, size_t bytes, const void *pc) {
    constexpr bool is_plain = kind == Access::read || kind == Access::write;
    size_t word = offset / 4;
    bool by_words = bytes % 4 == 0;
    bool in_split_word = offset % 4 + bytes <= 4 && region.words[word].write == split;
    if (!is_plain || !(by_words ? offset % 4 == 0 : in_split_word))
        return touch_range<kind>(region, offset, bytes, pc);
    Cell *cells = by_words ? region.words + word : region.single_bytes + offset;
    uint32_t *readers = by_words ? region.word_readers + word : region.byte_readers + offset;
    for (size_t i = 0; i < (by_words ? bytes / 4 : bytes); ++i)
        if (__builtin_expect(!touch_calmly<kind>(cells[i], region.shared, readers + i, pc), 0))
            return touch_range<kind>(region, offset, bytes, pc);  // a mark is the same when made twice
}

// Whether all of up to 16 bytes exist.
inline bool all_there(const Region &region, size_t offset, size_t bytes) {
    return few_bits(region.exists, offset, bytes) == (1u << bytes) - 1;
}

// Whether all of them exist and were written.
inline bool all_written(const Region &region, size_t offset, size_t bytes) {
    return few_bits(region.written, offset, bytes) == (1u << bytes) - 1;
}

template <Access kind> inline void count(const Region &region) {
    Counters &c = *state.counters;
    if constexpr (kind == Access::read) ++(region.shared ? c.shared_loads : c.global_loads);
    else if constexpr (kind == Access::write) ++(region.shared ? c.shared_stores : c.global_stores);
    else ++(region.shared ? c.shared_atomics : c.global_atomics);
}

// An access to bytes of which some are not there, or not written.
template <Access kind>
__attribute__((noinline)) void rare_access(Region &region, size_t offset, size_t bytes, const void *pc) {
    if (kind == Access::read && region.shared && use_whole_copy(region, offset, bytes, pc))
        return touch_scalar<kind>(region, offset, bytes, pc);
    if constexpr (only_writes(kind)) first_store(region, offset, bytes, kind, pc);
    else doubtful_load(region, offset, bytes, kind, pc);
    // Nothing beside an array belongs to anybody: a race there would only echo the finding just made.
    if (all_there(region, offset, bytes)) touch_scalar<kind>(region, offset, bytes, pc);
}

template <Access kind>
inline __attribute__((always_inline)) void ordinary_access(Region &region, size_t offset, size_t bytes, const void *pc) {
    if (__builtin_expect(!all_written(region, offset, bytes), 0)) return rare_access<kind>(region, offset, bytes, pc);
    touch_scalar<kind>(region, offset, bytes, pc);
}

// Any number of bytes, in a copy routine.
template <Access kind>
__attribute__((noinline)) void copy_access(Region &region, size_t offset, size_t bytes, const void *pc) {
    if (state.in_assignment) {
        end_assignment();
        return ordinary_access<kind>(region, offset, bytes, pc);
    }
    if constexpr (kind == Access::read) return load_in_copy(region, offset, bytes, pc);
    else if constexpr (kind == Access::write) return store_in_copy(region, offset, bytes, pc);
    settle_copy();
    ordinary_access<kind>(region, offset, bytes, pc);
}

// One that is written down.
template <Access kind>
__attribute__((noinline)) void recorded_access(Region &region, size_t offset, size_t bytes, const void *pc) {
    record_access(kind, address_of(region, offset), bytes, pc);
    if (state.in_copy) copy_access<kind>(region, offset, bytes, pc);
    else ordinary_access<kind>(region, offset, bytes, pc);
}

template <Access kind>
inline __attribute__((always_inline)) void access_region(Region &region, size_t offset, size_t bytes, const void *pc) {
    count<kind>(region);
    if (__builtin_expect(state.recording, 0)) return recorded_access<kind>(region, offset, bytes, pc);
    if (__builtin_expect(state.in_copy, 0)) return copy_access<kind>(region, offset, bytes, pc);
    ordinary_access<kind>(region, offset, bytes, pc);
}

template <Access kind>
inline __attribute__((always_inline)) void access_memory(const void *address, size_t bytes, const void *pc) {
    uintptr_t place = reinterpret_cast<uintptr_t>(address);
    if (place - state.device.base < state.device.bytes)
        access_region<kind>(state.device, place - state.device.base, bytes, pc);
    else if (place - state.shared.base < state.shared.bytes)
        access_region<kind>(state.shared, place - state.shared.base, bytes, pc);
    else if (__builtin_expect(place - attention.base < attention.bytes, 0))
        access_outside(address, bytes, kind, pc);
}

template <Access kind>
inline __attribute__((always_inline)) void access_own(size_t offset, size_t bytes, const void *pc) {
    if (kind == Access::write && __builtin_expect(state.in_copy, 0)) store_local_in_copy(offset, bytes, pc);
    else if (__builtin_expect(holds_unset(offset, bytes), 0)) local_access(offset, bytes, kind, pc);
}

template <Access kind> void access(const void *address, size_t bytes, const void *pc) {
    size_t own = offset_on_stack(address);
    if (own < state.locals.bytes) access_own<kind>(own, bytes, pc);
    else access_memory<kind>(address, bytes, pc);
}

// A scalar that is not the thread's own. Apart, so that what is its own needs no registers to be kept.
template <Access kind, size_t bytes>
__attribute__((noinline)) void access_scalar_elsewhere(const void *address, const void *pc) {
    access_memory<kind>(address, bytes, pc);
}

template <Access kind, size_t bytes>
inline __attribute__((always_inline)) void access_scalar(const void *address, const void *pc) {
    size_t own = offset_on_stack(address);
    if (own < state.locals.bytes) access_own<kind>(own, bytes, pc);
    else access_scalar_elsewhere<kind, bytes>(address, pc);
}

// Whether an address is the running thread's own, or on the host has no copy.
inline bool nobody_shares(const void *address) {
    uintptr_t place = reinterpret_cast<uintptr_t>(address);
    return place - state.device.base >= state.device.bytes && place - state.shared.base >= state.shared.bytes &&
           place - attention.base >= attention.bytes;
}

// Any number of bytes, as structure assignments and memcpy move them.
template <Access kind> void access_many(const void *address, size_t bytes, const void *pc) {
    if (__builtin_expect(state.in_assignment, 0)) end_assignment();
    if (bytes && bytes <= few && !state.in_copy) return access<kind>(address, bytes, pc);
    Region *region = state.in_copy ? region_at(address) : nullptr;
    if (region) {
        for (size_t done = 0; done < bytes; done += 16) count<kind>(*region);
        if (state.recording) record_access(kind, address, bytes, pc);
        return copy_access<kind>(*region, region->offset(address), bytes, pc);
    }
    for (size_t done = 0; done < bytes;) {
        size_t part = bytes - done < 16 ? bytes - done : 16;
        access<kind>(static_cast<const char *>(address) + done, part, pc);
        done += part;
    }
}

}  // namespace accache_cpu::check
