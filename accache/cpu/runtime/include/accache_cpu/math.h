// Device math: CUDA's overloads, its fast versions (here as exact as the plain ones) and bit intrinsics.
#pragma once

#include <math.h>
#include <stdlib.h>

#include <type_traits>

namespace accache_cpu {
template <class A, class B>
using both_arithmetic = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value,
                                         std::common_type_t<A, B>>;
template <class To, class From> inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
}  // namespace accache_cpu

template <class A, class B> static inline accache_cpu::both_arithmetic<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point<T>::value) return ::fmin((T)a, (T)b);
    else return (T)b < (T)a ? (T)b : (T)a;
}
template <class A, class B> static inline accache_cpu::both_arithmetic<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point<T>::value) return ::fmax((T)a, (T)b);
    else return (T)a < (T)b ? (T)b : (T)a;
}
static inline unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
static inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }
static inline float sinpif(float x) { return (float)sin(M_PI * (double)x); }
static inline double sinpi(double x) { return sin(M_PI * x); }
static inline float cospif(float x) { return (float)cos(M_PI * (double)x); }
static inline double cospi(double x) { return cos(M_PI * x); }
static inline float fdividef(float a, float b) { return a / b; }

static inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
static inline float __fdividef(float a, float b) { return a / b; }
// The C library declares these names for itself, so they are macros here.
#define __expf(x) expf(x)
#define __exp10f(x) powf(10.0f, x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)

static inline float __frsqrt_rn(float x) { return rsqrtf(x); }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double x) { return sqrt(x); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

static inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
    unsigned result = 0;
    for (int bit = 0; bit < 32; ++bit) result |= (x >> bit & 1u) << (31 - bit);
    return result;
}

static inline int __float_as_int(float x) { return accache_cpu::bit_cast<int>(x); }
static inline unsigned __float_as_uint(float x) { return accache_cpu::bit_cast<unsigned>(x); }
static inline float __int_as_float(int x) { return accache_cpu::bit_cast<float>(x); }
static inline float __uint_as_float(unsigned x) { return accache_cpu::bit_cast<float>(x); }
static inline long long __double_as_longlong(double x) { return accache_cpu::bit_cast<long long>(x); }
static inline double __longlong_as_double(long long x) { return accache_cpu::bit_cast<double>(x); }
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline int __float2int_rn(float x) { return (int)rintf(x); }
static inline int __float2int_rz(float x) { return (int)x; }
static inline int __float2int_rd(float x) { return (int)floorf(x); }
static inline int __float2int_ru(float x) { return (int)ceilf(x); }
static inline double __int2double_rn(int x) { return x; }
static inline int __double2int_rn(double x) { return (int)rint(x); }
static inline int __double2int_rz(double x) { return (int)x; }
static inline float __double2float_rn(double x) { return (float)x; }

typedef long long accache_cpu_clock;
extern "C" accache_cpu_clock accache_cpu_ticks(void);
static inline long long clock64() { return accache_cpu_ticks(); }
