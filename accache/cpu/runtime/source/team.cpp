#include "team.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "check.h"
#include "crash.h"
#include "errors.h"

namespace accache_cpu {

constexpr size_t most_fibers = 16 * 1024;  // of all reliefs: stacks and guard pages are mappings, which are few

// The blocks that the calling thread took and the one it runs.
static thread_local uint64_t running = 0, end_of_taken = 0;

Blocks::Blocks(const Launch &launch, unsigned workers) : count_(launch.blocks) {
    chunk_ = std::max<uint64_t>(1, std::min<uint64_t>(64, count_ / (workers * 8)));
    if (!launch.shuffled || count_ < 2) return;
    Random random{launch.seed ^ (launch.number << 20)};
    offset_ = random.next() % count_;
    do stride_ = random.next() % count_;
    while (std::gcd(stride_, count_) != 1);
}

Blocks::Range Blocks::next() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!returned_.empty()) {
        Range range = returned_.back();
        returned_.pop_back();
        return range;
    }
    uint64_t first = next_;
    next_ = std::min(first + chunk_, count_);
    return {first, next_};
}

void Blocks::run(Worker &worker) {
    for (;;) {
        std::tie(running, end_of_taken) = next();
        if (running == end_of_taken) return;
        for (; running < end_of_taken && !context_error(); ++running) {
            uint64_t block =
                static_cast<uint64_t>((static_cast<unsigned __int128>(running) * stride_ + offset_) % count_);
            if (check::runs_block(*worker.launch(), block)) worker.run_block(block);
        }
    }
}

bool Blocks::left() {
    std::lock_guard<std::mutex> lock(mutex_);
    return next_ < count_ || !returned_.empty();
}

void Blocks::give_back() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (running + 1 < end_of_taken) returned_.push_back({running + 1, end_of_taken});
    end_of_taken = running + 1;
}

void Team::run(Worker &worker) {
    catch_crashes();
    set_this_worker(&worker);
    worker.begin_launch(launch_, *this);
    blocks_.run(worker);
    if (worker.diverged()) diverged_ = true;
    set_this_worker(nullptr);
    --working_;
}

void Team::work(Worker &worker) {
    run(worker);
    std::unique_lock<std::mutex> lock(mutex_);
    if (check::enabled) {
        first_active_ = false;
        check::Suspended *suspended = reliefs_.empty() ? nullptr : check::suspend();
        while (size_t next = next_active(0)) pass_turn(lock, 0, next);
        if (suspended) check::resume(suspended);
    }
    std::vector<Relief> ended = std::move(reliefs_);
    reliefs_.clear();
    lock.unlock();
    for (Relief &relief : ended) relief.thread.join();
}

// A relief's thread.
void Team::serve(size_t turn) {
    if (check::enabled) {
        std::unique_lock<std::mutex> lock(mutex_);
        turned_.wait(lock, [&] { return turn_ == turn; });
        lock.unlock();
        check::begin_relief();
    }
    Worker worker;
    run(worker);
    if (!check::enabled) return;
    check::end_relief();
    std::lock_guard<std::mutex> lock(mutex_);
    reliefs_[turn - 1].active = false;
    turn_ = next_active(turn);
    turned_.notify_all();
}

// The active worker whose turn is after `me`; the launching thread's (0) if there is none.
size_t Team::next_active(size_t me) const {
    for (size_t i = me; i < reliefs_.size(); ++i)
        if (reliefs_[i].active) return i + 1;
    if (me == 0 || first_active_) return 0;
    for (size_t i = 0; i < me; ++i)
        if (reliefs_[i].active) return i + 1;
    return 0;
}

void Team::pass_turn(std::unique_lock<std::mutex> &lock, size_t me, size_t next) {
    turn_ = next;
    turned_.notify_all();
    turned_.wait(lock, [&] { return turn_ == me; });
}

// With the mutex held.
bool Team::start_relief(Worker &worker) {
    if (worker.relieved || (reliefs_.size() + 1) * launch_.threads > most_fibers) return false;
    blocks_.give_back();
    if (!blocks_.left()) return false;
    worker.relieved = true;
    ++working_;
    size_t turn = reliefs_.size() + 1;
    reliefs_.push_back({std::thread(), true});
    reliefs_.back().thread = std::thread([this, turn] { serve(turn); });
    return true;
}

void Team::relieve(Worker &worker) {
    std::unique_lock<std::mutex> lock(mutex_);
    bool started = start_relief(worker);
    if (!check::enabled) {
        lock.unlock();
        return std::this_thread::yield();
    }
    size_t me = turn_, next = started ? reliefs_.size() : next_active(me);
    if (next == me) return;
    check::Suspended *suspended = check::suspend();
    pass_turn(lock, me, next);
    lock.unlock();
    check::resume(suspended);
}

uint64_t Team::arrive_at_grid_barrier() {
    uint64_t round = grid_round_;
    if (++grid_arrived_ < launch_.blocks) return round;
    grid_arrived_ = 0;
    grid_phase_ = check::phase_now();
    ++grid_round_;
    return round;
}

bool Team::all_wait(Worker &worker, bool hopeless) {
    if (worker.hopeless != hopeless) waiting_ += hopeless ? 1u : ~0u;
    worker.hopeless = hopeless;
    return waiting_ == working_;
}

}  // namespace accache_cpu
