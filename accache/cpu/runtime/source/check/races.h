// When two accesses to one cell race: they are not ordered by a barrier, and one of them writes.
#pragma once

#include "findings.h"
#include "state.h"

namespace accache_cpu::check {

// Two threads of this block in this phase; a warp-wide operation orders the lanes of one warp.
inline bool unordered_in_phase(Stamp other) {
    Stamp difference = other ^ state.me;
    if (!(difference & thread_bits)) return false;
    return (difference & warp_bits) || !(difference & warp_phase_bits);
}

inline bool write_races(Stamp write, bool shared) {
    if (write < state.launch_start) return false;
    if (write < state.block_start) return !shared;
    return write >= state.phase_start && unordered_in_phase(write);
}

inline bool read_races(const Cell &cell, bool shared) {
    if (!shared && cell.read_before >= state.launch_start && cell.read_before < state.block_start) return true;
    if (cell.read < state.launch_start) return false;
    if (cell.read < state.block_start) return !shared;
    if (cell.read < state.phase_start) return false;
    if (cell.read & several_warps) return true;
    if (unordered_in_phase(cell.read)) return true;
    Stamp difference = cell.read ^ state.me;
    return (cell.read & several_lanes) && !(difference & warp_phase_bits);
}

inline void record_read(Cell &cell, const void *pc) {
    Stamp last = cell.read, now = state.me;
    if (last >= state.phase_start) {
        Stamp difference = last ^ now;
        if (difference & warp_bits) now |= several_warps;
        else if (difference & warp_phase_bits) now |= last & several_warps;
        else now |= (last & flags) | (difference & thread_bits ? several_lanes : 0);
    } else if (last >= state.launch_start && last < state.block_start) {
        cell.read_before = last;
    }
    cell.read = now;
    cell.read_pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc));
}

void report_write_race(const Cell &cell, Access access, const void *address, size_t bytes, const void *pc);
void report_read_race(const Cell &cell, Access access, const void *address, size_t bytes, const void *pc);

// Checks an access against the cell and leaves its mark there.
template <Access access>
inline void touch(Cell &cell, bool shared, const void *address, size_t bytes, const void *pc) {
    bool both_atomic = access == Access::atomic && (cell.write & is_atomic);
    if (__builtin_expect(!both_atomic && write_races(cell.write, shared), 0))
        report_write_race(cell, access, address, bytes, pc);
    if constexpr (access == Access::read) {
        record_read(cell, pc);
        return;
    }
    if (__builtin_expect(read_races(cell, shared), 0)) report_read_race(cell, access, address, bytes, pc);
    Stamp now = state.me | (access == Access::atomic ? is_atomic : 0);
    // An atomic access must not hide the plain write the same thread made just before.
    if (access == Access::atomic && cell.write == state.me) return;
    cell.write = now;
    cell.write_pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc));
}

}  // namespace accache_cpu::check
