// The calling worker's shared memory: thread-local variables, and one array for all dynamic shared memory.
#pragma once

#include <cstddef>

namespace accache_cpu {

// The __shared__ variables of the kernels linked between two anchors, in each object file of a program.
class SharedVariables {
public:
    using Address = char *(*)();  // in the calling thread
    SharedVariables(Address begin, Address end);
    ~SharedVariables();
    SharedVariables(const SharedVariables &) = delete;
    SharedVariables &operator=(const SharedVariables &) = delete;

    Address begin, end;
    SharedVariables *next = nullptr;
};

// Fills shared memory with 0xff (a NaN, -1): values nobody wrote must show.
void poison_shared_memory(size_t dynamic_bytes);

#ifdef ACCACHE_CPU_CHECK // the checker wants all of it in one range: one pair of anchors around all kernels
struct SharedMemory {
    char *begin, *end;  // static variables, then dynamic shared memory
    char *dynamic;
};

SharedMemory shared_memory();
#endif

}  // namespace accache_cpu
