// The calls that -fsanitize=thread plants before every plain access of a kernel. The sanitizer's own runtime knows
// nothing of blocks and barriers and is not linked; these take its place.
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "access.h"
#include "host.h"
#include "locals.h"
#include "symbols.h"

namespace accache_cpu::check {

static void enter_function(const void *pc, const void *caller) {
    ThreadState &thread = *state.thread;
    ++thread.depth;
    thread.callers[thread.depth % ThreadState::callers_known] = caller;
    if (thread.copy_depth || !in_copy_routine(pc)) return;
    if (state.in_assignment) end_assignment();
    thread.copy_depth = thread.depth;
    state.in_copy = true;
    state.counters = &state.kernel->copying;
}

static void leave_function() {
    ThreadState &thread = *state.thread;
    if (state.in_assignment) end_assignment();
    settle_copy();
    if (thread.depth-- != thread.copy_depth) return;
    thread.copy_depth = 0;
    state.in_copy = false;
    state.counters = &state.kernel->own;
}

// Most copies are of a scalar.
static inline void copy_bytes(void *to, const void *from, size_t bytes) {
    if (bytes == 4) __builtin_memcpy(to, from, 4);
    else if (bytes == 8) __builtin_memcpy(to, from, 8);
    else if (bytes == 1) __builtin_memcpy(to, from, 1);
    else std::memmove(to, from, bytes);
}

// What a structure's assignment copies need not have a value. Traces tell of copy routines alone.
template <Access kind> static inline void access_structure(const void *address, size_t bytes, const void *pc) {
    bool is_assignment = state.in_kernel && !state.recording && (!state.in_copy || state.in_assignment);
    if (is_assignment && bytes > 1) assign_structure<kind>(address, bytes, pc);
    else access_many<kind>(address, bytes, pc);
}

// memcpy in a kernel.
static inline void copy_in_kernel(void *to, const void *from, size_t bytes, const void *pc) {
    if (__builtin_expect(is_on_stack(to) && is_on_stack(from), 1)) {
        copy_locals(to, from, bytes);
    } else if (!nobody_shares(to) || !nobody_shares(from)) {
        access_many<Access::read>(from, bytes, pc);
        access_many<Access::write>(to, bytes, pc);
    }
    copy_bytes(to, from, bytes);
    settle_copy();
}

static void copy_on_host(void *to, const void *from, size_t bytes, const void *pc) {
    if (bytes) host_access(from, bytes, Access::read, pc), host_access(to, bytes, Access::write, pc);
    std::memmove(to, from, bytes);
}

// A loop that reads nothing but volatile memory waits for another thread.
static inline void pause_sometimes() {
    if (state.in_kernel && --accache_cpu_patience == 0) accache_cpu_pause();
}

}  // namespace accache_cpu::check

using namespace accache_cpu::check;

#define PC __builtin_return_address(0)

#define HOOKS(bytes)                                                                            \
    void __tsan_read##bytes(void *p) { access_scalar<Access::read, bytes>(p, PC); }             \
    void __tsan_write##bytes(void *p) { access_scalar<Access::write, bytes>(p, PC); }           \
    void __tsan_unaligned_read##bytes(void *p) { access_scalar<Access::read, bytes>(p, PC); }   \
    void __tsan_unaligned_write##bytes(void *p) { access_scalar<Access::write, bytes>(p, PC); } \
    void __tsan_volatile_read##bytes(void *p) {                                                 \
        pause_sometimes();                                                                      \
        access_scalar<Access::read, bytes>(p, PC);                                              \
    }                                                                                           \
    void __tsan_volatile_write##bytes(void *p) { access_scalar<Access::write, bytes>(p, PC); }

extern "C" {

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void *p, size_t bytes) { access_structure<Access::read>(p, bytes, PC); }
void __tsan_write_range(void *p, size_t bytes) { access_structure<Access::write>(p, bytes, PC); }
void __tsan_vptr_read(void **p) { access<Access::read>(p, sizeof *p, PC); }
void __tsan_vptr_update(void **p, void *) { access<Access::write>(p, sizeof *p, PC); }

void __tsan_func_entry(void *caller) {
    if (state.in_kernel) enter_function(PC, caller);
}
void __tsan_func_exit(void) {
    if (state.in_kernel) leave_function();
}
void __tsan_init(void) {}

// The build gives the kernels' calls of memcpy and its relatives these names; inside kernels they are accesses like
// any other.
void *accache_cpu_memcpy(void *to, const void *from, size_t bytes) {
    if (state.in_kernel) copy_in_kernel(to, from, bytes, PC);
    else copy_on_host(to, from, bytes, PC);
    return to;
}
void *accache_cpu_memmove(void *to, const void *from, size_t bytes) {
    if (state.in_kernel) copy_in_kernel(to, from, bytes, PC);
    else copy_on_host(to, from, bytes, PC);
    return to;
}
void *accache_cpu_memset(void *to, int value, size_t bytes) {
    if (state.in_kernel) access_many<Access::write>(to, bytes, PC);
    else if (bytes) host_access(to, bytes, Access::write, PC);
    return std::memset(to, value, bytes);
}

// Functions of the C library that leave results in memory, likewise.
#define RESULTS(name, T, parameters, call, ...)                                                    \
    T accache_cpu_##name parameters {                                                              \
        for (auto [result, bytes] : std::initializer_list<std::pair<void *, size_t>>{__VA_ARGS__}) \
            access_many<Access::write>(result, bytes, PC);                                         \
        return name call;                                                                          \
    }
RESULTS(sincos, void, (double x, double *sine, double *cosine), (x, sine, cosine), {sine, sizeof *sine}, {cosine, sizeof *cosine})
RESULTS(sincosf, void, (float x, float *sine, float *cosine), (x, sine, cosine), {sine, sizeof *sine}, {cosine, sizeof *cosine})
RESULTS(modf, double, (double x, double *whole), (x, whole), {whole, sizeof *whole})
RESULTS(modff, float, (float x, float *whole), (x, whole), {whole, sizeof *whole})
RESULTS(frexp, double, (double x, int *exponent), (x, exponent), {exponent, sizeof *exponent})
RESULTS(frexpf, float, (float x, int *exponent), (x, exponent), {exponent, sizeof *exponent})
RESULTS(remquo, double, (double x, double y, int *quotient), (x, y, quotient), {quotient, sizeof *quotient})
RESULTS(remquof, float, (float x, float y, int *quotient), (x, y, quotient), {quotient, sizeof *quotient})
#undef RESULTS
}
