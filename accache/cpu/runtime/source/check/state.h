// What the checker knows about the running kernel. Check builds run one block at a time on one core, so this is
// plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../limits.h"
#include "accache_cpu/locals.h"
#include "../scheduler.h"
#include "shadow.h"

namespace accache_cpu::check {

// Accesses of one kernel, all launches together.
struct Counters {
    uint64_t global_loads = 0, global_stores = 0, global_atomics = 0;
    uint64_t shared_loads = 0, shared_stores = 0, shared_atomics = 0;
};

struct KernelCounters {
    uint64_t launches = 0;
    Counters own, copying;  // copying: inside copy routines
};

// A variable without a value that a thread brings to a shuffle; bytes: 0 if it has one.
struct Brought {
    const void *pc, *address;
    size_t bytes;
};

// One CUDA thread of the running block.
struct ThreadState {
    static constexpr unsigned callers_known = 8;
    unsigned depth;            // of calls
    const void *callers[callers_known];  // where the innermost calls were made; that of depth d at d % callers_known
    unsigned copy_depth;       // the depth of the outermost copy routine; 0 outside of them
    unsigned warp_phase;   // meetings of its warp in this phase
    unsigned epoch;        // fences in this phase
    uint64_t phase;        // that both belong to
    Local *locals;         // the last of the variables that were announced and whose scopes last
    Brought brought;
};

// The last load of a copy routine and the store it belongs to, as far as they have been seen.
struct OpenCopy {
    Region *source, *target;  // null: not seen
    size_t from, to, bytes;
    const void *pc;  // of the load
    uint64_t value;  // the first bytes loaded; without a load those in the target before the store
    // Where the store may have been named before this load, although a load before that seemed to belong to it.
    Region *earlier_target;
    size_t earlier_to;

    // The rest means something only with a source or a target.
    void close() { source = target = earlier_target = nullptr, bytes = 0; }
};

// The running thread's stack, and one bit for each of its bytes: announced variables nobody has written.
struct Locals {
    const char *stack;
    uint8_t *unset;
    size_t bytes;  // of the stack; 0 while no kernel's own code runs
};

// What an exchange has just found where nobody had written; bytes: 0 if it found a value.
struct Exchanged {
    const void *address = nullptr;
    size_t bytes = 0;
};

struct State {
    Region device, shared, variables;  // cudaMalloc; __shared__; __device__ and __constant__
    bool in_kernel = false;            // a kernel's own code runs, not the scheduler or the host
    Stamp me = 0;
    Stamp launch_start = 0, block_start = 0, phase_start = 0;
    Stamp queue_start = 0;  // before it all launches and copies were over when this launch began; at most launch_start
    Counters *counters = nullptr;
    bool ordered = false;  // a fence was executed in this launch: order.h knows more than phases tell
    uint64_t fenced_phase = 0;  // the last one of the running block in which a thread made a fence
    bool parted = false;   // in this launch some lanes of a warp have met without the others: warps.h knows which
    bool block_scope = false;  // of the atomic access that is made
    bool in_copy = false;  // the running thread is in a copy routine
    bool in_assignment = false;  // or a structure that it assigned is being copied, as the next access will find
    bool recording = false;  // the running block's accesses are written down
    OpenCopy open_copy{};
    Exchanged exchanged;   // by the last atomic access, which is the running thread's
    ThreadState *thread = nullptr;
    Locals locals{};

    uint64_t phase = 1;
    const Launch *launch = nullptr;
    KernelCounters *kernel = nullptr;
    struct BlockStart {
        uint64_t phase, block;
    };
    std::vector<BlockStart> blocks;  // of this launch so far
    ThreadState threads[largest_block];
    size_t shared_low = 0, shared_high = 0;  // offsets between which this block has written shared memory
};

extern State state;

// Counts of a phase begin anew in the next one.
inline void begin_phase(ThreadState &thread) {
    if (thread.phase != state.phase) thread.epoch = thread.warp_phase = 0, thread.phase = state.phase;
}

// Addresses outside of device and shared memory that have to be looked at: in a kernel all but the running thread's
// stack, on the host those with a copy on the device.
struct Attention {
    uintptr_t base = 0;
    size_t bytes = 0;
};
extern Attention attention;

void enter_kernel(const void *stack);  // a thread's own code runs
void leave_kernel();

}  // namespace accache_cpu::check
