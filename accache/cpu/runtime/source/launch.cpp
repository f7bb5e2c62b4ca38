// A launch: its configuration is judged as a GPU would, then the workers share its blocks.
#include "accache_cpu/launch.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include "accache_cpu/host_api.h"
#include "accache_cpu/host_kernels.h"
#include "capture.h"
#include "check.h"
#include "compare.h"
#include "errors.h"
#include "scheduler.h"
#include "team.h"

namespace accache_cpu {

static std::mutex attributes_mutex;

// Dynamic shared memory granted with cudaFuncSetAttribute, by kernel.
static std::map<const void *, size_t> &granted_shared() {
    static auto *granted = new std::map<const void *, size_t>;
    return *granted;
}

static size_t shared_limit(const void *function) {
    std::lock_guard<std::mutex> lock(attributes_mutex);
    size_t limit = default_dynamic_shared;
    // A template launched with deduced arguments has no address here: any grant will do.
    for (const auto &[granted, bytes] : granted_shared())
        if (!function || granted == function) limit = std::max(limit, bytes);
    return limit;
}

static cudaError_t judge(const accache_cpu_launch &request) {
    const dim3 &grid = request.grid, &block = request.block;
    uint64_t threads = uint64_t{block.x} * block.y * block.z;
    if (threads == 0 || threads > largest_block || block.z > largest_block_z) return cudaErrorInvalidConfiguration;
    if (block.x > largest_block || block.y > largest_block) return cudaErrorInvalidConfiguration;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaErrorInvalidConfiguration;
    if (grid.x > largest_grid_x || grid.y > largest_grid_yz || grid.z > largest_grid_yz)
        return cudaErrorInvalidConfiguration;
    if (request.shared > shared_limit(request.function)) return cudaErrorInvalidValue;
    return cudaSuccess;
}

// Tells of a launch that is not started, where faults are looked for: programs that do not ask for errors go on.
static void tell_of_refused(const accache_cpu_launch &request, cudaError_t error) {
    if (!check::enabled && !std::getenv("ACCACHE_CPU_CAPTURE")) return;
    const dim3 &grid = request.grid, &block = request.block;
    std::fprintf(stderr, "accache-cpu: kernel %s, grid (%u,%u,%u), block (%u,%u,%u), %zu bytes of dynamic shared "
                 "memory: not started: %s\n", request.name, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                 request.shared, cudaGetErrorString(error));
}

// The worker threads beside the thread that launches; they sleep between launches.
class Pool {
  public:
    explicit Pool(unsigned workers) {
        for (unsigned i = 1; i < workers; ++i) std::thread([this] { serve(); }).detach();
        helpers_ = workers - 1;
    }

    // Runs all blocks of the launch; true if the threads of some block did not meet at one barrier.
    bool run(const Launch &launch) {
        bool alone = helpers_ == 0 || launch.blocks < 2 || launch.blocks * launch.threads < 2048;
        Team team(launch, alone ? 1 : helpers_ + 1);
        if (!alone) {
            std::lock_guard<std::mutex> lock(mutex_);
            team_ = &team;
            ++generation_;
            busy_ = helpers_;
            wake_.notify_all();
        }
        static thread_local std::unique_ptr<Worker> own = std::make_unique<Worker>();
        team.work(*own);
        if (!alone) {
            std::unique_lock<std::mutex> lock(mutex_);
            done_.wait(lock, [this] { return busy_ == 0; });
        }
        return team.diverged();
    }

  private:
    void serve() {
        auto worker = std::make_unique<Worker>();
        for (uint64_t seen = 0;;) {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [&] { return generation_ != seen; });
            seen = generation_;
            lock.unlock();
            team_->work(*worker);
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    unsigned helpers_ = 0, busy_ = 0;
    uint64_t generation_ = 0;
    Team *team_ = nullptr;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
};

static unsigned wanted_workers() {
    if (check::enabled) return 1;  // one order of events, hence the same findings in every run
    if (const char *text = std::getenv("ACCACHE_CPU_WORKERS")) return std::max(1, std::atoi(text));
    cpu_set_t set;
    unsigned cores = sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
    return std::min(cores, 16u);  // stacks and guard pages of more would exhaust the process's mappings
}

static void run(const accache_cpu_launch &request) {
    static std::mutex one_at_a_time;
    static uint64_t launches = 0;
    static Pool *pool = new Pool(wanted_workers());
    static const char *seed = std::getenv("ACCACHE_CPU_SEED");
    std::lock_guard<std::mutex> lock(one_at_a_time);
    const bool shuffled = seed && *seed;
    const Launch launch{&request,
                        request.block.x * request.block.y * request.block.z,
                        uint64_t{request.grid.x} * request.grid.y * request.grid.z,
                        launches++,
                        shuffled,
                        shuffled ? std::strtoull(seed, nullptr, 10) * 0x2545f4914f6cdd1du + 1 : 0};
    const bool captured = capture::begin_launch(launch);
    check::before_launch(launch);
    check::enqueue(request.stream, false);
    check::begin_launch(launch);
    bool diverged = pool->run(launch);
    check::end_launch();
    check::after_launch(launch);
    if (captured && !context_error() && capture::end_launch()) {
        Launch other = launch;  // the same once more, its threads in another order
        other.shuffled = true;
        other.seed = launch.seed ^ 0x5851f42d4c957f2du;
        capture::begin_other_order();
        pool->run(other);
        capture::end_other_order();
    }
    if (!diverged || check::enabled) return;  // the checker has told of it, and looks at what follows
    break_context(cudaErrorLaunchFailure);
    remember(cudaErrorLaunchFailure);
}

}  // namespace accache_cpu

extern "C" {

void accache_cpu_run(const accache_cpu_launch *request) {
    if (accache_cpu::this_worker()) {
        if (std::getenv("ACCACHE_CPU_SKIP_CHILDREN")) return;  // the run is only for the launches of the host
        std::fprintf(stderr, "accache-cpu: kernel %s is launched from a kernel, which is not supported\n", request->name);
        std::abort();
    }
    if (accache_cpu::compare::is_sequential()) return;
    if (cudaError_t error = accache_cpu::context_error()) {
        accache_cpu::remember(error);
    } else if (cudaError_t refusal = accache_cpu::judge(*request)) {
        accache_cpu::tell_of_refused(*request, refusal);
        accache_cpu::remember(refusal);
    } else {
        accache_cpu::run(*request);
    }
}

cudaError_t accache_cpu_function_attribute(const void *function, cudaFuncAttribute attribute, int value) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || static_cast<size_t>(value) > accache_cpu::largest_dynamic_shared)
        return accache_cpu::remember(cudaErrorInvalidValue);
    std::lock_guard<std::mutex> lock(accache_cpu::attributes_mutex);
    accache_cpu::granted_shared()[function] = static_cast<size_t>(value);
    return cudaSuccess;
}
}
