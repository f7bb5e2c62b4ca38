#include "shared_memory.h"

#include <cstring>

#include "check.h"

extern "C" {
extern __thread char accache_cpu_shared_begin[];
extern __thread char accache_cpu_dynamic_shared[];
extern __thread char accache_cpu_shared_end[];
}

namespace accache_cpu {

SharedMemory shared_memory() { return {accache_cpu_shared_begin, accache_cpu_shared_end, accache_cpu_dynamic_shared}; }

void poison_shared_memory(size_t dynamic_bytes) {
    SharedMemory memory = shared_memory();
    if (check::enabled) return check::poison_shared(memory, dynamic_bytes);
    constexpr size_t anchor = 1024;
    char *variables = memory.begin + anchor;
    if (variables < memory.dynamic) std::memset(variables, 0xff, static_cast<size_t>(memory.dynamic - variables));
    if (dynamic_bytes) std::memset(memory.dynamic, 0xff, dynamic_bytes);
}

}  // namespace accache_cpu
