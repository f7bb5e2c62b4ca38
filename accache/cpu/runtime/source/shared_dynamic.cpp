// Dynamic shared memory, of all kernels. For the checker it stands behind their variables, before the upper end.
#include "limits.h"

extern "C" {
extern __thread char accache_cpu_dynamic_shared[];
}
__thread __attribute__((used, aligned(1024))) char accache_cpu_dynamic_shared[accache_cpu::largest_dynamic_shared];
