// Device math: CUDA's overloads, and its fast versions, here as exact as the plain ones.
#pragma once

#include <fenv.h>
#include <math.h>
#include <stdlib.h>

#include <type_traits>

namespace accache_cpu {
template <class A, class B>
using both_arithmetic = std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value,
                                         std::common_type_t<A, B>>;
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
static inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
static inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
static inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
static inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
static inline double norm3d(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }
static inline double norm4d(double x, double y, double z, double w) { return sqrt(x * x + y * y + z * z + w * w); }
static inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
static inline double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
static inline float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
static inline float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
static inline float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
static inline float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }
static inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
static inline float normcdff(float x) { return (float)normcdf(x); }

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

static inline float __frsqrt_rn(float x) { return (float)(1.0 / sqrt((double)x)); }

namespace accache_cpu {

// Computes under one of C's rounding modes. The compiler knows nothing of modes: it must not see the operands before,
// nor the result behind.
template <class T> inline void hide(T &value) { __asm__ volatile("" : "+m"(value) : : "memory"); }
template <class Compute, class... Operands> inline auto rounded(int mode, Compute compute, Operands... operands) {
    const int before = fegetround();
    fesetround(mode);
    (hide(operands), ...);
    auto result = compute(operands...);
    hide(result);
    fesetround(before);
    return result;
}

}  // namespace accache_cpu

#define ACCACHE_CPU_ROUNDED(name, T, parameters, expression, ...)                                            \
    static inline T name##_rn parameters { return expression; }                                              \
    static inline T name##_ru parameters { return accache_cpu::rounded(FE_UPWARD, __VA_ARGS__); }            \
    static inline T name##_rd parameters { return accache_cpu::rounded(FE_DOWNWARD, __VA_ARGS__); }          \
    static inline T name##_rz parameters { return accache_cpu::rounded(FE_TOWARDZERO, __VA_ARGS__); }
#define ACCACHE_CPU_ROUNDED1(name, T, expression) \
    ACCACHE_CPU_ROUNDED(name, T, (T a), expression, [](T a) { return expression; }, a)
#define ACCACHE_CPU_ROUNDED2(name, T, expression) \
    ACCACHE_CPU_ROUNDED(name, T, (T a, T b), expression, [](T a, T b) { return expression; }, a, b)
#define ACCACHE_CPU_ROUNDED3(name, T, expression) \
    ACCACHE_CPU_ROUNDED(name, T, (T a, T b, T c), expression, [](T a, T b, T c) { return expression; }, a, b, c)
ACCACHE_CPU_ROUNDED2(__fadd, float, a + b)
ACCACHE_CPU_ROUNDED2(__fsub, float, a - b)
ACCACHE_CPU_ROUNDED2(__fmul, float, a * b)
ACCACHE_CPU_ROUNDED2(__fdiv, float, a / b)
ACCACHE_CPU_ROUNDED1(__frcp, float, 1.0f / a)
ACCACHE_CPU_ROUNDED1(__fsqrt, float, sqrtf(a))
ACCACHE_CPU_ROUNDED3(__fmaf, float, fmaf(a, b, c))
ACCACHE_CPU_ROUNDED2(__dadd, double, a + b)
ACCACHE_CPU_ROUNDED2(__dsub, double, a - b)
ACCACHE_CPU_ROUNDED2(__dmul, double, a * b)
ACCACHE_CPU_ROUNDED2(__ddiv, double, a / b)
ACCACHE_CPU_ROUNDED1(__drcp, double, 1.0 / a)
ACCACHE_CPU_ROUNDED1(__dsqrt, double, sqrt(a))
ACCACHE_CPU_ROUNDED3(__fma, double, fma(a, b, c))
#undef ACCACHE_CPU_ROUNDED
#undef ACCACHE_CPU_ROUNDED1
#undef ACCACHE_CPU_ROUNDED2
#undef ACCACHE_CPU_ROUNDED3

typedef long long accache_cpu_clock;
extern "C" accache_cpu_clock accache_cpu_ticks(void);
static inline long long clock64() { return accache_cpu_ticks(); }
