// Linked directly after the kernels: dynamic shared memory, then the upper end of all shared memory.
#include "limits.h"

extern "C" {
extern __thread char accache_cpu_dynamic_shared[];
extern __thread char accache_cpu_shared_end[];
}
__thread __attribute__((used, aligned(1024))) char accache_cpu_dynamic_shared[accache_cpu::largest_dynamic_shared];
__thread __attribute__((used, aligned(64))) char accache_cpu_shared_end[1024];
