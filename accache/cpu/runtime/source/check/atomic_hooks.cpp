// The calls that -fsanitize=thread makes instead of atomic instructions.
#include "access.h"
#include "symbols.h"

using namespace accache_cpu::check;

// Where the program asked for an atomic access that functions of ours make for it.
static const void *asked_for(const void *pc) {
    if (!state.in_kernel) return pc;
    const ThreadState &thread = *state.thread;
    for (unsigned up = 0; up < ThreadState::callers_known && up < thread.depth && in_atomic_function(pc); ++up)
        pc = thread.callers[(thread.depth - up) % ThreadState::callers_known];
    return pc;
}

#define CHECK(kind, p)                                                                                  \
    access<Access::kind>(const_cast<const void *>(static_cast<const volatile void *>(p)), sizeof *(p), \
                         asked_for(__builtin_return_address(0)))

#define FETCH(bits, T, operation)                                        \
    T __tsan_atomic##bits##_fetch_##operation(volatile T *p, T v, int) { \
        CHECK(atomic, p);                                                \
        return __atomic_fetch_##operation(p, v, __ATOMIC_RELAXED);       \
    }

#define EXCHANGE(bits, T)                                                                              \
    void __tsan_atomic##bits##_store(volatile T *p, T v, int) {                                        \
        CHECK(atomic_write, p);                                                                        \
        __atomic_store_n(p, v, __ATOMIC_RELAXED);                                                      \
    }                                                                                                  \
    T __tsan_atomic##bits##_exchange(volatile T *p, T v, int) {                                        \
        CHECK(atomic, p);                                                                              \
        return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                                            \
    }                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T *p, T *expected, T v, int, int) {     \
        CHECK(atomic, p);                                                                              \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    }                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T *p, T *expected, T v, int, int) {       \
        CHECK(atomic, p);                                                                              \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    }                                                                                                  \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *p, T expected, T v, int, int) {           \
        CHECK(atomic, p);                                                                              \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);       \
        return expected;                                                                               \
    }

// A relaxed load is the start of a compare-and-swap loop; the loop's swap is the access that counts.
#define LOAD(bits, T)                                              \
    T __tsan_atomic##bits##_load(const volatile T *p, int order) { \
        if (order != __ATOMIC_RELAXED) CHECK(atomic_read, p);      \
        return __atomic_load_n(p, __ATOMIC_RELAXED);               \
    }

#define HOOKS(bits, T)    \
    LOAD(bits, T)         \
    EXCHANGE(bits, T)     \
    FETCH(bits, T, add)   \
    FETCH(bits, T, sub)   \
    FETCH(bits, T, and)   \
    FETCH(bits, T, or)    \
    FETCH(bits, T, xor)   \
    FETCH(bits, T, nand)

extern "C" {

HOOKS(8, unsigned char)
HOOKS(16, unsigned short)
HOOKS(32, unsigned)
HOOKS(64, unsigned long long)

void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
}
