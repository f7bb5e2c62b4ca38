#include "access.h"

#include "host.h"
#include "symbols.h"

namespace accache_cpu::check {

State state;
Attention attention;

void enter_kernel(const void *stack) {
    attention = {reinterpret_cast<uintptr_t>(stack) + stack_bytes, size_t{0} - stack_bytes};
    state.in_kernel = true;
    state.locals.bytes = stack_bytes;
}

void leave_kernel() {
    attention = host_attention();
    state.in_kernel = false;
    state.locals.bytes = 0;
}

void access_outside(const void *address, size_t bytes, Access access, const void *pc) {
    if (!state.in_kernel) return host_access(address, bytes, access, pc);
    Region &variables = state.variables;
    size_t offset = variables.offset(address);
    if (offset < variables.bytes && get_bits(variables.exists, offset, 1)) {
        if (access == Access::read) return access_region<Access::read>(variables, offset, bytes, pc);
        if (access == Access::write) return access_region<Access::write>(variables, offset, bytes, pc);
        if (access == Access::atomic_read) return access_region<Access::atomic_read>(variables, offset, bytes, pc);
        if (access == Access::atomic_write) return access_region<Access::atomic_write>(variables, offset, bytes, pc);
        return access_region<Access::atomic>(variables, offset, bytes, pc);
    }
    if (only_reads(access) && is_constant(address)) return;
    constexpr size_t near = 256;
    bool beside = offset + near < variables.bytes + 2 * near && !range_with(symbols().host, address);
    report({.kind = beside ? "out-of-bounds" : "host-pointer", .pc = pc, .address = address, .bytes = bytes, .access = access});
}

static void report_place(const char *kind, Region &region, size_t offset, size_t bytes, Access access, const void *pc) {
    report({.kind = kind, .pc = pc, .address = address_of(region, offset), .bytes = bytes, .access = access});
}

// Bytes that are not all there, or not all written.
void doubtful_load(Region &region, size_t offset, size_t bytes, Access access, const void *pc) {
    if (!all_there(region, offset, bytes)) return report_place("out-of-bounds", region, offset, bytes, access, pc);
    if (region.shared) use_copies(region, offset, bytes, pc);
    if (region.outdated && use_outdated(region, offset, bytes, access, pc)) return;
    bool unwritten = !(few_bits(region.written, offset, bytes) & 1);
    if (region.shared && unwritten && copy_of_outdated(region, offset, access, pc)) return;
    // Later bytes may be the padding of a structure, which nobody ever writes.
    if (unwritten) report_place("uninitialised", region, offset, bytes, access, pc);
    if (access == Access::atomic) first_store(region, offset, bytes, access, pc);
}

// Bytes that are not all there, or written for the first time.
void first_store(Region &region, size_t offset, size_t bytes, Access access, const void *pc) {
    if (!all_there(region, offset, bytes)) return report_place("out-of-bounds", region, offset, bytes, access, pc);
    put_few_bits(region.written, offset, bytes, (1u << bytes) - 1);
    if (region.outdated) put_few_bits(region.outdated, offset, bytes, 0);
    if (!region.shared) return;
    put_few_bits(region.copied, offset, bytes, 0);
    if (offset < state.shared_low) state.shared_low = offset;
    if (offset + bytes > state.shared_high) state.shared_high = offset + bytes;
}

Exchanged found_by_exchange(const void *address, size_t bytes) {
    Region *region = state.in_kernel ? region_at(address) : nullptr;
    if (!region || !all_there(*region, region->offset(address), bytes)) return {};
    size_t offset = region->offset(address);
    for (const uint8_t *values : {region->written, region->outdated, region->copied})
        if (values && few_bits(values, offset, bytes)) return {};
    return {address, bytes};
}

void split_word(Region &region, size_t word) {
    for (size_t i = word * 4; i < word * 4 + 4; ++i) {
        region.single_bytes[i] = region.words[word];
        uint32_t &reader = region.byte_readers[i];
        if (reader != region.word_readers[word]) reader = region.word_readers[word];  // most pages stay untouched
    }
    region.words[word].write = split;
}

Region *region_at(const void *address) {
    for (Region *region : {&state.device, &state.shared, &state.variables})
        if (region->offset(address) < region->bytes) return region;
    return nullptr;
}

}  // namespace accache_cpu::check
