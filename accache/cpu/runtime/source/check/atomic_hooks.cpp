// The calls that -fsanitize=thread makes instead of atomic instructions.
#include "access.h"

using accache_cpu::check::access;
using accache_cpu::check::Access;

#define CHECK(p) access<Access::atomic>(const_cast<const void *>(static_cast<const volatile void *>(p)), sizeof *(p), \
                                        __builtin_return_address(0))

#define FETCH(bits, T, operation)                                             \
    T __tsan_atomic##bits##_fetch_##operation(volatile T *p, T v, int) {      \
        CHECK(p);                                                             \
        return __atomic_fetch_##operation(p, v, __ATOMIC_RELAXED);            \
    }

#define EXCHANGE(bits, T)                                                                             \
    void __tsan_atomic##bits##_store(volatile T *p, T v, int) {                                       \
        CHECK(p);                                                                                     \
        __atomic_store_n(p, v, __ATOMIC_RELAXED);                                                     \
    }                                                                                                 \
    T __tsan_atomic##bits##_exchange(volatile T *p, T v, int) {                                       \
        CHECK(p);                                                                                     \
        return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                                           \
    }                                                                                                 \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T *p, T *expected, T v, int, int) {    \
        CHECK(p);                                                                                     \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    }                                                                                                 \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T *p, T *expected, T v, int, int) {      \
        CHECK(p);                                                                                     \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    }                                                                                                 \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *p, T expected, T v, int, int) {          \
        CHECK(p);                                                                                     \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);      \
        return expected;                                                                              \
    }

// A load is the start of a compare-and-swap loop; the loop's swap is the access that counts.
#define HOOKS(bits, T)                                                                                      \
    T __tsan_atomic##bits##_load(const volatile T *p, int) { return __atomic_load_n(p, __ATOMIC_RELAXED); } \
    EXCHANGE(bits, T)                                                                                       \
    FETCH(bits, T, add)                                                                                     \
    FETCH(bits, T, sub)                                                                                     \
    FETCH(bits, T, and)                                                                                     \
    FETCH(bits, T, or)                                                                                      \
    FETCH(bits, T, xor)                                                                                     \
    FETCH(bits, T, nand)

extern "C" {

HOOKS(8, unsigned char)
HOOKS(16, unsigned short)
HOOKS(32, unsigned)
HOOKS(64, unsigned long long)

void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
}
