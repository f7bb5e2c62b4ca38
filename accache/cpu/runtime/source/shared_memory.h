// The calling worker's shared memory: the thread-local variables between the two anchors.
#pragma once

#include <cstddef>

namespace accache_cpu {

struct SharedMemory {
    char *begin, *end;  // static variables, then dynamic shared memory
    char *dynamic;
};

SharedMemory shared_memory();

// Fills shared memory with 0xff (a NaN, -1): values nobody wrote must show.
void poison_shared_memory(size_t dynamic_bytes);

}  // namespace accache_cpu
