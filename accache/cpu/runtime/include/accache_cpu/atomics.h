// atomicAdd and its family. Blocks run on several cores, so these are real atomics.
#pragma once

extern "C" {
// Lets other threads of the block run, if a kernel calls it: the caller waits for one of them.
void accache_cpu_pause(void);
extern __thread unsigned accache_cpu_patience __attribute__((tls_model("initial-exec")));
}

namespace accache_cpu {

// Who looks at memory this often without a barrier waits for another thread. In a check build the hooks do this.
static inline void maybe_pause() {
#ifndef ACCACHE_CPU_CHECK
    if (__builtin_expect(--accache_cpu_patience == 0, 0)) accache_cpu_pause();
#endif
}

// The order of an atomic access tells the checker its scope: ACQ_REL is the block, SEQ_CST the device.
constexpr int block_scope = __ATOMIC_ACQ_REL, device_scope = __ATOMIC_SEQ_CST;

// Replaces *address by change(old) and returns old; for types and operations the processor has no instruction for.
template <class Bits, int order = device_scope, class T, class Change>
inline T exchange_loop(T *address, Change change) {
    maybe_pause();
    Bits *place = reinterpret_cast<Bits *>(address);
    Bits old_bits = __atomic_load_n(place, __ATOMIC_RELAXED), new_bits;
    T old_value;
    do {
        __builtin_memcpy(&old_value, &old_bits, sizeof old_value);
        T new_value = change(old_value);
        __builtin_memcpy(&new_bits, &new_value, sizeof new_bits);
    } while (!__atomic_compare_exchange_n(place, &old_bits, new_bits, false, order, __ATOMIC_RELAXED));
    return old_value;
}

// Replaces *address by a value and returns what stood there. The checker sees a write: fresh memory may be replaced.
template <class Bits, int order = device_scope, class T> inline T exchange(T *address, T value) {
    maybe_pause();
    Bits bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    bits = __atomic_exchange_n(reinterpret_cast<Bits *>(address), bits, order);
    __builtin_memcpy(&value, &bits, sizeof bits);
    return value;
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

#define ACCACHE_CPU_INTEGER_ATOMICS(suffix, order, type, bits)                                                 \
    static inline type atomicAdd##suffix(type *p, type v) {                                                    \
        accache_cpu::maybe_pause();                                                                            \
        return __atomic_fetch_add(p, v, order);                                                                \
    }                                                                                                          \
    static inline type atomicSub##suffix(type *p, type v) { return __atomic_fetch_sub(p, v, order); }          \
    static inline type atomicAnd##suffix(type *p, type v) {                                                    \
        accache_cpu::maybe_pause();                                                                            \
        return __atomic_fetch_and(p, v, order);                                                                \
    }                                                                                                          \
    static inline type atomicOr##suffix(type *p, type v) {                                                     \
        accache_cpu::maybe_pause();                                                                            \
        return __atomic_fetch_or(p, v, order);                                                                 \
    }                                                                                                          \
    static inline type atomicXor##suffix(type *p, type v) { return __atomic_fetch_xor(p, v, order); }          \
    static inline type atomicExch##suffix(type *p, type v) {                                                   \
        accache_cpu::maybe_pause();                                                                            \
        return __atomic_exchange_n(p, v, order);                                                               \
    }                                                                                                          \
    static inline type atomicMin##suffix(type *p, type v) {                                                    \
        return accache_cpu::exchange_loop<bits, order>(p, [=](type old) { return v < old ? v : old; });        \
    }                                                                                                          \
    static inline type atomicMax##suffix(type *p, type v) {                                                    \
        return accache_cpu::exchange_loop<bits, order>(p, [=](type old) { return v > old ? v : old; });        \
    }                                                                                                          \
    static inline type atomicCAS##suffix(type *p, type expected, type v) {                                     \
        accache_cpu::maybe_pause();                                                                            \
        __atomic_compare_exchange_n(p, &expected, v, false, order, __ATOMIC_RELAXED);                          \
        return expected;                                                                                       \
    }

#define ACCACHE_CPU_ATOMICS(suffix, order)                                                                     \
    ACCACHE_CPU_INTEGER_ATOMICS(suffix, order, int, unsigned)                                                  \
    ACCACHE_CPU_INTEGER_ATOMICS(suffix, order, unsigned, unsigned)                                             \
    ACCACHE_CPU_INTEGER_ATOMICS(suffix, order, long, unsigned long)                                            \
    ACCACHE_CPU_INTEGER_ATOMICS(suffix, order, unsigned long, unsigned long)                                   \
    ACCACHE_CPU_INTEGER_ATOMICS(suffix, order, long long, unsigned long long)                                  \
    ACCACHE_CPU_INTEGER_ATOMICS(suffix, order, unsigned long long, unsigned long long)                         \
    static inline unsigned short atomicCAS##suffix(unsigned short *p, unsigned short expected, unsigned short v) { \
        accache_cpu::maybe_pause();                                                                            \
        __atomic_compare_exchange_n(p, &expected, v, false, order, __ATOMIC_RELAXED);                          \
        return expected;                                                                                       \
    }                                                                                                          \
    static inline float atomicAdd##suffix(float *p, float v) {                                                 \
        return accache_cpu::exchange_loop<unsigned, order>(p, [=](float old) { return old + v; });             \
    }                                                                                                          \
    static inline double atomicAdd##suffix(double *p, double v) {                                              \
        return accache_cpu::exchange_loop<unsigned long long, order>(p, [=](double old) { return old + v; });  \
    }                                                                                                          \
    static inline float atomicExch##suffix(float *p, float v) {                                                \
        return accache_cpu::exchange<unsigned, order>(p, v);                                                   \
    }                                                                                                          \
    static inline unsigned atomicInc##suffix(unsigned *p, unsigned limit) {                                    \
        return accache_cpu::exchange_loop<unsigned, order>(                                                    \
            p, [=](unsigned old) { return old >= limit ? 0 : old + 1; });                                      \
    }                                                                                                          \
    static inline unsigned atomicDec##suffix(unsigned *p, unsigned limit) {                                    \
        return accache_cpu::exchange_loop<unsigned, order>(                                                    \
            p, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });                       \
    }

ACCACHE_CPU_ATOMICS(, accache_cpu::device_scope)
ACCACHE_CPU_ATOMICS(_block, accache_cpu::block_scope)
ACCACHE_CPU_ATOMICS(_system, accache_cpu::device_scope)
#undef ACCACHE_CPU_ATOMICS
#undef ACCACHE_CPU_INTEGER_ATOMICS
