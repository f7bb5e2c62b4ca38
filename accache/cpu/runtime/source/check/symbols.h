// What the executable's symbol table says about kernels; the build leaves it in a file beside the executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace accache_cpu::check {

struct NamedRange {
    uintptr_t start;
    size_t bytes;
    std::string name;
    // Whose shared memory it is, by its name and its address. Any kernel may use what has no name here.
    std::string kernel = {};
    uintptr_t function = 0;  // 0: not known
};

struct Symbols {
    std::vector<NamedRange> shared;         // start: from accache_cpu_shared_begin
    std::vector<NamedRange> variables;      // __device__ and __constant__
    std::vector<NamedRange> host;           // global variables that kernels must not touch
    std::vector<NamedRange> copy_routines;  // code of *_fetch and *_write_back
    std::vector<NamedRange> atomics;        // code that only makes an atomic access for its caller
    std::string dynamic_name = "shared";
};

const Symbols &symbols();
// Whether a launched kernel may use a shared variable; `function` is null where only its name is known.
bool is_of_kernel(const NamedRange &shared, const char *name, const void *function);
// The range that holds the address, of ranges in order; null if there is none.
const NamedRange *range_with(const std::vector<NamedRange> &ranges, const void *address);
bool find_copy_routine(const void *pc);
// Asked at each call of a function: answers are kept by the place.
inline bool in_copy_routine(const void *pc) {
    struct Answer {
        const void *pc;
        bool is_copy;
    };
    static Answer answers[256];
    Answer &answer = answers[reinterpret_cast<uintptr_t>(pc) / 4 % 256];
    if (__builtin_expect(answer.pc != pc, 0)) answer = {pc, find_copy_routine(pc)};
    return answer.is_copy;
}
bool in_atomic_function(const void *pc);
// Whether the address lies in the program's constants.
bool is_constant(const void *address);

}  // namespace accache_cpu::check
