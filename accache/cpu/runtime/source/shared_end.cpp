// Linked directly after the kernels: the upper end of their shared variables, of which the scheduler is told here.
#include "shared_memory.h"

extern "C" {
extern __thread char accache_cpu_shared_begin[];
extern __thread char accache_cpu_shared_end[];
}
__thread __attribute__((used, aligned(64))) char accache_cpu_shared_end[1024];

#ifndef ACCACHE_CPU_CHECK
namespace accache_cpu {

constexpr size_t anchor = 1024;
static char *begin() { return accache_cpu_shared_begin + anchor; }
static char *end() { return accache_cpu_shared_end; }
static const SharedVariables variables{begin, end};

}  // namespace accache_cpu
#endif
