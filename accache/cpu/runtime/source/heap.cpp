// malloc and free in kernels: the build gives calls in a .cu file these names. On the host they are the C library's.
#include <cstdio>
#include <cstdlib>

#include "check.h"
#include "device_memory.h"
#include "scheduler.h"

using accache_cpu::device_memory;
namespace check = accache_cpu::check;

namespace {

bool in_kernel() {
    accache_cpu::Worker *worker = accache_cpu::this_worker();
    return worker && worker->current();
}

// The checker reports it and goes on; in a plain run it stops the program.
void refuse(void *pointer, const void *pc) {
    if (check::enabled) return check::invalid_free(pointer, pc);
    const accache_cpu::Launch *launch = accache_cpu::this_worker()->launch();
    const uint3 thread = accache_cpu::this_worker()->position();
    std::fprintf(stderr, "accache-cpu: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): free of %p, which is not from malloc in a kernel\n",
                 launch->request->name, blockIdx.x, blockIdx.y, blockIdx.z, thread.x, thread.y, thread.z,
                 pointer);
    std::abort();
}

// What live block of the heap starts here; null if there is none.
const accache_cpu::Allocation *block_at(const void *pointer) {
    const accache_cpu::Allocation *found = device_memory().at_or_below(pointer);
    bool starts = found && found->start == pointer && found->live;
    return starts && found->kind == accache_cpu::Kind::heap ? found : nullptr;
}

}  // namespace

extern "C" {

void *accache_cpu_malloc(size_t bytes) {
    return in_kernel() ? device_memory().allocate(bytes, accache_cpu::Kind::heap) : std::malloc(bytes);
}

void accache_cpu_free(void *pointer) {
    if (!in_kernel()) return std::free(pointer);
    if (!pointer) return;
    const void *pc = __builtin_return_address(0);
    const accache_cpu::Allocation *block = block_at(pointer);
    if (block) check::given_back(block->start, block->bytes, pc);
    if (!device_memory().release(pointer, true)) refuse(pointer, pc);
}
}
