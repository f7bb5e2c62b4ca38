// One worker thread's part of a launch: it runs blocks, one at a time, their threads as fibers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "accache_cpu/block.h"
#include "accache_cpu/launch.h"
#include "fiber.h"
#include "limits.h"

// Where the kernels read their coordinates (accache_cpu/kernel.h shows them as constants).
extern "C" {
extern __thread uint3 threadIdx;
extern __thread uint3 blockIdx;
extern __thread dim3 blockDim;
extern __thread dim3 gridDim;
// What atomic accesses count down before they pause (accache_cpu/atomics.h).
extern __thread unsigned accache_cpu_patience;
void accache_cpu_pause(void);
}

namespace accache_cpu {

// A small generator (splitmix64): thread orders must not depend on the C++ library.
struct Random {
    uint64_t state;
    uint64_t next() {
        uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    template <class T> void shuffle(std::vector<T> &values) {
        for (size_t left = values.size(); left > 1; --left) std::swap(values[left - 1], values[next() % left]);
    }
};

// What the workers of one launch have in common.
struct Launch {
    const accache_cpu_launch *request;
    unsigned threads;  // in a block
    uint64_t blocks;   // in the grid
    uint64_t number;   // of launches before this one
    bool shuffled;
    uint64_t seed;
};

uint3 block_position(const Launch &launch, uint64_t block);

class Team;

class Worker {
  public:
    Worker() = default;
    Worker(const Worker &) = delete;
    ~Worker();
    void begin_launch(const Launch &launch, Team &team);
    void run_block(uint64_t block);

    unsigned barrier(int site, int line, int predicate, const void *pc);
    // Meets the lanes of `mask`. Ballot: the set of lanes with a true value. Shuffle: the value lane `source` brought.
    uint64_t ballot(unsigned mask, bool value);
    uint64_t shuffle(unsigned mask, uint64_t value, int source);
    // The calling thread waits in a loop for what another thread does: all others of the block have their turn.
    void pause();
    unsigned lane() const { return current_->thread % warp_width; }
    // Meets the lanes that come to the same place: all that can before somebody else of the block moves.
    uint64_t meet_open(const void *site);
    // Meets the threads of all blocks.
    void grid_barrier(const void *pc);

    const Launch *launch() const { return launch_; }
    const Fiber *current() const { return current_; }
    bool diverged() const { return diverged_; }
    uint3 position() const;  // the threadIdx of the calling CUDA thread

    // For a kernel that runs all threads of a block in one call.
    accache_cpu_block *block() { return &block_; }
    void shuffle_block() { random_.shuffle(order_); }
    void *block_memory(size_t bytes, unsigned threads);
    void report_disagreement(unsigned one, unsigned other);

    // Ends the block in the middle of one of its threads; the others stay where they are for ever.
    void leave_block();

    [[noreturn]] void fiber_loop();

    // The team's notes: another worker runs because this one's block waits; it has waited for long.
    bool relieved = false, hopeless = false;

  private:
    static constexpr int is_ballot = -1, is_open = -2;
    struct Lane {
        uint32_t mask;
        int source;  // is_ballot, is_open or a lane
        uint64_t value, result;
        Fiber *fiber;
    };
    // What the lanes of one warp bring to the operation they meet in.
    struct Warp {
        uint32_t exited = 0, waiting = 0;
        Lane lanes[warp_width];
    };

    bool choose_threads(uint64_t block);
    Fiber *next_fiber();
    void switch_to(Fiber *fiber);
    void wait();
    void release_barrier();
    void release_stuck_warps();
    bool release_open_groups();
    void finish_thread();
    uint64_t meet(unsigned mask, uint64_t value, int source);
    void arrive(unsigned mask, uint64_t value, int source);
    void let_go(unsigned warp, unsigned lane);
    uint32_t lanes_of(unsigned warp) const;
    uint32_t group_of(unsigned warp, unsigned lane) const;
    void exchange(unsigned warp, uint32_t group);
    void drop_what_has_run();
    void wait_for_others();
    [[noreturn]] void give_up();
    void report_divergence(const Fiber &one, const Fiber *other);

    void refuse_to_wait() const;

    const Launch *launch_ = nullptr;
    Team *team_ = nullptr;
    unsigned calls_ = 0;  // of the kernel for a block
    accache_cpu_block block_{};
    std::unique_ptr<char, decltype(&std::free)> memory_{nullptr, std::free};
    size_t memory_bytes_ = 0;
    dim3 shape_{0, 0, 0};
    std::vector<uint3> positions_;  // threadIdx of every linear index
    std::vector<uint16_t> order_;   // in which threads start
    Random random_{0};

    Context home_;  // the worker thread itself
    Fiber *current_ = nullptr;
    std::vector<Fiber *> idle_, ready_, waiting_;
    size_t next_ready_ = 0;
    unsigned next_thread_ = 0, exited_ = 0, fibers_ = 0, warp_waiters_ = 0;
    unsigned votes_ = 0, votes_at_last_barrier_ = 0;
    bool diverged_ = false;
    // Pauses since a thread last came to a barrier, met others or ended, and when they began.
    uint64_t pauses_ = 0;
    unsigned hopeless_turns_ = 0;
    std::chrono::steady_clock::time_point paused_since_;
    Warp warps_[largest_block / warp_width];
};

// The worker that runs the calling CUDA thread; null on a host thread.
Worker *this_worker();
// Makes `worker` the calling thread's worker.
void set_this_worker(Worker *worker);

}  // namespace accache_cpu
