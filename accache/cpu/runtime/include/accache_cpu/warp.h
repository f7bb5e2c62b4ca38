// Warp-wide operations: threads of a warp meet, exchange a value and go on.
#pragma once

#include <cstring>

extern "C" {
// The calling lane waits for the lanes of `mask`, then receives what lane `source` brought.
unsigned long long accache_cpu_shuffle(unsigned mask, unsigned long long value, int source);
// Bit i of the result: lane i of `mask` brought a true predicate.
unsigned accache_cpu_ballot(unsigned mask, int predicate);
unsigned accache_cpu_lane(void);
unsigned accache_cpu_active_mask(void);
}

static inline void __syncwarp(unsigned mask = 0xffffffffu) { accache_cpu_ballot(mask, 0); }
static inline unsigned __activemask() { return accache_cpu_active_mask(); }
static inline unsigned __ballot_sync(unsigned mask, int predicate) { return accache_cpu_ballot(mask, predicate); }
static inline int __any_sync(unsigned mask, int predicate) { return accache_cpu_ballot(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return accache_cpu_ballot(mask, !predicate) == 0; }

namespace accache_cpu {
template <class T> inline T shuffle(unsigned mask, T value, int source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move values of 4 or 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = accache_cpu_shuffle(mask, bits, source);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
}  // namespace accache_cpu

// The lane a value comes from, per segment of `width` lanes; outside the segment a lane keeps its own value.
template <class T> static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    int lane = (int)accache_cpu_lane();
    return accache_cpu::shuffle(mask, value, (lane & -width) | (source & (width - 1)));
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    int lane = (int)accache_cpu_lane(), source = lane ^ bits;
    return accache_cpu::shuffle(mask, value, source < (lane & -width) + width ? source : lane);
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    int lane = (int)accache_cpu_lane(), source = lane + (int)delta;
    return accache_cpu::shuffle(mask, value, source < (lane & -width) + width ? source : lane);
}
template <class T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    int lane = (int)accache_cpu_lane(), source = lane - (int)delta;
    return accache_cpu::shuffle(mask, value, source >= (lane & -width) ? source : lane);
}
