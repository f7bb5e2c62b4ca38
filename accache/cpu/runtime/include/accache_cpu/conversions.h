// Conversions between numbers that say how to round, and views of one type's bits as another.
#pragma once

#include <limits>
#include <math.h>

namespace accache_cpu {

template <class To, class From> inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// To an integer: what does not fit becomes the nearest that does; what is no number 0, or with 64 bits on either side
// the highest bit alone, as PTX says.
template <class To, class From> inline To saturate(From rounded) {
    using Limits = std::numeric_limits<To>;
    if (rounded != rounded)
        return sizeof(From) == 8 || sizeof(To) == 8 ? (To)(1ull << (8 * sizeof(To) - 1)) : To{0};
    if (rounded >= ldexp(From(1), Limits::digits)) return Limits::max();
    if (rounded < (From)Limits::min()) return Limits::min();
    return (To)rounded;
}

// To a floating-point type, in the direction of `up` (1), `down` (-1) or zero (0).
template <class To, class From> inline To towards(From value, int direction) {
    const To nearest = (To)value;
    const long double apart = (long double)nearest - (long double)value;
    if (direction == 0) direction = value < From(0) ? 1 : -1;
    if (direction > 0 && apart < 0) return nextafter(nearest, std::numeric_limits<To>::infinity());
    if (direction < 0 && apart > 0) return nextafter(nearest, -std::numeric_limits<To>::infinity());
    return nearest;
}

}  // namespace accache_cpu

#define ACCACHE_CPU_TO_INTEGER(from, name, to)                                                            \
    static inline to __##name##_rn(from x) { return accache_cpu::saturate<to>(rint(x)); }                 \
    static inline to __##name##_rz(from x) { return accache_cpu::saturate<to>(trunc(x)); }                \
    static inline to __##name##_ru(from x) { return accache_cpu::saturate<to>(ceil(x)); }                 \
    static inline to __##name##_rd(from x) { return accache_cpu::saturate<to>(floor(x)); }
ACCACHE_CPU_TO_INTEGER(float, float2int, int)
ACCACHE_CPU_TO_INTEGER(float, float2uint, unsigned)
ACCACHE_CPU_TO_INTEGER(float, float2ll, long long)
ACCACHE_CPU_TO_INTEGER(float, float2ull, unsigned long long)
ACCACHE_CPU_TO_INTEGER(double, double2int, int)
ACCACHE_CPU_TO_INTEGER(double, double2uint, unsigned)
ACCACHE_CPU_TO_INTEGER(double, double2ll, long long)
ACCACHE_CPU_TO_INTEGER(double, double2ull, unsigned long long)
#undef ACCACHE_CPU_TO_INTEGER

#define ACCACHE_CPU_TO_FLOAT(from, name, to)                                                              \
    static inline to __##name##_rn(from x) { return (to)x; }                                              \
    static inline to __##name##_rz(from x) { return accache_cpu::towards<to>(x, 0); }                     \
    static inline to __##name##_ru(from x) { return accache_cpu::towards<to>(x, 1); }                     \
    static inline to __##name##_rd(from x) { return accache_cpu::towards<to>(x, -1); }
ACCACHE_CPU_TO_FLOAT(int, int2float, float)
ACCACHE_CPU_TO_FLOAT(unsigned, uint2float, float)
ACCACHE_CPU_TO_FLOAT(long long, ll2float, float)
ACCACHE_CPU_TO_FLOAT(unsigned long long, ull2float, float)
ACCACHE_CPU_TO_FLOAT(long long, ll2double, double)
ACCACHE_CPU_TO_FLOAT(unsigned long long, ull2double, double)
ACCACHE_CPU_TO_FLOAT(double, double2float, float)
#undef ACCACHE_CPU_TO_FLOAT
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }

static inline int __float_as_int(float x) { return accache_cpu::bit_cast<int>(x); }
static inline unsigned __float_as_uint(float x) { return accache_cpu::bit_cast<unsigned>(x); }
static inline float __int_as_float(int x) { return accache_cpu::bit_cast<float>(x); }
static inline float __uint_as_float(unsigned x) { return accache_cpu::bit_cast<float>(x); }
static inline long long __double_as_longlong(double x) { return accache_cpu::bit_cast<long long>(x); }
static inline double __longlong_as_double(long long x) { return accache_cpu::bit_cast<double>(x); }
static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
