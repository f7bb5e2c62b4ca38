#include "fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
// Only what the calling convention preserves is saved: the switch is an ordinary call for the compiler.
asm(R"(
    .text
    .p2align 4
    .globl accache_cpu_switch
    .hidden accache_cpu_switch
    .type accache_cpu_switch, @function
accache_cpu_switch:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size accache_cpu_switch, .-accache_cpu_switch
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .p2align 4
    .globl accache_cpu_switch
    .hidden accache_cpu_switch
    .type accache_cpu_switch, %function
accache_cpu_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size accache_cpu_switch, .-accache_cpu_switch
)");
#endif

namespace accache_cpu {

#if defined(ACCACHE_CPU_UCONTEXT)

void prepare(Fiber &fiber, char *stack, size_t bytes, void (*entry)()) {
    getcontext(&fiber.context.context);
    fiber.context.context.uc_stack.ss_sp = stack;
    fiber.context.context.uc_stack.ss_size = bytes;
    fiber.context.context.uc_link = nullptr;
    makecontext(&fiber.context.context, entry, 0);
}

#else

void prepare(Fiber &fiber, char *stack, size_t bytes, void (*entry)()) {
    void **top = reinterpret_cast<void **>(stack + bytes);
#if defined(__x86_64__)
    *--top = nullptr;                           // keeps the stack aligned as after a call; nobody returns here
    *--top = reinterpret_cast<void *>(entry);   // popped by `ret`
    for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
#else
    top -= 20;
    for (int saved = 0; saved < 20; ++saved) top[saved] = nullptr;
    top[11] = reinterpret_cast<void *>(entry);  // x30, the return address
#endif
    fiber.context.stack_pointer = top;
}

#endif

// What lies below a stack: its shadow, in whole pages, and the guard page.
static size_t below(size_t page) { return (stack_shadow_bytes + page - 1) / page * page + page; }

Fiber *create_fiber(unsigned colour, void (*entry)()) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), low = below(page);
    void *memory = mmap(nullptr, low + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("accache-cpu: no memory for the stack of a thread");
        std::abort();
    }
    Fiber *fiber = new Fiber;
    fiber->unset = static_cast<uint8_t *>(memory);
    fiber->stack = static_cast<char *>(memory) + low;
    mprotect(fiber->stack - page, page, PROT_NONE);  // best effort: a guard page costs one of the process's mappings
    // Equal offsets in all stacks would fall into the same cache sets and evict each other.
    prepare(*fiber, fiber->stack, stack_bytes - (colour % 61) * 192, entry);
    return fiber;
}

void destroy_fiber(Fiber *fiber) {
    const size_t low = below(static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    munmap(fiber->stack - low, low + stack_bytes);
    delete fiber;
}

}  // namespace accache_cpu
