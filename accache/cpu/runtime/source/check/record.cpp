#include "record.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "state.h"

namespace accache_cpu::check {

static constexpr size_t first_warp = 32;        // the threads whose accesses are added up
static constexpr uint64_t most_each = 1875;     // of each of these threads: what they do together is known as far as that
static constexpr uint64_t most_steps = 240;     // of each other thread, besides its copies: what a page shows of a warp
static constexpr uint64_t most_of_others = 60000;  // copies of all other threads together, and likewise other accesses

static FILE *output() {
    static FILE *file = [] {
        const char *path = std::getenv("ACCACHE_CPU_RECORD");
        return path && *path ? std::fopen(path, "w") : nullptr;
    }();
    return file;
}

static bool wanted = false;
static uint64_t first_phase = 0;
static std::vector<uint64_t> own;  // accesses of each thread; of those behind the first warp without copies
static uint64_t copies = 0;        // of the other threads
static long long cut_phase = -1;   // from which on copies of other threads are missing; -1: none is

static bool are_all_warps_wanted() {
    static const bool answer = std::getenv("ACCACHE_CPU_RECORD_WARPS") != nullptr;
    return answer;
}

static uint64_t most(size_t thread) {
    return thread < first_warp ? most_each : std::min(most_steps, most_of_others / (own.size() - first_warp));
}

void record_launch() {
    static auto *known = new std::set<std::string>;
    wanted = output() && known->insert(state.launch->request->name).second;
}

void record_block(uint64_t block) {
    state.recording = wanted && block == 0;
    if (!state.recording) return;
    first_phase = state.phase;
    const dim3 &shape = state.launch->request->block, &grid = state.launch->request->grid;
    own.assign(static_cast<size_t>(shape.x) * shape.y * shape.z, 0);
    copies = 0;
    cut_phase = -1;
    std::fprintf(output(), "block\t%s\t%u\t%u\t%u\t%u\t%u\t%u\n", state.launch->request->name, shape.x, shape.y, shape.z,
                 grid.x, grid.y, grid.z);
}

// The end of a block: the phase from which on copies are missing, -1 if none is, and the threads that did more than is
// recorded.
void record_end() {
    if (!state.recording) return;
    std::fprintf(output(), "end\t%lld", cut_phase);
    for (size_t thread = 0; thread < own.size(); ++thread)
        if (own[thread] > most(thread)) std::fprintf(output(), "\t%zu", thread);
    std::fprintf(output(), "\n");
    std::fflush(output());
    state.recording = wanted = false;
}

// Whether an access of a thread is among those that are recorded.
static bool is_recorded(size_t thread, uint64_t phase) {
    if (thread < first_warp || (!state.in_copy && are_all_warps_wanted())) return ++own[thread] <= most(thread);
    if (!state.in_copy) return false;
    if (++copies > most_of_others && cut_phase < 0) cut_phase = static_cast<long long>(phase);
    return cut_phase < 0;
}

// The calls that led to an access, the innermost first: some are in functions of ours.
static void write_callers() {
    const ThreadState &thread = *state.thread;
    for (unsigned up = 0; up < ThreadState::callers_known && up < thread.depth; ++up) {
        const void *caller = thread.callers[(thread.depth - up) % ThreadState::callers_known];
        std::fprintf(output(), "%c%zu", up ? ' ' : '\t', reinterpret_cast<size_t>(caller));
    }
    std::fputc('\n', output());
}

void record_access(Access access, const void *address, size_t bytes, const void *pc) {
    size_t thread = static_cast<size_t>(state.thread - state.threads);
    uint64_t phase = state.phase - first_phase;
    if (!is_recorded(thread, phase)) return;
    bool in_kernel = state.in_kernel;
    state.in_kernel = false;  // what follows is no access of the kernel's
    Place place = place_of(address);
    std::fprintf(output(), "%zu\t%llu\t%c\t%s\t%s\t%lld\t%zu\t%zu\t%d\t%zu",
                 thread, static_cast<unsigned long long>(phase),
                 access == Access::read ? 'r' : access == Access::write ? 'w' : 'a', place.memory, place.name,
                 place.byte_offset, place.element_bytes, bytes, state.in_copy, reinterpret_cast<size_t>(pc));
    write_callers();
    state.in_kernel = in_kernel;
}

}  // namespace accache_cpu::check
