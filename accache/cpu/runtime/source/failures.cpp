// How kernels fail: the build gives calls in a .cu file these names. On the host they are the C library's.
#include <cassert>
#include <cstdio>
#include <cstdlib>

#include "accache_cpu/host_api.h"
#include "errors.h"
#include "mismatch.h"
#include "scheduler.h"

namespace {

bool in_kernel() {
    accache_cpu::Worker *worker = accache_cpu::this_worker();
    return worker && worker->current();
}

// Nothing runs on the device after this; the host learns of it where it next asks the device for something.
void stop(cudaError_t error) {
    accache_cpu::break_context(error);
    accache_cpu::this_worker()->leave_block();
}

}  // namespace

extern "C" {

// As CUDA tells of it.
void accache_cpu___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    if (!in_kernel()) __assert_fail(what, file, line, function);
    const uint3 thread = accache_cpu::this_worker()->position();  // a kernel may run its threads in loops
    std::fflush(stdout);
    std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
                 function, blockIdx.x, blockIdx.y, blockIdx.z, thread.x, thread.y, thread.z, what);
    stop(cudaErrorAssert);
}

void accache_cpu_abort(void) {
    if (in_kernel()) stop(cudaErrorLaunchFailure);
    std::abort();
}

void accache_cpu_trap(void) {
    if (in_kernel()) stop(cudaErrorLaunchFailure);
    __builtin_trap();
}

#ifndef ACCACHE_CPU_CHECK  // the checker goes on
void __ubsan_handle_type_mismatch_v1(accache_cpu::Mismatch *data, size_t address) {
    if (!in_kernel() || !data->is_access()) return;
    accache_cpu::Worker *worker = accache_cpu::this_worker();
    const uint3 thread = worker->position();
    std::fflush(stdout);
    std::fprintf(stderr,
                 "accache-cpu: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): misaligned address %p, which is no multiple "
                 "of %u (%s:%u)\n",
                 worker->launch()->request->name, blockIdx.x, blockIdx.y, blockIdx.z, thread.x, thread.y, thread.z,
                 reinterpret_cast<void *>(address), data->bytes(), data->file, data->line);
    stop(cudaErrorMisalignedAddress);
}
#endif
}
