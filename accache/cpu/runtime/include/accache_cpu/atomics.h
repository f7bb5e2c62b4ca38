// atomicAdd and its family. Blocks run on several cores, so these are real atomics.
#pragma once

namespace accache_cpu {

// Replaces *address by change(old) and returns old; for types and operations the processor has no instruction for.
template <class Bits, class T, class Change> inline T exchange_loop(T *address, Change change) {
    Bits *place = reinterpret_cast<Bits *>(address);
    Bits old_bits = __atomic_load_n(place, __ATOMIC_RELAXED), new_bits;
    T old_value;
    do {
        __builtin_memcpy(&old_value, &old_bits, sizeof old_value);
        T new_value = change(old_value);
        __builtin_memcpy(&new_bits, &new_value, sizeof new_bits);
    } while (!__atomic_compare_exchange_n(place, &old_bits, new_bits, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old_value;
}

// For emitted code in a check build: the checker sees calls of these as atomic.
template <class T> inline T atomic_load(const T *place) {
    T value;
    __atomic_load(place, &value, __ATOMIC_ACQUIRE);
    return value;
}
template <class T> inline void atomic_store(T *place, T value) { __atomic_store(place, &value, __ATOMIC_RELAXED); }
template <class T> inline T compare_and_swap(T *place, T expected, T value) {
    __atomic_compare_exchange(place, &expected, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return expected;
}

}  // namespace accache_cpu

static inline float atomicAdd(float *address, float value) {
    return accache_cpu::exchange_loop<unsigned>(address, [=](float old) { return old + value; });
}
static inline double atomicAdd(double *address, double value) {
    return accache_cpu::exchange_loop<unsigned long long>(address, [=](double old) { return old + value; });
}

#define ACCACHE_CPU_ATOMIC(type, bits)                                                                               \
    static inline type atomicAdd(type *p, type v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }       \
    static inline type atomicSub(type *p, type v) { return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); }       \
    static inline type atomicAnd(type *p, type v) { return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); }       \
    static inline type atomicOr(type *p, type v) { return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); }         \
    static inline type atomicXor(type *p, type v) { return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST); }       \
    static inline type atomicExch(type *p, type v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }     \
    static inline type atomicMin(type *p, type v) {                                                            \
        return accache_cpu::exchange_loop<bits>(p, [=](type old) { return v < old ? v : old; });      \
    }                                                                                                          \
    static inline type atomicMax(type *p, type v) {                                                            \
        return accache_cpu::exchange_loop<bits>(p, [=](type old) { return v > old ? v : old; });      \
    }                                                                                                          \
    static inline type atomicCAS(type *p, type expected, type v) {                                             \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
        return expected;                                                                                       \
    }

ACCACHE_CPU_ATOMIC(int, unsigned)
ACCACHE_CPU_ATOMIC(unsigned, unsigned)
ACCACHE_CPU_ATOMIC(long, unsigned long)
ACCACHE_CPU_ATOMIC(unsigned long, unsigned long)
ACCACHE_CPU_ATOMIC(long long, unsigned long long)
ACCACHE_CPU_ATOMIC(unsigned long long, unsigned long long)
#undef ACCACHE_CPU_ATOMIC

static inline float atomicExch(float *address, float value) {
    return accache_cpu::exchange_loop<unsigned>(address, [=](float) { return value; });
}
static inline unsigned atomicInc(unsigned *address, unsigned limit) {
    return accache_cpu::exchange_loop<unsigned>(address, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}
static inline unsigned atomicDec(unsigned *address, unsigned limit) {
    return accache_cpu::exchange_loop<unsigned>(
        address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
