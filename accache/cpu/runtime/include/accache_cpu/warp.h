// Warp-wide operations: threads of a warp meet, exchange a value and go on.
#pragma once

#include <cstring>

extern "C" {
// The calling lane waits for the lanes of `mask`, then receives what lane `source` brought.
unsigned long long accache_cpu_shuffle(unsigned mask, unsigned long long value, int source);
// Bit i of the result: lane i of `mask` brought a true predicate.
unsigned accache_cpu_ballot(unsigned mask, int predicate);
unsigned accache_cpu_lane(void);
// The lanes of the warp that come here together: all that can without one of the others.
unsigned accache_cpu_active_mask(void);
}

static inline void __syncwarp(unsigned mask = 0xffffffffu) { accache_cpu_ballot(mask, 0); }
static inline unsigned __activemask() { return accache_cpu_active_mask(); }
static inline unsigned __ballot_sync(unsigned mask, int predicate) { return accache_cpu_ballot(mask, predicate); }
static inline int __any_sync(unsigned mask, int predicate) { return accache_cpu_ballot(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return accache_cpu_ballot(mask, !predicate) == 0; }

namespace accache_cpu {
template <class T> inline ACCACHE_CPU_INLINED T shuffle(unsigned mask, T value, int source) {
    static_assert(sizeof(T) <= 8, "shuffles move values of up to 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = accache_cpu_shuffle(mask, bits, source);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
}  // namespace accache_cpu

// The lane a value comes from, per segment of `width` lanes; outside the segment a lane keeps its own value.
template <class T> ACCACHE_CPU_BY_VALUE T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    int lane = (int)accache_cpu_lane();
    return accache_cpu::shuffle(mask, value, (lane & -width) | (source & (width - 1)));
}
template <class T> ACCACHE_CPU_BY_VALUE T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    int lane = (int)accache_cpu_lane(), source = lane ^ bits;
    return accache_cpu::shuffle(mask, value, source < (lane & -width) + width ? source : lane);
}
template <class T> ACCACHE_CPU_BY_VALUE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    int lane = (int)accache_cpu_lane(), source = lane + (int)delta;
    return accache_cpu::shuffle(mask, value, source < (lane & -width) + width ? source : lane);
}
template <class T> ACCACHE_CPU_BY_VALUE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    int lane = (int)accache_cpu_lane(), source = lane - (int)delta;
    return accache_cpu::shuffle(mask, value, source >= (lane & -width) ? source : lane);
}

// The lanes of `mask` whose value has the same bits as the caller's.
template <class T> ACCACHE_CPU_BY_VALUE unsigned __match_any_sync(unsigned mask, T value) {
    unsigned same = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const T other = accache_cpu::shuffle(mask, value, (int)lane);
        if (__builtin_memcmp(&other, &value, sizeof value) == 0) same |= 1u << lane;
    }
    return same;
}
template <class T> ACCACHE_CPU_BY_VALUE unsigned __match_all_sync(unsigned mask, T value, int *all) {
    const unsigned same = __match_any_sync(mask, value);
    *all = __all_sync(mask, same == mask);
    return *all ? mask : 0;
}

namespace accache_cpu {
template <class T, class Combine> inline T reduce(unsigned mask, T value, Combine combine) {
    bool first = true;
    T result = value;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const T other = shuffle(mask, value, (int)lane);
        result = first ? other : combine(result, other);
        first = false;
    }
    return result;
}
}  // namespace accache_cpu

#define ACCACHE_CPU_REDUCE(name, expression)                                                   \
    static inline unsigned __reduce_##name##_sync(unsigned mask, unsigned value) {             \
        return accache_cpu::reduce(mask, value, [](unsigned a, unsigned b) { return expression; }); \
    }                                                                                          \
    static inline int __reduce_##name##_sync(unsigned mask, int value) {                       \
        return accache_cpu::reduce(mask, value, [](int a, int b) { return expression; });      \
    }
ACCACHE_CPU_REDUCE(add, a + b)
ACCACHE_CPU_REDUCE(min, b < a ? b : a)
ACCACHE_CPU_REDUCE(max, a < b ? b : a)
ACCACHE_CPU_REDUCE(and, a & b)
ACCACHE_CPU_REDUCE(or, a | b)
ACCACHE_CPU_REDUCE(xor, a ^ b)
#undef ACCACHE_CPU_REDUCE
