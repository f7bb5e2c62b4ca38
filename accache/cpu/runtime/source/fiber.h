// Stacks and the switch between them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accache_cpu/vector_types.h"

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(ACCACHE_CPU_UCONTEXT)
#define ACCACHE_CPU_UCONTEXT 1
#endif
#ifdef ACCACHE_CPU_UCONTEXT  // works everywhere, thirty times slower
#include <ucontext.h>
#endif

namespace accache_cpu {

// Where a stopped fiber (or the worker thread itself) goes on.
struct Context {
#ifdef ACCACHE_CPU_UCONTEXT
    ucontext_t context;
#else
    void *stack_pointer = nullptr;
#endif
};

// Runs CUDA threads one after another until one of them waits; then that thread keeps the fiber.
struct alignas(64) Fiber {
    Context context;
    char *stack = nullptr;
    unsigned thread = 0;  // linear index in the block of the CUDA thread now on this fiber
    uint3 position{};     // its threadIdx
    int site = 0;         // the barrier it waits at
    int line = 0;
    const void *pc = nullptr;
    uint8_t *unset = nullptr;  // for the checker, one bit for each byte of the stack: locals nobody has written
};

constexpr size_t stack_bytes = 256 * 1024;
#ifdef ACCACHE_CPU_CHECK
constexpr size_t stack_shadow_bytes = stack_bytes / 8 + 16;  // it is read in words, past the last bits
#else
constexpr size_t stack_shadow_bytes = 0;
#endif

void prepare(Fiber &fiber, char *stack, size_t bytes, void (*entry)());
#ifdef ACCACHE_CPU_UCONTEXT
inline void switch_context(Context &from, Context &to) { swapcontext(&from.context, &to.context); }
#else
extern "C" void accache_cpu_switch(void **save, void *to);
inline void switch_context(Context &from, Context &to) { accache_cpu_switch(&from.stack_pointer, to.stack_pointer); }
#endif

// A stack with an inaccessible page below it; `colour` spreads stacks over cache sets.
Fiber *create_fiber(unsigned colour, void (*entry)());
void destroy_fiber(Fiber *fiber);

}  // namespace accache_cpu
