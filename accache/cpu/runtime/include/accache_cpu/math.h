// Device math: CUDA's overloads, and its fast versions, here as exact as the plain ones.
#pragma once

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

typedef long long accache_cpu_clock;
extern "C" accache_cpu_clock accache_cpu_ticks(void);
static inline long long clock64() { return accache_cpu_ticks(); }
