#include "alone.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "../check.h"
#include "findings.h"

namespace accache_cpu::check {

// A thread that runs, or a whole block.
struct Chosen {
    uint64_t launch;
    uint3 block, thread;
    bool whole;
};

static constexpr unsigned longest_trial = 5;  // seconds

static uint3 position(std::istream &text) {
    unsigned axes[3] = {};
    for (unsigned &axis : axes) {
        text >> axis;
        if (text.peek() != '.') break;
        text.get();
    }
    return {axes[0], axes[1], axes[2]};
}

// LAUNCH:BLOCK[:THREAD],... where a block or thread is x[.y[.z]]; the command line has been looked at.
static std::vector<Chosen> parsed(const std::string &text) {
    std::vector<Chosen> all;
    std::istringstream items{text};
    for (std::string item; std::getline(items, item, ',');) {
        std::istringstream parts{item};
        Chosen chosen{};
        parts >> chosen.launch;
        parts.get();
        chosen.block = position(parts);
        chosen.whole = parts.get() != ':';
        if (!chosen.whole) chosen.thread = position(parts);
        all.push_back(chosen);
    }
    return all;
}

static std::vector<Chosen> &choice() {
    static const char *wanted = std::getenv("ACCACHE_CPU_THREADS");
    static auto *all = new std::vector<Chosen>(parsed(wanted ? wanted : ""));
    return *all;
}

bool runs_some_threads_only() { return !choice().empty(); }

bool is_told(const Launch &launch) {
    return choice().empty() || std::any_of(choice().begin(), choice().end(), [&](const Chosen &chosen) {
               return chosen.launch == launch.number;
           });
}

static bool same(uint3 one, uint3 other) { return one.x == other.x && one.y == other.y && one.z == other.z; }

bool runs_in_part(const Launch &launch) { return runs_some_threads_only() && is_told(launch); }

bool runs_block(const Launch &launch, uint64_t block) {
    if (!runs_in_part(launch)) return true;
    const uint3 position = block_position(launch, block);
    return std::any_of(choice().begin(), choice().end(), [&](const Chosen &chosen) {
        return chosen.launch == launch.number && same(chosen.block, position);
    });
}

bool runs_thread(const Launch &launch, uint64_t block, uint3 thread) {
    const uint3 position = block_position(launch, block);
    return std::any_of(choice().begin(), choice().end(), [&](const Chosen &chosen) {
        return chosen.launch == launch.number && same(chosen.block, position) &&
               (chosen.whole || same(chosen.thread, thread));
    });
}

static bool within(uint3 position, const dim3 &extents) {
    return position.x < extents.x && position.y < extents.y && position.z < extents.z;
}

static void tell_of_missing(const Launch &launch) {
    const dim3 &grid = launch.request->grid, &block = launch.request->block;
    for (const Chosen &chosen : choice())
        if (chosen.launch == launch.number && !(within(chosen.block, grid) && within(chosen.thread, block)))
            std::fprintf(stderr, "accache-cpu: launch %llu, kernel %s, has no block (%u,%u,%u) thread (%u,%u,%u)\n",
                         static_cast<unsigned long long>(launch.number), launch.request->name, chosen.block.x,
                         chosen.block.y, chosen.block.z, chosen.thread.x, chosen.thread.y, chosen.thread.z);
}

// The child of a trial: what it prints is dropped, what it finds goes into a file of its own.
static void become_trial(const std::string &threads, const std::string &path) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    std::signal(SIGALRM, SIG_DFL);
    alarm(longest_trial);
    setenv("ACCACHE_CPU_LONGEST_WAIT", "1", 1);
    choice() = parsed(threads);
    find_anew(path.c_str());
}

static void note_end(const std::string &path, pid_t child) {
    int status = 0;
    bool known = child > 0 && waitpid(child, &status, 0) == child;
    int ended = !known ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    std::ofstream(path, std::ios::app) << "{\"type\": \"end\", \"status\": " << ended << "}\n";
}

// Forks for each line of the file that ACCACHE_CPU_TRIALS names: the threads, and where to write what they show.
static void fork_trials(const Launch &launch) {
    static const char *path = std::getenv("ACCACHE_CPU_TRIALS");
    if (!path || runs_some_threads_only()) return;
    std::ifstream trials{path};
    for (std::string threads, result; trials >> threads >> std::ws && std::getline(trials, result);) {
        if (parsed(threads).front().launch != launch.number) continue;
        std::fflush(nullptr);
        pid_t child = fork();
        if (child == 0) return become_trial(threads, result);
        note_end(result, child);
    }
}

void before_launch(const Launch &launch) {
    fork_trials(launch);
    if (runs_in_part(launch)) tell_of_missing(launch);
}

void after_launch(const Launch &launch) {
    auto later = [&](const Chosen &chosen) { return chosen.launch > launch.number; };
    if (!runs_some_threads_only() || std::any_of(choice().begin(), choice().end(), later)) return;
    std::fflush(nullptr);
    finish();
    _exit(EXIT_SUCCESS);
}

}  // namespace accache_cpu::check
