#include "order.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "warps.h"

namespace accache_cpu::check {

// Of each block the phases that are over, of single threads the last epoch, and of lanes the meetings of their warp.
class Knowledge {
  public:
    void learn(const Knowledge &other) {
        if (other.everything_before_ > everything_before_) forget_before(other.everything_before_);
        for (auto [first, end] : other.blocks_) raise(blocks_, first, end);
        for (auto [thread, last] : other.threads_) raise(threads_, thread, last);
        for (auto [lane, meeting] : other.meetings_) raise(meetings_, lane, meeting);
        // With very many threads that wait for each other, all are taken to have waited: races may be missed.
        if (blocks_.size() + threads_.size() + meetings_.size() > 512) forget_before(state.phase + 1);
    }

    // All of the running block's phases before this one, and of this one what `me` did up to now, and what the lanes
    // of its warp did before they met it.
    void learn(Stamp me) {
        raise(blocks_, phase_of(state.block_start), phase_of(me));
        raise(threads_, place_of(me), epoch_of(me));
        const Meetings met = meetings_of(me);
        unsigned of_all = *std::min_element(std::begin(met.lanes), std::end(met.lanes));
        if (of_all) raise(meetings_, warp_of(me) | all_lanes, of_all);
        for (unsigned lane = 0; lane < warp_width; ++lane)
            if (met.lanes[lane] > of_all) raise(meetings_, warp_of(me) | Stamp{lane} << thread_shift, met.lanes[lane]);
    }

    // All phases of the running block up to this one.
    void learn_block() { raise(blocks_, phase_of(state.block_start), state.phase + 1); }

    bool covers(Stamp access) const {
        uint64_t phase = phase_of(access);
        if (phase < everything_before_) return true;
        auto after = blocks_.upper_bound(phase);
        if (after != blocks_.begin() && phase < std::prev(after)->second) return true;
        auto thread = threads_.find(place_of(access));
        if (thread != threads_.end() && epoch_of(access) <= thread->second) return true;
        for (Stamp lanes : {place_of(access), warp_of(access) | all_lanes}) {
            auto known = meetings_.find(lanes);
            if (known != meetings_.end() && warp_phase_of(access) < known->second) return true;
        }
        return false;
    }

    // All before this phase is known; single blocks and threads are not needed any more.
    void forget_before(uint64_t phase) {
        if (phase <= everything_before_) return;
        everything_before_ = phase;
        blocks_.clear();
        threads_.clear();
        meetings_.clear();
    }

  private:
    static constexpr Stamp all_lanes = 1;  // in the place of flags

    static Stamp place_of(Stamp stamp) { return stamp & ~(epoch_bits | warp_phase_bits | flags); }
    static Stamp warp_of(Stamp stamp) { return place_of(stamp) & ~(Stamp{31} << thread_shift); }

    template <class Map> static void raise(Map &map, uint64_t key, uint64_t value) {
        uint64_t &known = map[key];
        known = std::max(known, value);
    }

    std::map<uint64_t, uint64_t> blocks_;  // by first phase: the phase up to which all is known
    std::map<Stamp, uint64_t> threads_;    // by phase and thread: the epoch
    std::map<Stamp, uint64_t> meetings_;   // by phase and lane, or warp: the warp phase before which all is known
    uint64_t everything_before_ = 0;
};

struct Thread {
    Knowledge known;                      // by its last acquisitions
    Knowledge seen_in_block, seen;        // will be known at the next fence, of the block's or the device's scope
    Knowledge for_block, for_device;      // at the last fences
    uint64_t fences = 0;
    bool fenced_in_block = false, fenced = false;  // since the last barrier, by it or by one that it met then
};

// What threads left at a variable: for its own block, and for all.
struct Variable {
    Knowledge for_block, for_device;
    uint64_t block = ~uint64_t{0};  // that `for_block` belongs to, by its number
    const Thread *last = nullptr;
    uint64_t fences = 0;
};

// What the threads of the running block know, and what all lanes of a warp, or all threads, know.
struct OrderInBlock {
    std::vector<Thread> threads{largest_block}, warps{largest_block / warp_width};
    Thread block;
};
static OrderInBlock running_block;
static std::unordered_map<const void *, Variable> variables;

// The readers of a cell in a phase, by thread. Where too many are noted all are forgotten: races may be missed.
struct Readers {
    uint64_t phase;
    std::vector<Stamp> last;
};
static constexpr size_t most_readers = 1 << 20, most_before = 64;
static std::unordered_map<const Cell *, Readers> readers;
static size_t readers_noted = 0;
// Those of blocks before, of a cell no more than `most_before`.
static std::unordered_map<const Cell *, std::vector<Reader>> readers_before;

static uint64_t this_block() { return state.blocks.back().block; }
static unsigned running() { return static_cast<unsigned>(state.thread - state.threads); }

void forget_threads() {
    for (unsigned i = 0; i < state.launch->threads; ++i) {
        running_block.threads[i] = {};
        running_block.warps[i / warp_width] = {};
    }
    running_block.block = {};
}

OrderInBlock *suspend_order() {
    auto *order = new OrderInBlock(std::move(running_block));
    order->block.known.learn_block();
    running_block = {};
    return order;
}

void resume_order(OrderInBlock *order) {
    running_block = std::move(*order);
    delete order;
}

void forget_order() {
    if (!state.ordered) return;
    running_block = {};
    variables.clear();
    readers.clear();
    readers_noted = 0;
    readers_before.clear();
    state.ordered = false;
}

static void know(Thread &thread, bool whole_device) {
    thread.known.learn(thread.seen_in_block);
    thread.seen_in_block = {};
    if (!whole_device) return;
    thread.known.learn(thread.seen);
    thread.seen = {};
}

void fence(bool whole_device) {
    state.ordered = true;
    state.fenced_phase = state.phase;
    Thread &me = running_block.threads[running()];
    know(me, whole_device);
    me.for_block = me.known;
    me.for_block.learn(running_block.block.known);
    me.for_block.learn(running_block.warps[running() / warp_width].known);
    me.for_block.learn(state.me);
    if (whole_device) me.for_device = me.for_block;
    me.fenced_in_block = true;
    me.fenced |= whole_device;
    ++me.fences;
    ThreadState &thread = *state.thread;
    if (thread.epoch == last_epoch) return;  // later writes count as made before the last fence: races may be missed
    ++thread.epoch;
    state.me += Stamp{1} << epoch_shift;
}

void release(const void *address) {
    if (!state.ordered || !state.in_kernel) return;
    const Thread &me = running_block.threads[running()];
    const Thread *const fencers[] = {&me, &running_block.warps[running() / warp_width], &running_block.block};
    uint64_t fences = 0;
    for (const Thread *fencer : fencers) fences += fencer->fences;
    if (!fences) return;
    Variable &variable = variables[address];
    if (variable.last == &me && variable.fences == fences && variable.block == this_block()) return;
    if (variable.block != this_block()) variable.for_block = {}, variable.block = this_block();
    for (const Thread *fencer : fencers) {
        variable.for_block.learn(fencer->for_block);
        if (!state.block_scope) variable.for_device.learn(fencer->for_device);
    }
    variable.last = state.block_scope ? nullptr : &me;
    variable.fences = fences;
}

void release_by_store(const void *address) {
    if (!state.ordered || !state.in_kernel) return;
    variables.erase(address);
    release(address);
}

// The variable at an address, if somebody left knowledge there; null if not, or out of kernels.
static const Variable *variable_at(const void *address) {
    if (!state.ordered || !state.in_kernel) return nullptr;
    auto found = variables.find(address);
    return found == variables.end() ? nullptr : &found->second;
}

static void see(const Variable &variable, Knowledge &in_block, Knowledge &all) {
    if (variable.block == this_block()) in_block.learn(variable.for_block);
    if (!state.block_scope) all.learn(variable.for_device);
}

void acquire_at_fence(const void *address) {
    const Variable *variable = variable_at(address);
    if (variable) see(*variable, running_block.threads[running()].seen_in_block, running_block.threads[running()].seen);
}

void acquire(const void *address) {
    const Variable *variable = variable_at(address);
    if (variable) see(*variable, running_block.threads[running()].known, running_block.threads[running()].known);
}

void know_everything_before(uint64_t phase) {
    running_block.block.known.forget_before(phase);
}

// What a thread made a fence for before it meets others is out for all of them when they go on.
static void share_fences(const Thread &thread, Thread &with) {
    if (thread.fenced_in_block) with.for_block.learn(thread.for_block), ++with.fences;
    if (thread.fenced) with.for_device.learn(thread.for_device);
    with.fenced_in_block |= thread.fenced_in_block;
    with.fenced |= thread.fenced;
}

static void share_all(Thread &thread, Thread &with) {
    know(thread, true);
    with.known.learn(thread.known);
    share_fences(thread, with);
}

void share_in_block() {
    unsigned count = state.launch->threads;
    for (unsigned i = 0; i < count; ++i) {
        Thread &thread = running_block.threads[i];
        share_all(thread, running_block.block);
        thread.known = {};
        thread.fenced_in_block = thread.fenced = false;
    }
    for (unsigned warp = 0; warp * warp_width < count; ++warp) {
        Thread &lanes = running_block.warps[warp];
        running_block.block.known.learn(lanes.known);
        uint64_t fences = lanes.fences;
        lanes = {};
        lanes.fences = fences;  // a count must not come twice
    }
}

void share_in_warp(unsigned first, uint32_t lanes, bool whole) {
    Thread own, &together = whole ? running_block.warps[first / warp_width] : own;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        share_all(running_block.threads[first + static_cast<unsigned>(__builtin_ctz(rest))], together);
    if (whole) return;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        Thread &thread = running_block.threads[first + static_cast<unsigned>(__builtin_ctz(rest))];
        thread.known = together.known;
        share_fences(together, thread);
    }
}

void note_reader(const Cell &cell, Stamp reader) {
    if (readers_noted == most_readers) readers.clear(), readers_noted = 0;
    Readers &known = readers[&cell];
    if (known.phase != state.phase) readers_noted -= known.last.size(), known.last.clear(), known.phase = state.phase;
    auto before = [](Stamp one, Stamp other) { return thread_of(one) < thread_of(other); };
    auto place = std::lower_bound(known.last.begin(), known.last.end(), reader, before);
    if (place != known.last.end() && thread_of(*place) == thread_of(reader)) *place = std::max(*place, reader & ~flags);
    else known.last.insert(place, reader & ~flags), ++readers_noted;
}

bool readers_happened_before(const Cell &cell) {
    auto known = readers.find(&cell);
    if (known == readers.end() || known->second.phase != state.phase) return true;
    return std::all_of(known->second.last.begin(), known->second.last.end(), [](Stamp reader) {
        return thread_of(reader) == thread_of(state.me) || happened_before(reader);
    });
}

void note_reader_before(const Cell &cell, Reader reader) {
    reader.stamp &= ~flags;
    if (happened_before(reader.stamp) || readers_before.size() == most_readers / most_before) return;
    std::vector<Reader> &noted = readers_before[&cell];
    if (noted.size() < most_before) noted.push_back(reader);
}

Reader unknown_reader_before(const Cell &cell) {
    auto noted = readers_before.find(&cell);
    if (noted == readers_before.end()) return {};
    for (const Reader &reader : noted->second)
        if (!happened_before(reader.stamp)) return reader;
    return {};
}

bool happened_before(Stamp access) {
    if (access < state.launch_start) return true;
    access &= ~flags;
    return running_block.threads[running()].known.covers(access) || running_block.block.known.covers(access) ||
           running_block.warps[running() / warp_width].known.covers(access);
}

}  // namespace accache_cpu::check
