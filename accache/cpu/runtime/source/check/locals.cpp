#include "locals.h"

#include <cstring>
#include <utility>

#include "../check.h"
#include "access.h"

namespace accache_cpu::check {

void local_access(size_t offset, size_t bytes, Access access, const void *pc) {
    uint32_t unset = few_bits(state.locals.unset, offset, bytes);
    put_few_bits(state.locals.unset, offset, bytes, 0);  // it is told once
    if (only_writes(access) || !(unset & 1)) return;
    const char *address = state.locals.stack + offset;
    report({.kind = "uninitialised", .pc = pc, .address = address, .bytes = bytes, .access = access});
}

void received(const Fiber &from) {
    ThreadState &giver = state.threads[from.thread];
    Brought brought = giver.brought;
    if (!brought.bytes) return;
    giver.brought = {};
    ThreadState *thread = std::exchange(state.thread, &giver);
    Locals locals = std::exchange(state.locals, {from.stack, from.unset, stack_bytes});
    local_access(offset_on_stack(brought.address), brought.bytes, Access::read, brought.pc);
    state.thread = thread;
    state.locals = locals;
}

void end_shuffle(unsigned first, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) state.threads[first + static_cast<unsigned>(__builtin_ctz(lanes))].brought = {};
}

const Local *local_at(const void *address) {
    for (const Local *local = state.thread->locals; local; local = local->before)
        if (offset_on_stack(address) - offset_on_stack(local->start) < local->bytes) return local;
    return nullptr;
}

static void begin_local(Local *local, const Local &as, bool is_set) {
    if (!state.in_kernel || offset_on_stack(as.start) >= stack_bytes) return;  // a reference may lead elsewhere
    *local = as;
    local->before = state.thread->locals;
    state.thread->locals = local;
    set_bits(state.locals.unset, offset_on_stack(as.start), as.bytes, !is_set);
}

// What is at a place from now on has not been written, as far as anybody knows. Only of announced variables on the
// stack: somebody must tell when they end.
static void lose_value(const void *start, size_t bytes) {
    if (is_on_stack(start)) {
        if (local_at(start)) set_bits(state.locals.unset, offset_on_stack(start), bytes, true);
    } else if (Region *region = region_at(start)) {
        size_t offset = region->offset(start);
        if (all_there(*region, offset, bytes)) set_bits(region->written, offset, bytes, false);
    }
}

}  // namespace accache_cpu::check

using namespace accache_cpu;
using namespace accache_cpu::check;

extern "C" {

void accache_cpu_local_begins(Local *local, const volatile void *start, size_t bytes, size_t element_bytes,
                              const char *name) {
    begin_local(local, {nullptr, name, start, bytes, element_bytes}, false);
}

void accache_cpu_set_local_begins(Local *local, const volatile void *start, size_t bytes, size_t element_bytes,
                                  const char *name) {
    begin_local(local, {nullptr, name, start, bytes, element_bytes}, true);
}

void accache_cpu_old_local_begins(Local *local, const volatile void *start, size_t bytes, size_t element_bytes,
                                  const char *name) {
    begin_local(local, {nullptr, name, start, bytes, element_bytes}, !state.exchanged.bytes);
    state.exchanged = {};
}

void accache_cpu_old_is_at(const volatile void *start, size_t bytes) {
    Exchanged exchanged = state.exchanged;
    state.exchanged = {};
    if (state.in_kernel && exchanged.bytes) lose_value(const_cast<const void *>(start), bytes);
}

void accache_cpu_no_old() { state.exchanged = {}; }

void accache_cpu_old_is_used() {
    Exchanged exchanged = state.exchanged;
    state.exchanged = {};
    if (!state.in_kernel || !exchanged.bytes) return;
    report({.kind = "uninitialised", .pc = __builtin_return_address(0), .address = exchanged.address,
            .bytes = exchanged.bytes, .access = Access::atomic});
}

void accache_cpu_brings(void *to, const void *from, size_t bytes) {
    std::memcpy(to, from, bytes);
    if (!state.in_kernel || !is_on_stack(from)) return;
    bool is_set = !(few_bits(state.locals.unset, offset_on_stack(from), bytes) & 1);
    if (!is_set) state.thread->brought = {__builtin_return_address(0), from, bytes};
}

void accache_cpu_local_ends(Local *local) {
    if (!state.in_kernel || state.thread->locals != local) return;  // a jump passed its declaration
    state.thread->locals = local->before;
    set_bits(state.locals.unset, offset_on_stack(local->start), local->bytes, false);
}
}
