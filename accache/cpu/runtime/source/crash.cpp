#include "crash.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "device_memory.h"
#include "scheduler.h"

namespace accache_cpu {

static const void *program_counter(void *context) {
    const ucontext_t *u = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
    return reinterpret_cast<const void *>(u->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void *>(u->uc_mcontext.pc);
#else
    return u ? nullptr : nullptr;
#endif
}

// Whether it could be told.
static bool tell(Worker &worker, const void *address) {
    const char *kind = "", *stack = worker.current()->stack, *place = static_cast<const char *>(address);
    if (place < stack && place >= stack - 65536) kind = " (the stack of a thread is full)";
    else if (device_memory().in_arena(address)) kind = " (device memory that is not allocated)";
    char text[512];
    const uint3 thread = worker.position();
    int length = std::snprintf(text, sizeof text,
                               "accache-cpu: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): illegal address %p%s\n",
                               worker.launch()->request->name, blockIdx.x, blockIdx.y, blockIdx.z, thread.x,
                               thread.y, thread.z, address, kind);
    return write(STDERR_FILENO, text, static_cast<size_t>(length)) >= 0;
}

static void crashed(int signal, siginfo_t *info, void *context) {
    std::signal(signal, SIG_DFL);  // returning repeats the access, which then ends the process
    Worker *worker = this_worker();
    if (!worker || !worker->current()) return;
    if (!tell(*worker, info->si_addr)) return;
    check::illegal_address(info->si_addr, program_counter(context));
}

void illegal_access(const void *address) {
    std::signal(SIGSEGV, SIG_DFL);
    Worker *worker = this_worker();
    if (worker && worker->current()) tell(*worker, address);
    std::raise(SIGSEGV);
    std::abort();
}

void catch_crashes() {
    static __thread bool done = false;
    if (done) return;
    done = true;
    constexpr size_t bytes = 64 * 1024;
    stack_t stack{};
    stack.ss_sp = std::malloc(bytes);
    stack.ss_size = bytes;
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
}

}  // namespace accache_cpu
