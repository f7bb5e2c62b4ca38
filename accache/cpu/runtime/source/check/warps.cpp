#include "warps.h"

#include <algorithm>

#include "order.h"

namespace accache_cpu::check {

// A warp of which some lanes have met without the others since it last met as a whole.
struct Parts {
    uint64_t phase = 0;  // in which that is so; in others the warp is whole
    // Of each lane what it knows of each other: what that one did before it had this warp phase.
    uint16_t known[warp_width][warp_width];
};
static Parts parts[largest_block / warp_width];

template <class Visit> static void each_lane(uint32_t lanes, const Visit &visit) {
    for (; lanes; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

// Lanes that meet have the same warp phase behind it, which is later than all of theirs before it.
void lanes_meet(unsigned first, uint32_t lanes, bool whole) {
    unsigned before = 0;
    each_lane(lanes, [&](unsigned lane) {
        ThreadState &thread = state.threads[first + lane];
        begin_phase(thread);
        before = std::max(before, thread.warp_phase);
    });
    unsigned now = std::min(before + 1, last_warp_phase);
    each_lane(lanes, [&](unsigned lane) { state.threads[first + lane].warp_phase = now; });
    if (state.ordered) share_in_warp(first, lanes, whole);
    Parts &warp = parts[first / warp_width];
    if (whole) {
        warp.phase = 0;
        return;
    }
    if (warp.phase != state.phase) {  // up to here all lanes have had the same warp phases
        for (auto &row : warp.known) std::fill(std::begin(row), std::end(row), static_cast<uint16_t>(before));
        warp.phase = state.phase;
        state.parted = true;
    }
    uint16_t all[warp_width] = {};
    each_lane(lanes, [&](unsigned lane) {
        for (unsigned i = 0; i < warp_width; ++i) all[i] = std::max(all[i], warp.known[lane][i]);
    });
    each_lane(lanes, [&](unsigned lane) { all[lane] = static_cast<uint16_t>(now); });
    each_lane(lanes, [&](unsigned lane) { std::copy(std::begin(all), std::end(all), warp.known[lane]); });
}

bool has_met(Stamp access) {
    const Parts &warp = parts[thread_of(access) / warp_width];
    if (warp.phase != state.phase) return true;
    unsigned then = warp_phase_of(access);
    return then == last_warp_phase || then < warp.known[thread_of(state.me) % warp_width][thread_of(access) % warp_width];
}

Meetings meetings_of(Stamp me) {
    const Parts &warp = parts[thread_of(me) / warp_width];
    Meetings meetings;
    for (unsigned lane = 0; lane < warp_width; ++lane) {
        unsigned before = warp.phase == state.phase ? warp.known[thread_of(me) % warp_width][lane] : warp_phase_of(me);
        meetings.lanes[lane] = before == last_warp_phase ? before + 1 : before;  // nobody knows of those then
    }
    return meetings;
}

}  // namespace accache_cpu::check
