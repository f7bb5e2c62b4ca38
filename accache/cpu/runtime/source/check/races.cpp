#include "races.h"

#include <algorithm>

namespace accache_cpu::check {

// The block that ran in a phase of this launch.
static uint64_t block_of(Stamp stamp) {
    auto after = std::upper_bound(state.blocks.begin(), state.blocks.end(), phase_of(stamp),
                                  [](uint64_t phase, const State::BlockStart &start) { return phase < start.phase; });
    return after == state.blocks.begin() ? 0 : std::prev(after)->block;
}

static void report_race(Stamp other, uint32_t other_pc, Access other_access, Finding finding, Stamp me = state.me) {
    finding.kind = "race";
    finding.thread = static_cast<int>(thread_of(me));
    finding.other_pc = other_pc;
    finding.other_access = other_access;
    finding.other_block = block_of(other);
    finding.other_thread = thread_of(other);
    // The cell remembers one of several readers, and that may be this very thread.
    finding.has_other = phase_of(other) != phase_of(me) || thread_of(other) != thread_of(me);
    if (other < state.launch_start) finding.has_other = false;  // the blocks of that launch are forgotten
    report(finding);
}

static constexpr const char *in_other_queue = "they are in two queues, and neither waits for the other";

static Access kind_of(Stamp write) { return write & is_atomic ? Access::atomic : Access::write; }

__attribute__((noinline)) void report_write_race(const Cell &cell, Access access, const void *address, size_t bytes,
                                                 const void *pc) {
    bool queued = cell.write < state.launch_start;
    if (!queued && state.ordered && happened_before(cell.write)) return;
    Finding finding{.kind = "", .pc = pc, .address = address, .bytes = bytes, .access = access};
    if (is_atomic_access(access) && (cell.write & is_atomic))
        finding.detail = "what ends in _block is atomic for its own block only";
    if (queued) finding.detail = in_other_queue;
    report_race(cell.write, cell.write_pc, kind_of(cell.write), finding);
}

// Whether fences and atomic accesses order all reads that the cell knows of before the running thread's write.
static bool reads_happened_before(const Cell &cell, bool shared) {
    Stamp before = cell.read_before;
    if (!shared && before >= state.launch_start && before < state.block_start && !happened_before(before)) return false;
    Cell latest = cell;
    latest.read_before = 0;
    if (!read_races(latest, shared)) return true;
    bool this_phase = !phase_of(cell.read ^ state.me);
    if (this_phase && state.fenced_phase != state.phase) return false;  // nothing orders accesses of one phase
    bool own = this_phase && thread_of(cell.read) == thread_of(state.me);
    return (own || happened_before(cell.read)) && readers_happened_before(cell);
}

__attribute__((noinline)) void report_read_race(const Cell &cell, bool shared, Access access, const void *address,
                                                size_t bytes, const void *pc) {
    Finding finding{.kind = "", .pc = pc, .address = address, .bytes = bytes, .access = access};
    bool within = cell.read_before >= state.launch_start && cell.read_before < state.block_start;
    bool latest_queued = cell.read < state.launch_start && queue_races<true>(cell.read, shared);
    bool before_queued = cell.read_before < state.launch_start && queue_races<true>(cell.read_before, shared);
    if (!within && (latest_queued || before_queued)) {
        finding.detail = in_other_queue;
        if (latest_queued) return report_race(cell.read, cell.read_pc, Access::read, finding);
        return report_race(cell.read_before, reader_before(cell), Access::read, finding);
    }
    if (state.ordered && reads_happened_before(cell, shared)) {
        Reader reader = shared ? Reader{} : unknown_reader_before(cell);
        if (reader.stamp) report_race(reader.stamp, reader.pc, Access::read, finding);
        return;
    }
    // The thread's own read just before is none that it races with.
    bool own = !phase_of(cell.read ^ state.me) && thread_of(cell.read) == thread_of(state.me) && !(cell.read & flags);
    bool latest =
        !own && cell.read >= state.launch_start && (cell.read < state.block_start || cell.read >= state.phase_start);
    report_race(latest ? cell.read : cell.read_before, latest ? cell.read_pc : reader_before(cell), Access::read, finding);
}

void report_copy_race(const Origin &origin, Stamp write, uint32_t write_pc, const void *address, size_t bytes,
                      const void *used_at) {
    const void *pc = reinterpret_cast<const void *>(uintptr_t{origin.read_pc});
    report_race(write, write_pc, kind_of(write),
                {.kind = "", .pc = pc, .address = address, .bytes = bytes, .used_at = used_at}, origin.read);
}

}  // namespace accache_cpu::check
