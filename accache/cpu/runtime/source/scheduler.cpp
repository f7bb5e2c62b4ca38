#include "scheduler.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "check.h"
#include "shared_memory.h"
#include "team.h"

extern "C" {
__thread uint3 threadIdx;
__thread uint3 blockIdx;
__thread dim3 blockDim;
__thread dim3 gridDim;
__thread unsigned accache_cpu_patience;
__thread unsigned accache_cpu_turn;
}

namespace accache_cpu {

static __thread Worker *worker_of_this_thread = nullptr;

Worker *this_worker() { return worker_of_this_thread; }
void set_this_worker(Worker *worker) { worker_of_this_thread = worker; }

constexpr unsigned patience = 64;  // accesses that a thread makes before others have their turn
// Seconds of nothing but waiting in loops.
static std::chrono::seconds longest_wait() {
    static const char *text = std::getenv("ACCACHE_CPU_LONGEST_WAIT");
    return std::chrono::seconds{text ? std::atoi(text) : 20};
}

static void fiber_entry() { this_worker()->fiber_loop(); }

uint3 block_position(const Launch &launch, uint64_t block) {
    const dim3 &grid = launch.request->grid;
    return {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(block / grid.x % grid.y),
            static_cast<unsigned>(block / grid.x / grid.y)};
}

Worker::~Worker() {
    for (Fiber *fiber : idle_) destroy_fiber(fiber);
}

void Worker::begin_launch(const Launch &launch, Team &team) {
    launch_ = &launch;
    team_ = &team;
    diverged_ = false;
    const dim3 &shape = launch.request->block;
    blockDim = shape;
    gridDim = launch.request->grid;
    calls_ = launch.request->by_block ? 1 : launch.threads;
    if (shape.x == shape_.x && shape.y == shape_.y && shape.z == shape_.z) return;
    shape_ = shape;
    positions_.clear();
    order_.clear();
    for (unsigned z = 0; z < shape.z; ++z)
        for (unsigned y = 0; y < shape.y; ++y)
            for (unsigned x = 0; x < shape.x; ++x) {
                order_.push_back(static_cast<uint16_t>(positions_.size()));
                positions_.push_back({x, y, z});
            }
}

void *Worker::block_memory(size_t bytes, unsigned threads) {
    if (launch_->threads > threads) {
        std::fprintf(stderr, "accache-cpu: kernel %s is made for at most %u threads a block, not %u\n",
                     launch_->request->name, threads, launch_->threads);
        std::abort();
    }
    if (bytes > memory_bytes_) {
        memory_bytes_ = (bytes + 4095) / 4096 * 4096;
        memory_.reset(static_cast<char *>(std::aligned_alloc(4096, memory_bytes_)));
        if (!memory_) {
            std::fprintf(stderr, "accache-cpu: no memory for the threads of a block\n");
            std::abort();
        }
    }
    return memory_.get();
}

uint3 Worker::position() const {
    if (!launch_->request->by_block) return threadIdx;
    return positions_[launch_->shuffled ? order_[accache_cpu_turn] : accache_cpu_turn];
}

// Kernels with such calls are not run so: the build made a mistake.
void Worker::refuse_to_wait() const {
    std::fprintf(stderr, "accache-cpu: kernel %s: a thread waits where it cannot\n", launch_->request->name);
    std::abort();
}

void Worker::run_block(uint64_t block) {
    blockIdx = block_position(*launch_, block);
    if (launch_->shuffled) {
        random_.state = launch_->seed ^ (launch_->number << 40) ^ (block * 0x9e3779b97f4a7c15u);
        for (unsigned thread = 0; thread < launch_->threads; ++thread) order_[thread] = static_cast<uint16_t>(thread);
        random_.shuffle(order_);
    }
    block_ = {positions_.data(), order_.data(), launch_->request->block, launch_->threads, launch_->shuffled};
    accache_cpu_turn = 0;
    poison_shared_memory(launch_->request->shared);
    next_thread_ = exited_ = warp_waiters_ = votes_ = 0;
    accache_cpu_patience = patience;
    pauses_ = 0;
    relieved = false;
    team_->all_wait(*this, false);
    for (unsigned warp = 0; warp * warp_width < launch_->threads; ++warp) warps_[warp].exited = warps_[warp].waiting = 0;
    if (check::runs_in_part(*launch_) && !choose_threads(block)) return;
    ready_.clear();
    waiting_.clear();
    next_ready_ = 0;
    check::begin_block(block);
    current_ = next_fiber();
    switch_context(home_, current_->context);
    current_ = nullptr;
    check::end_block();
}

// Those that do not run have their places in the order behind the others; no barrier and no warp waits for them.
// False: none runs.
bool Worker::choose_threads(uint64_t block) {
    if (!launch_->shuffled) std::iota(order_.begin(), order_.end(), uint16_t{0});
    auto absent = std::stable_partition(order_.begin(), order_.end(), [&](uint16_t thread) {
        return check::runs_thread(*launch_, block, positions_[thread]);
    });
    calls_ = static_cast<unsigned>(absent - order_.begin());
    for (; absent != order_.end(); ++absent) warps_[*absent / warp_width].exited |= 1u << *absent % warp_width;
    return calls_ > 0;
}

// Threads that have not started come first, then those that may go on; null when the block is done.
Fiber *Worker::next_fiber() {
    if (__builtin_expect(next_thread_ >= calls_ && next_ready_ < ready_.size(), 1)) return ready_[next_ready_++];
    if (next_thread_ < calls_) {
        if (idle_.empty()) return create_fiber(fibers_++, fiber_entry);
        Fiber *fiber = idle_.back();
        idle_.pop_back();
        return fiber;
    }
    if (warp_waiters_) {
        if (!release_open_groups()) release_stuck_warps();
    } else if (!waiting_.empty()) {
        release_barrier();
    } else {
        return nullptr;
    }
    return ready_[next_ready_++];
}

void Worker::switch_to(Fiber *fiber) {
    Fiber *me = current_;
    current_ = fiber;
    switch_context(me->context, fiber ? fiber->context : home_);
}

// Stops the calling thread until somebody released it and its turn has come. (Inlined, as is switch_to: a deeper
// stack would cost every thread another cache line at every barrier.)
inline __attribute__((always_inline)) void Worker::wait() {
    Fiber *me = current_;
    Fiber *next = next_fiber();
    if (next != me) {
        current_ = next;
        switch_context(me->context, next->context);
    }
    threadIdx = me->position;
    check::resume_thread(*me);
}

void Worker::fiber_loop() {
    for (;;) {
        while (next_thread_ < calls_) {
            current_->thread = order_[next_thread_++];
            current_->position = positions_[current_->thread];
            threadIdx = current_->position;
            check::begin_thread(*current_);
            launch_->request->thread(launch_->request->call);
            finish_thread();
        }
        idle_.push_back(current_);
        switch_to(next_fiber());
    }
}

void Worker::leave_block() {
    check::stop_thread();
    switch_to(nullptr);
}

void Worker::finish_thread() {
    check::stop_thread();
    ++exited_;
    pauses_ = 0;
    unsigned warp = current_->thread / warp_width;
    warps_[warp].exited |= 1u << lane();
    if (!warps_[warp].waiting) return;
    // The lanes that wait may have waited for this thread only.
    for (unsigned lane = 0; lane < warp_width; ++lane) {
        if (!(warps_[warp].waiting >> lane & 1)) continue;
        if (uint32_t group = group_of(warp, lane)) exchange(warp, group);
    }
}

unsigned Worker::barrier(int site, int line, int predicate, const void *pc) {
    if (__builtin_expect(launch_->request->by_block, 0)) refuse_to_wait();
    check::stop_thread();
    Fiber *me = current_;
    me->site = site;
    me->line = line;
    me->pc = pc;
    pauses_ = 0;
    votes_ += static_cast<unsigned>(predicate);
    if (!waiting_.empty() && waiting_.front()->site != site) report_divergence(*me, waiting_.front());
    waiting_.push_back(me);
    wait();
    return votes_at_last_barrier_;
}

void Worker::release_barrier() {
    if (exited_) report_divergence(*waiting_.front(), nullptr);
    votes_at_last_barrier_ = votes_;
    votes_ = 0;
    ready_.swap(waiting_);
    waiting_.clear();
    next_ready_ = 0;
    if (launch_->shuffled) random_.shuffle(ready_);
    check::next_phase();
}

uint32_t Worker::lanes_of(unsigned warp) const {
    unsigned lanes = launch_->threads - warp * warp_width;
    return lanes >= warp_width ? ~0u : (1u << lanes) - 1;
}

// The lanes that `lane` waits for if all of them wait for the same set; else 0.
uint32_t Worker::group_of(unsigned warp, unsigned lane) const {
    const Warp &w = warps_[warp];
    uint32_t group = w.lanes[lane].mask & lanes_of(warp) & ~w.exited;
    if ((group & w.waiting) != group) return 0;
    for (uint32_t rest = group; rest; rest &= rest - 1)
        if (w.lanes[__builtin_ctz(rest)].mask != w.lanes[lane].mask) return 0;
    return group;
}

void Worker::arrive(unsigned mask, uint64_t value, int source) {
    if (__builtin_expect(launch_->request->by_block, 0)) refuse_to_wait();
    check::stop_thread();
    Warp &w = warps_[current_->thread / warp_width];
    w.lanes[lane()] = {mask, source, value, 0, current_};
    w.waiting |= 1u << lane();
    ++warp_waiters_;
}

uint64_t Worker::meet(unsigned mask, uint64_t value, int source) {
    unsigned warp = current_->thread / warp_width, lane = this->lane();
    arrive(mask | 1u << lane, value, source);
    if (uint32_t group = group_of(warp, lane)) exchange(warp, group);
    wait();
    return warps_[warp].lanes[lane].result;
}

// Its mask is empty: no other lane waits for it by name.
uint64_t Worker::meet_open(const void *site) {
    unsigned warp = current_->thread / warp_width, lane = this->lane();
    arrive(0, reinterpret_cast<uintptr_t>(site), is_open);
    wait();
    return warps_[warp].lanes[lane].result;
}

// Lets the lanes go on that came to the same open meeting; false if none waits at one.
bool Worker::release_open_groups() {
    bool released = false;
    for (unsigned warp = 0; warp * warp_width < launch_->threads; ++warp) {
        Warp &w = warps_[warp];
        for (uint32_t rest = w.waiting; rest; rest &= rest - 1) {
            const Lane &first = w.lanes[__builtin_ctz(rest)];
            if (first.source != is_open) continue;
            uint32_t group = 0;
            for (unsigned lane = 0; lane < warp_width; ++lane)
                if (rest >> lane & 1 && w.lanes[lane].source == is_open && w.lanes[lane].value == first.value)
                    group |= 1u << lane;
            for (uint32_t lanes = group; lanes; lanes &= lanes - 1) {
                w.lanes[__builtin_ctz(lanes)].result = group;
                let_go(warp, static_cast<unsigned>(__builtin_ctz(lanes)));
            }
            rest &= ~group | (rest & -rest);
            released = true;
        }
    }
    return released;
}

void Worker::let_go(unsigned warp, unsigned lane) {
    ready_.push_back(warps_[warp].lanes[lane].fiber);
    warps_[warp].waiting &= ~(1u << lane);
    --warp_waiters_;
}

void Worker::grid_barrier(const void *pc) {
    constexpr int site = -2;
    barrier(site, 0, 0, pc);
    if (current_->thread == 0)
        for (uint64_t round = team_->arrive_at_grid_barrier(); !team_->grid_barrier_is_over(round);) pause();
    barrier(site, 0, 0, pc);
    check::grid_met(team_->grid_phase());
}

void Worker::pause() {
    check::stop_thread();
    accache_cpu_patience = patience;
    if (launch_->request->by_block) return;  // no thread of such a kernel waits in a loop
    if (pauses_ == 0) paused_since_ = std::chrono::steady_clock::now();
    if (++pauses_ % (16 * launch_->threads) == 0) wait_for_others();
    drop_what_has_run();
    ready_.push_back(current_);
    wait();
}

// All threads of the block have had several turns, and did nothing but wait in loops.
void Worker::wait_for_others() {
    if (warp_waiters_) release_open_groups();
    team_->relieve(*this);
    bool hopeless = std::chrono::steady_clock::now() - paused_since_ > longest_wait();
    hopeless_turns_ = team_->all_wait(*this, hopeless) && hopeless ? hopeless_turns_ + 1 : 0;
    if (hopeless_turns_ > 1) give_up();
}

void Worker::give_up() {
    std::fprintf(stderr, "accache-cpu: kernel %s, block (%u,%u,%u), thread (%u,%u,%u) waits in a loop for what no other "
                 "thread does\n",
                 launch_->request->name, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    std::fflush(nullptr);
    check::finish();
    std::_Exit(EXIT_FAILURE);
}

void Worker::drop_what_has_run() {
    if (next_ready_ <= 4 * largest_block) return;
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(next_ready_));
    next_ready_ = 0;
}

uint64_t Worker::ballot(unsigned mask, bool value) { return meet(mask, value, is_ballot); }
uint64_t Worker::shuffle(unsigned mask, uint64_t value, int source) { return meet(mask, value, source); }

// Everybody is here: work out all results at once, then let the lanes go on.
void Worker::exchange(unsigned warp, uint32_t group) {
    Warp &w = warps_[warp];
    drop_what_has_run();
    pauses_ = 0;
    uint32_t votes = 0;
    for (uint32_t rest = group; rest; rest &= rest - 1) {
        unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (w.lanes[lane].source == is_ballot && w.lanes[lane].value) votes |= 1u << lane;
    }
    // A lane that has left the kernel counts as one that meets where the mask names it.
    uint32_t named = w.exited & w.lanes[__builtin_ctz(group)].mask;
    check::warp_meets(warp * warp_width, group, !(lanes_of(warp) & ~named & ~group));
    for (uint32_t rest = group; rest; rest &= rest - 1) {
        Lane &lane = w.lanes[__builtin_ctz(rest)];
        if (lane.source < 0) {
            lane.result = votes;
        } else {
            const Lane &giver = group >> lane.source & 1 ? w.lanes[lane.source] : lane;
            lane.result = giver.value;
            check::received(*giver.fiber);
        }
        let_go(warp, static_cast<unsigned>(__builtin_ctz(rest)));
    }
    check::end_shuffle(warp * warp_width, group);
}

// Nobody can run, yet lanes wait for others of their mask: report it and let them go on.
void Worker::release_stuck_warps() {
    for (unsigned warp = 0; warp * warp_width < launch_->threads; ++warp) {
        if (!warps_[warp].waiting) continue;
        const Lane &first = warps_[warp].lanes[__builtin_ctz(warps_[warp].waiting)];
        report_divergence(*first.fiber, waiting_.empty() ? nullptr : waiting_.front());
        exchange(warp, warps_[warp].waiting);
    }
}

// `other` waits elsewhere; null: somebody has left the kernel.
void Worker::report_divergence(const Fiber &one, const Fiber *other) {
    check::divergence(one, other);
    if (diverged_) return;
    diverged_ = true;
    std::fprintf(stderr, "accache-cpu: kernel %s, block (%u,%u,%u): thread (%u,%u,%u) waits at line %d, but ",
                 launch_->request->name, blockIdx.x, blockIdx.y, blockIdx.z, one.position.x, one.position.y,
                 one.position.z, one.line);
    if (!other) {
        std::fprintf(stderr, "%u threads of the block have left the kernel\n", exited_);
        return;
    }
    const uint3 &position = other->position;
    std::fprintf(stderr, "thread (%u,%u,%u) waits at line %d\n", position.x, position.y, position.z, other->line);
}

void Worker::report_disagreement(unsigned one, unsigned other) {
    if (diverged_) return;
    diverged_ = true;
    const uint3 &a = positions_[one], &b = positions_[other];
    std::fprintf(stderr, "accache-cpu: kernel %s, block (%u,%u,%u): threads (%u,%u,%u) and (%u,%u,%u) do not come to "
                 "the same barrier\n", launch_->request->name, blockIdx.x, blockIdx.y, blockIdx.z, a.x, a.y, a.z,
                 b.x, b.y, b.z);
}

}  // namespace accache_cpu

using accache_cpu::this_worker;

extern "C" {

accache_cpu_block *accache_cpu_this_block(void) { return this_worker()->block(); }
void accache_cpu_shuffle_block(void) { this_worker()->shuffle_block(); }
void *accache_cpu_block_memory(size_t bytes, unsigned threads) { return this_worker()->block_memory(bytes, threads); }
void accache_cpu_disagree(unsigned one, unsigned other) { this_worker()->report_disagreement(one, other); }

unsigned accache_cpu_barrier_at(int site, int line, int predicate, const void *pc) {
    return this_worker()->barrier(site, line, predicate, pc);
}
unsigned long long accache_cpu_shuffle(unsigned mask, unsigned long long value, int source) {
    return this_worker()->shuffle(mask, value, source);
}
unsigned accache_cpu_ballot(unsigned mask, int predicate) {
    return static_cast<unsigned>(this_worker()->ballot(mask, predicate != 0));
}
void accache_cpu_pause(void) {
    if (this_worker()) this_worker()->pause();
    else accache_cpu_patience = accache_cpu::patience;  // a host thread
}
unsigned accache_cpu_lane(void) { return this_worker()->lane(); }
unsigned accache_cpu_active_mask(void) {
    return static_cast<unsigned>(this_worker()->meet_open(__builtin_return_address(0)));
}
void accache_cpu_grid_sync(void) { this_worker()->grid_barrier(__builtin_return_address(0)); }
}

// A thread comes to one barrier and the thread that goes on leaves another, so the processor would predict every
// return from here wrongly. An indirect jump it predicts well: all threads of a phase go to the same place.
#if defined(__x86_64__)
asm(R"(
    .text
    .p2align 4
    .globl accache_cpu_barrier
    .type accache_cpu_barrier, @function
accache_cpu_barrier:
    mov (%rsp), %rcx
    sub $8, %rsp
    call accache_cpu_barrier_at
    add $8, %rsp
    pop %rcx
    notrack jmp *%rcx
    .size accache_cpu_barrier, .-accache_cpu_barrier
)");
#else
extern "C" unsigned accache_cpu_barrier(int site, int line, int predicate) {
    return accache_cpu_barrier_at(site, line, predicate, __builtin_return_address(0));
}
#endif
