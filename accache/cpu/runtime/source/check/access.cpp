#include "access.h"

#include "symbols.h"

namespace accache_cpu::check {

State state;

void access_outside(const void *address, size_t bytes, Access access, const void *pc) {
    if (!state.in_kernel) return;
    Region &variables = state.variables;
    size_t offset = variables.offset(address);
    if (offset < variables.bytes && get_bits(variables.exists, offset, 1)) {
        if (access == Access::read) return access_region<Access::read>(variables, offset, bytes, pc);
        if (access == Access::write) return access_region<Access::write>(variables, offset, bytes, pc);
        return access_region<Access::atomic>(variables, offset, bytes, pc);
    }
    if (access == Access::read && is_constant(address)) return;
    constexpr size_t near = 256;
    bool beside = offset + near < variables.bytes + 2 * near && !range_with(symbols().host, address);
    report({.kind = beside ? "out-of-bounds" : "host-pointer", .pc = pc, .address = address, .bytes = bytes, .access = access});
}

static void report_place(const char *kind, Region &region, size_t offset, size_t bytes, Access access, const void *pc) {
    report({.kind = kind, .pc = pc, .address = address_of(region, offset), .bytes = bytes, .access = access});
}

// Bytes that are not all there, or not all written.
void doubtful_load(Region &region, size_t offset, size_t bytes, Access access, const void *pc) {
    uint64_t all = low_bits(bytes);
    if (get_bits(region.exists, offset, bytes) != all)
        return report_place("out-of-bounds", region, offset, bytes, access, pc);
    uint64_t unwritten = all & ~get_bits(region.written, offset, bytes);
    if (access == Access::read && state.thread->copy_depth) {
        ++state.thread->unwritten_loads;
        state.thread->unwritten_bytes = unwritten;
        return;
    }
    // Later bytes may be the padding of a structure, which nobody ever writes.
    if (unwritten & 1) report_place("uninitialised", region, offset, bytes, access, pc);
    if (access == Access::atomic) first_store(region, offset, bytes, access, pc);
}

// Bytes that are not all there, or written for the first time.
void first_store(Region &region, size_t offset, size_t bytes, Access access, const void *pc) {
    if (get_bits(region.exists, offset, bytes) != low_bits(bytes))
        return report_place("out-of-bounds", region, offset, bytes, access, pc);
    set_bits(region.written, offset, bytes, true);
    if (!region.shared) return;
    if (offset < state.shared_low) state.shared_low = offset;
    if (offset + bytes > state.shared_high) state.shared_high = offset + bytes;
}

Cell *cells_of_bytes(Region &region, size_t word) {
    Cell *bytes = region.single_bytes + word * 4;
    if (region.words[word].write != split) {
        for (int i = 0; i < 4; ++i) bytes[i] = region.words[word];
        region.words[word].write = split;
    }
    return bytes;
}

// What nobody wrote has the pattern of the poison; a store that left it in memory has carried it there.
void settle_open_store() {
    OpenStore store = state.open_store;
    state.open_store.region = nullptr;
    const char *memory = address_of(*store.region, store.offset);
    bool carried = false;
    for (size_t i = 0; i < store.bytes; ++i) {
        if (!(state.thread->unwritten_bytes >> i & 1) || memory[i] != '\xff') continue;
        set_bits(store.region->written, store.offset + i, 1, false);
        carried = true;
    }
    if (carried) --state.thread->unwritten_loads;
}

}  // namespace accache_cpu::check
