// What the scheduler and the memory functions tell the checker.
#include "../check.h"

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "../device_memory.h"
#include "../shared_memory.h"
#include "access.h"
#include "copies.h"
#include "counters.h"
#include "findings.h"
#include "host.h"
#include "order.h"
#include "queues.h"
#include "record.h"
#include "state.h"
#include "symbols.h"
#include "warps.h"

namespace accache_cpu::check {

std::map<std::string, KernelCounters> &kernel_counters() {
    static auto *all = new std::map<std::string, KernelCounters>;
    return *all;
}

static void reserve_device() {
    if (state.device.reserved) return;
    state.device.reserve(device_memory().arena(), device_memory().reserved());
    state.device.reserve_outdated();
}

// __device__ and __constant__ variables always have a value: zero if no other.
static void reserve_variables() {
    const auto &variables = symbols().variables;
    if (state.variables.reserved || variables.empty()) return;
    const NamedRange &last = variables.back();
    state.variables.reserve(reinterpret_cast<void *>(variables.front().start),
                            last.start + last.bytes - variables.front().start);
    for (const NamedRange &variable : variables) {
        size_t offset = variable.start - state.variables.base;
        set_bits(state.variables.exists, offset, variable.bytes, true);
        set_bits(state.variables.written, offset, variable.bytes, true);
    }
}

// The calling thread's shared memory; which thread launches may change.
static void map_shared(const accache_cpu_launch &launched) {
    SharedMemory memory = shared_memory();
    Region &region = state.shared;
    if (!region.reserved) {
        region.reserve(memory.begin, static_cast<size_t>(memory.end - memory.begin) + 1024);
        region.reserve_copies();
    }
    region.shared = true;
    region.base = reinterpret_cast<uintptr_t>(memory.begin);
    std::memset(region.exists, 0, region.reserved / 8);
    for (const NamedRange &variable : symbols().shared)
        if (is_of_kernel(variable, launched.name, launched.function))
            set_bits(region.exists, variable.start, variable.bytes, true);
    set_bits(region.exists, static_cast<size_t>(memory.dynamic - memory.begin), launched.shared, true);
}

static void begin_shared(const Launch &launch) {
    map_shared(*launch.request);
    state.shared.bytes = static_cast<size_t>(shared_memory().end - shared_memory().begin) + 1024;
    state.shared_low = 0;
    state.shared_high = state.shared.bytes;
}

void begin_launch(const Launch &launch) {
    reserve_device();
    reserve_variables();
    begin_shared(launch);
    state.device.bytes = state.device.reserved;
    state.variables.bytes = state.variables.reserved;
    state.launch = &launch;
    state.kernel = &kernel_counters()[launch.request->name];
    ++state.kernel->launches;
    state.blocks.clear();
    forget_order();
    state.parted = false;
    state.launch_start = ++state.phase << phase_shift;
    record_launch();
    state.queue_start = start_of_unfinished(state.launch_start);
}

void end_launch() {
    leave_kernel();
    state.device.bytes = state.shared.bytes = state.variables.bytes = 0;
}

void begin_block(uint64_t block) {
    state.block_start = state.phase_start = ++state.phase << phase_shift;
    state.blocks.push_back({state.phase, block});
    if (state.ordered) forget_threads();
    record_block(block);
}

// Shadows of the shared memory of reliefs that have ended.
static std::vector<Region> &spare_shadows() {
    static auto *spare = new std::vector<Region>;
    return *spare;
}

void begin_relief() {
    state.shared = {};
    if (!spare_shadows().empty()) {
        state.shared = spare_shadows().back();
        spare_shadows().pop_back();
    }
    begin_shared(*state.launch);
}

void end_relief() { spare_shadows().push_back(state.shared); }

struct Suspended {
    State state;
    OrderInBlock *order;
};

Suspended *suspend() { return new Suspended{state, suspend_order()}; }

// What the block did before is over, as if a barrier had been there: its stamps begin anew.
void resume(Suspended *suspended) {
    State now = std::move(state);
    state = std::move(suspended->state);
    uint64_t block = state.blocks.back().block;
    state.blocks = std::move(now.blocks);
    state.phase = now.phase;
    state.blocks.push_back({state.phase + 1, block});
    state.block_start = state.phase_start = ++state.phase << phase_shift;
    state.ordered = true;
    resume_order(suspended->order);
    delete suspended;
}

void end_block() {
    leave_kernel();
    record_end();
}

static void identify(const Fiber &fiber) {
    state.thread = &state.threads[fiber.thread];
    begin_phase(*state.thread);
    state.me = state.phase << phase_shift | Stamp{state.thread->epoch} << epoch_shift |
               Stamp{state.thread->warp_phase} << warp_phase_shift | Stamp{fiber.thread} << thread_shift;
    state.in_copy = state.thread->copy_depth != 0;
    state.counters = state.in_copy ? &state.kernel->copying : &state.kernel->own;
    state.locals = {fiber.stack, fiber.unset, 0};
    enter_kernel(fiber.stack);
}

void begin_thread(const Fiber &fiber) {
    state.threads[fiber.thread] = {};
    identify(fiber);
}

void resume_thread(const Fiber &fiber) { identify(fiber); }

void stop_thread() {
    if (state.in_assignment) end_assignment();
    settle_copy();
    leave_kernel();
}

void next_phase() {
    if (state.ordered) share_in_block();
    state.phase_start = ++state.phase << phase_shift;
}
uint64_t phase_now() { return state.phase; }
void grid_met(uint64_t phase) {
    state.ordered = true;
    know_everything_before(phase + 1);
}
void warp_meets(unsigned first, uint32_t lanes, bool whole) { lanes_meet(first, lanes, whole); }

void divergence(const Fiber &one, const Fiber *other) {
    state.thread = &state.threads[one.thread];
    Finding finding{.kind = "barrier-divergence", .pc = one.pc};
    finding.detail = other ? "other threads of the block wait elsewhere" : "other threads of the block have left the kernel";
    finding.has_other = other != nullptr;
    if (other) {
        finding.other_pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(other->pc));
        finding.other_block = state.blocks.back().block;
        finding.other_thread = other->thread;
    }
    report(finding);
}

void poison_shared(const SharedMemory &memory, size_t) {
    // Only what the block before wrote differs from the poison; the first block of a launch cleans everything.
    if (state.shared_low >= state.shared_high) return;
    size_t low = state.shared_low, high = state.shared_high;
    for (const NamedRange &variable : symbols().shared)
        if (variable.start < high && variable.start + variable.bytes > low)
            std::memset(memory.begin + variable.start, 0xff, variable.bytes);
    size_t dynamic = static_cast<size_t>(memory.dynamic - memory.begin);
    if (high > dynamic) std::memset(memory.dynamic, 0xff, high - dynamic);
    std::memset(state.shared.written + low / 8, 0, (high - low) / 8 + 2);
    std::memset(state.shared.copied + low / 8, 0, (high - low) / 8 + 2);
    state.shared_low = state.shared.reserved;
    state.shared_high = 0;
}

void illegal_address(const void *address, const void *pc) {
    leave_kernel();
    report({.kind = "illegal-address", .pc = pc, .address = address});
    write_summary();
}

void finish() { write_summary(); }

void invalid_free(const void *address, const void *pc) {
    report({.kind = "invalid-free", .pc = pc, .address = address});
}

void allocated(char *start, size_t bytes) {
    reserve_device();
    set_bits(state.device.exists, state.device.offset(start), bytes, true);
}

void freed(char *start, size_t bytes) {
    set_bits(state.device.exists, state.device.offset(start), bytes, false);
    set_bits(state.device.written, state.device.offset(start), bytes, false);
    set_bits(state.device.outdated, state.device.offset(start), bytes, false);
}

// Nobody may use it at the same time, as if all of it were written.
void given_back(char *start, size_t bytes, const void *pc) {
    touch_range<Access::write>(state.device, state.device.offset(start), bytes, pc);
}

void written(const void *start, size_t bytes) {
    Region &device = state.device;
    if (!device.covers(start)) return;
    set_bits(device.written, device.offset(start), bytes, true);
    set_bits(device.outdated, device.offset(start), bytes, false);
}

void copied(const void *to, const void *from, size_t bytes) {
    Region &device = state.device;
    copied_by_queue(to, from, bytes);
    if (!device.covers(to)) return;
    if (!device.covers(from)) return written(to, bytes);
    copy_bits(device.written, device.offset(to), device.written, device.offset(from), bytes);
    add_bits(device.written, device.offset(to), device.outdated, device.offset(from), bytes);
    set_bits(device.outdated, device.offset(to), bytes, false);
}

void labelled(const void *device, size_t bytes, const char *name, size_t element_bytes) {
    remember_label(device, bytes, name, element_bytes);
}

void begins(const void *device, size_t bytes) { remember_begin(device, bytes); }

}  // namespace accache_cpu::check
