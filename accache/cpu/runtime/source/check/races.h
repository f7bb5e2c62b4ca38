// When two accesses to one cell race: they are not ordered by a barrier, and one of them writes.
#pragma once

#include "findings.h"
#include "order.h"
#include "queues.h"
#include "state.h"
#include "warps.h"

namespace accache_cpu::check {

// Whether lanes of one warp did not meet between an access and the running thread's, both in warp phases of that
// difference. Of phases that are not counted any more nobody knows.
inline bool unmet(Stamp access, Stamp difference) {
    if (!(difference & warp_phase_bits)) return warp_phase_of(access) != last_warp_phase;
    return __builtin_expect(state.parted, 0) && !has_met(access);
}

// Two threads of one block in one phase; a warp-wide operation orders the lanes of one warp that meet there.
inline bool unordered_in_phase(Stamp access, Stamp difference) {
    if (!(difference & thread_bits)) return false;
    return (difference & warp_bits) || unmet(access, difference);
}

// Whether an access of a launch before this one was in another queue; queues are asked only if they matter.
template <bool asks> inline bool queue_races(Stamp stamp, bool shared) {
    return stamp >= state.queue_start && !shared && (!asks || of_other_queue(stamp));
}

// Whether a write races with the access `me` of the running block. Without `asks`, whether it may.
template <bool asks = true> inline bool write_races(Stamp write, Stamp me, bool shared) {
    if (write < state.launch_start) return queue_races<asks>(write, shared);
    if (write < state.block_start) return !shared;
    Stamp difference = write ^ me;
    if (phase_of(difference)) return false;
    if (__builtin_expect(me != state.me, 0)) {  // of a copy made before; what its thread knew then is not known
        return (difference & thread_bits) && ((difference & warp_bits) || !(difference & warp_phase_bits));
    }
    return unordered_in_phase(write, difference);
}

template <bool asks = true> inline bool read_races(const Cell &cell, bool shared) {
    Stamp before = cell.read_before;
    if (!shared && before >= state.queue_start && before < state.block_start)
        if (before >= state.launch_start || queue_races<asks>(before, shared)) return true;
    if (cell.read < state.launch_start) return queue_races<asks>(cell.read, shared);
    if (cell.read < state.block_start) return !shared;
    Stamp difference = cell.read ^ state.me;
    if (phase_of(difference)) return false;
    if (cell.read & several_warps) return true;
    if (unordered_in_phase(cell.read, difference)) return true;
    return (cell.read & several_lanes) && !(difference & warp_phase_bits) && unmet(cell.read, difference);
}

inline uint32_t pc_bits(const void *pc) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc)); }

// Where the read of a cell's `read_before` was made.
inline uint32_t &reader_before(const Cell &cell) {
    static uint32_t none;
    for (Region *region : {&state.device, &state.variables}) {
        size_t word = static_cast<size_t>(&cell - region->words), byte = static_cast<size_t>(&cell - region->single_bytes);
        if (word < region->reserved / 4) return region->word_readers[word];
        if (byte < region->reserved) return region->byte_readers[byte];
    }
    return none = 0;
}

// Whether a read before this block's may race with its writes: of this launch, or of a queue that nobody waits for.
inline bool is_other_reader(Stamp last) { return last >= state.launch_start || of_other_queue(last); }

// `difference`: of the cell's last read and this one.
template <class Reader>
inline void record_read(Cell &cell, Stamp now, uint32_t pc, Stamp difference, const Reader &reader_before) {
    Stamp last = cell.read;
    if (!phase_of(difference)) {
        if (difference & warp_bits) now |= several_warps;
        else if (difference & warp_phase_bits) now |= last & several_warps;
        else now |= (last & flags) | (difference & thread_bits ? several_lanes : 0);
    } else if (last >= state.queue_start && last < state.block_start && is_other_reader(last)) {
        cell.read_before = last;
        reader_before() = cell.read_pc;
    }
    cell.read = now;
    cell.read_pc = pc;
}

inline void record_read(Cell &cell, Stamp now, uint32_t pc) {
    Stamp difference = cell.read ^ now, before = cell.read_before;
    bool ordered = __builtin_expect(state.ordered, 0) && difference && !(cell.read & flags) && happened_before(cell.read);
    bool several = !phase_of(difference) && ((cell.read & flags) || (difference & thread_bits));
    if (__builtin_expect(state.fenced_phase == state.phase, 0) && !ordered && several)
        note_reader(cell, cell.read), note_reader(cell, now);
    record_read(cell, now, pc, ordered ? 0 : difference, [&]() -> uint32_t & {
        uint32_t &before_pc = reader_before(cell);
        // The cell has that reader forgotten already: `cell.read` is in its place.
        if (__builtin_expect(state.ordered, 0) && before >= state.launch_start)
            note_reader_before(cell, {before, before_pc});
        return before_pc;
    });
}

void report_write_race(const Cell &cell, Access access, const void *address, size_t bytes, const void *pc);
void report_read_race(const Cell &cell, bool shared, Access access, const void *address, size_t bytes, const void *pc);
// The use of a value that was copied while another thread wrote it.
void report_copy_race(const Origin &origin, Stamp write, uint32_t write_pc, const void *address, size_t bytes,
                      const void *used_at);

// Whether two atomic accesses do not race: both know of each other's block.
inline bool atomic_together(Stamp write) {
    return write >= state.block_start || !(state.block_scope || (write & within_block));
}

// Checks an access against the cell and leaves its mark there.
template <Access access>
inline void touch(Cell &cell, bool shared, const void *address, size_t bytes, const void *pc) {
    bool both_atomic = is_atomic_access(access) && (cell.write & is_atomic) && atomic_together(cell.write);
    if (__builtin_expect(!both_atomic && write_races(cell.write, state.me, shared), 0))
        report_write_race(cell, access, address, bytes, pc);
    if constexpr (access == Access::read) {
        record_read(cell, state.me, pc_bits(pc));
        return;
    }
    if constexpr (access == Access::atomic_read) return;  // a mark of it would make the next atomic write a race
    if (__builtin_expect(read_races(cell, shared), 0)) report_read_race(cell, shared, access, address, bytes, pc);
    Stamp now = state.me;
    if (is_atomic_access(access)) now |= is_atomic | (state.block_scope ? within_block : 0);
    // An atomic access must not hide the plain write the same thread made just before.
    if (is_atomic_access(access) && !((cell.write ^ state.me) & ~epoch_bits)) return;
    cell.write = now;
    cell.write_pc = pc_bits(pc);
}

// The same for what most accesses are: plain, and certainly in no race. False, and no mark, if this one may be another.
// `before`: where the read of the cell's `read_before` was made.
template <Access access>
inline __attribute__((always_inline)) bool touch_calmly(Cell &cell, bool shared, uint32_t *before, const void *pc) {
    if (cell.write == split || write_races<false>(cell.write, state.me, shared)) return false;
    if constexpr (access == Access::read) {
        if (state.ordered) return false;
        record_read(cell, state.me, pc_bits(pc), cell.read ^ state.me, [&]() -> uint32_t & { return *before; });
    } else {
        if (read_races<false>(cell, shared)) return false;
        cell.write = state.me;
        cell.write_pc = pc_bits(pc);
    }
    return true;
}

}  // namespace accache_cpu::check
