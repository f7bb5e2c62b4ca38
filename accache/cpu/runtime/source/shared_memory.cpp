#include "shared_memory.h"

#include <cstring>

#include "check.h"

extern "C" {
extern __thread char accache_cpu_shared_begin[];
extern __thread char accache_cpu_dynamic_shared[];
extern __thread char accache_cpu_shared_end[];
}

namespace accache_cpu {

#ifdef ACCACHE_CPU_CHECK
SharedMemory shared_memory() { return {accache_cpu_shared_begin, accache_cpu_shared_end, accache_cpu_dynamic_shared}; }

void poison_shared_memory(size_t dynamic_bytes) { check::poison_shared(shared_memory(), dynamic_bytes); }
#else
static SharedVariables *all_variables = nullptr;  // most object files have none and are not in the list

SharedVariables::SharedVariables(Address first, Address last) : begin(first), end(last) {
    if (begin() >= end()) return;
    next = all_variables;
    all_variables = this;
}

SharedVariables::~SharedVariables() {
    for (SharedVariables **place = &all_variables; *place; place = &(*place)->next)
        if (*place == this) {
            *place = next;
            return;
        }
}

void poison_shared_memory(size_t dynamic_bytes) {
    for (const SharedVariables *variables = all_variables; variables; variables = variables->next)
        std::memset(variables->begin(), 0xff, static_cast<size_t>(variables->end() - variables->begin()));
    if (dynamic_bytes) std::memset(accache_cpu_dynamic_shared, 0xff, dynamic_bytes);
}
#endif

}  // namespace accache_cpu
