// The workers of one launch: they share its blocks. One whose threads all wait for another block gets a relief, a
// worker on a thread of its own, which runs other blocks meanwhile.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "scheduler.h"

namespace accache_cpu {

// Hands out blocks; with a seed in a shuffled order (a stride coprime to their number visits each of them once).
class Blocks {
  public:
    Blocks(const Launch &launch, unsigned workers);
    void run(Worker &worker);
    bool left();
    void give_back();  // what the calling thread has taken beyond the block that it runs

  private:
    using Range = std::pair<uint64_t, uint64_t>;
    Range next();

    uint64_t count_, chunk_, offset_ = 0, stride_ = 1, next_ = 0;
    std::vector<Range> returned_;
    std::mutex mutex_;
};

class Team {
  public:
    Team(const Launch &launch, unsigned workers) : launch_(launch), blocks_(launch, workers), working_(workers) {}

    // Runs blocks on the calling thread until none is left and no relief runs.
    void work(Worker &worker);
    // All threads of the worker's block wait in loops: others have their turn.
    void relieve(Worker &worker);
    // Whether no worker does anything but wait. `hopeless`: the calling one.
    bool all_wait(Worker &worker, bool hopeless);
    // One thread of each block arrives; the round it waits for.
    uint64_t arrive_at_grid_barrier();
    bool grid_barrier_is_over(uint64_t round) const { return grid_round_ != round; }
    uint64_t grid_phase() const { return grid_phase_; }  // of the checker, when the last block arrived
    bool diverged() const { return diverged_; }

  private:
    struct Relief {
        std::thread thread;
        bool active;
    };

    void run(Worker &worker);
    void serve(size_t turn);
    bool start_relief(Worker &worker);
    void pass_turn(std::unique_lock<std::mutex> &lock, size_t me, size_t next);
    size_t next_active(size_t me) const;

    const Launch &launch_;
    Blocks blocks_;
    std::atomic<bool> diverged_{false};
    std::atomic<unsigned> working_, waiting_{0};
    std::atomic<uint64_t> grid_round_{0}, grid_arrived_{0}, grid_phase_{0};
    // In a check build one worker runs at a time: number 0 is the launching thread, the others are reliefs in order.
    std::mutex mutex_;
    std::condition_variable turned_;
    std::vector<Relief> reliefs_;
    size_t turn_ = 0;
    bool first_active_ = true;
};

}  // namespace accache_cpu
