// Half precision: __half and __half2 on the compiler's own type. Results are rounded once, as on a GPU.
#pragma once

#define __CUDA_FP16_H__

#include "cuda_runtime.h"

#ifndef __FLT16_MAX__
#error "half precision needs a compiler with _Float16: g++ 12 or newer"
#endif

struct __half {
    _Float16 value;

    __half() = default;
    constexpr __half(_Float16 x) : value(x) {}
    constexpr __half(float x) : value((_Float16)x) {}
    constexpr __half(double x) : value((_Float16)x) {}
    constexpr __half(int x) : value((_Float16)x) {}
    constexpr __half(unsigned x) : value((_Float16)x) {}
    constexpr __half(long long x) : value((_Float16)x) {}
    constexpr __half(unsigned long long x) : value((_Float16)x) {}
    constexpr operator float() const { return (float)value; }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    constexpr __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half half;
typedef __half2 half2;

// fma is exact in double before it is rounded; the others are so in float.
ACCACHE_CPU_BY_VALUE __half __hfma(__half a, __half b, __half c) {
    return __half((_Float16)((double)a.value * (double)b.value + (double)c.value));
}
ACCACHE_CPU_BY_VALUE __half __hneg(__half a) { return __half((_Float16)-a.value); }
ACCACHE_CPU_BY_VALUE __half __habs(__half a) { return __half((_Float16)__builtin_fabsf((float)a.value)); }
ACCACHE_CPU_BY_VALUE bool __hisnan(__half a) { return a.value != a.value; }
ACCACHE_CPU_BY_VALUE int __hisinf(__half a) { return (float)a == INFINITY ? 1 : (float)a == -INFINITY ? -1 : 0; }
ACCACHE_CPU_BY_VALUE __half __hmax(__half a, __half b) { return __half((_Float16)fmaxf(a, b)); }
ACCACHE_CPU_BY_VALUE __half __hmin(__half a, __half b) { return __half((_Float16)fminf(a, b)); }

#define ACCACHE_CPU_HALVES(expression) __half2{expression(a.x, b.x), expression(a.y, b.y)}
#define ACCACHE_CPU_HALF_OPERATION(name, pair_name, symbol)                                          \
    ACCACHE_CPU_BY_VALUE __half name(__half a, __half b) {                                           \
        return __half((_Float16)((float)a.value symbol (float)b.value));                             \
    }                                                                                                \
    ACCACHE_CPU_BY_VALUE __half name##_rn(__half a, __half b) { return name(a, b); }                 \
    ACCACHE_CPU_BY_VALUE __half operator symbol(__half a, __half b) { return name(a, b); }           \
    ACCACHE_CPU_BY_VALUE __half &operator symbol##=(__half &a, __half b) { return a = name(a, b); }  \
    ACCACHE_CPU_BY_VALUE __half2 pair_name(__half2 a, __half2 b) { return ACCACHE_CPU_HALVES(name); }\
    ACCACHE_CPU_BY_VALUE __half2 operator symbol(__half2 a, __half2 b) { return pair_name(a, b); }   \
    ACCACHE_CPU_BY_VALUE __half2 &operator symbol##=(__half2 &a, __half2 b) { return a = pair_name(a, b); }
ACCACHE_CPU_HALF_OPERATION(__hadd, __hadd2, +)
ACCACHE_CPU_HALF_OPERATION(__hsub, __hsub2, -)
ACCACHE_CPU_HALF_OPERATION(__hmul, __hmul2, *)
ACCACHE_CPU_HALF_OPERATION(__hdiv, __h2div, /)
#undef ACCACHE_CPU_HALF_OPERATION
ACCACHE_CPU_BY_VALUE __half operator-(__half a) { return __hneg(a); }
ACCACHE_CPU_BY_VALUE __half2 operator-(__half2 a) { return {__hneg(a.x), __hneg(a.y)}; }
ACCACHE_CPU_BY_VALUE __half2 __hmax2(__half2 a, __half2 b) { return ACCACHE_CPU_HALVES(__hmax); }
ACCACHE_CPU_BY_VALUE __half2 __hmin2(__half2 a, __half2 b) { return ACCACHE_CPU_HALVES(__hmin); }
ACCACHE_CPU_BY_VALUE __half2 __hneg2(__half2 a) { return -a; }
ACCACHE_CPU_BY_VALUE __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
ACCACHE_CPU_BY_VALUE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#define ACCACHE_CPU_HALF_COMPARISON(name, symbol)                                                    \
    ACCACHE_CPU_BY_VALUE bool __h##name(__half a, __half b) { return a.value symbol b.value; }       \
    ACCACHE_CPU_BY_VALUE bool operator symbol(__half a, __half b) { return __h##name(a, b); }        \
    ACCACHE_CPU_BY_VALUE __half2 __h##name##2(__half2 a, __half2 b) {                                \
        return {__half((int)__h##name(a.x, b.x)), __half((int)__h##name(a.y, b.y))};                 \
    }                                                                                                \
    ACCACHE_CPU_BY_VALUE bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
ACCACHE_CPU_HALF_COMPARISON(eq, ==)
ACCACHE_CPU_HALF_COMPARISON(ne, !=)
ACCACHE_CPU_HALF_COMPARISON(lt, <)
ACCACHE_CPU_HALF_COMPARISON(le, <=)
ACCACHE_CPU_HALF_COMPARISON(gt, >)
ACCACHE_CPU_HALF_COMPARISON(ge, >=)
#undef ACCACHE_CPU_HALF_COMPARISON
#undef ACCACHE_CPU_HALVES

#define ACCACHE_CPU_HALF_FUNCTION(name, function)                                                    \
    ACCACHE_CPU_BY_VALUE __half h##name(__half a) { return __half((_Float16)function((float)a)); }   \
    ACCACHE_CPU_BY_VALUE __half2 h2##name(__half2 a) { return {h##name(a.x), h##name(a.y)}; }
ACCACHE_CPU_HALF_FUNCTION(sqrt, sqrtf)
ACCACHE_CPU_HALF_FUNCTION(rsqrt, rsqrtf)
ACCACHE_CPU_HALF_FUNCTION(exp, expf)
ACCACHE_CPU_HALF_FUNCTION(exp2, exp2f)
ACCACHE_CPU_HALF_FUNCTION(log, logf)
ACCACHE_CPU_HALF_FUNCTION(log2, log2f)
ACCACHE_CPU_HALF_FUNCTION(log10, log10f)
ACCACHE_CPU_HALF_FUNCTION(sin, sinf)
ACCACHE_CPU_HALF_FUNCTION(cos, cosf)
ACCACHE_CPU_HALF_FUNCTION(ceil, ceilf)
ACCACHE_CPU_HALF_FUNCTION(floor, floorf)
ACCACHE_CPU_HALF_FUNCTION(trunc, truncf)
ACCACHE_CPU_HALF_FUNCTION(rint, rintf)
#undef ACCACHE_CPU_HALF_FUNCTION
ACCACHE_CPU_BY_VALUE __half hrcp(__half a) { return __half((_Float16)(1.0f / (float)a)); }

ACCACHE_CPU_BY_VALUE __half __float2half(float x) { return __half(x); }
ACCACHE_CPU_BY_VALUE __half __float2half_rn(float x) { return __half(x); }
ACCACHE_CPU_BY_VALUE __half __double2half(double x) { return __half(x); }
ACCACHE_CPU_BY_VALUE float __half2float(__half x) { return x; }
ACCACHE_CPU_BY_VALUE __half __int2half_rn(int x) { return __half(x); }
ACCACHE_CPU_BY_VALUE __half __uint2half_rn(unsigned x) { return __half(x); }
ACCACHE_CPU_BY_VALUE int __half2int_rn(__half x) { return __float2int_rn(x); }
ACCACHE_CPU_BY_VALUE int __half2int_rz(__half x) { return __float2int_rz(x); }
ACCACHE_CPU_BY_VALUE int __half2int_rd(__half x) { return __float2int_rd(x); }
ACCACHE_CPU_BY_VALUE int __half2int_ru(__half x) { return __float2int_ru(x); }
ACCACHE_CPU_BY_VALUE unsigned __half2uint_rz(__half x) { return __float2uint_rz(x); }
ACCACHE_CPU_BY_VALUE unsigned short __half_as_ushort(__half x) {
    return accache_cpu::bit_cast<unsigned short>(x.value);
}
ACCACHE_CPU_BY_VALUE short __half_as_short(__half x) { return accache_cpu::bit_cast<short>(x.value); }
ACCACHE_CPU_BY_VALUE __half __ushort_as_half(unsigned short x) { return __half(accache_cpu::bit_cast<_Float16>(x)); }
ACCACHE_CPU_BY_VALUE __half __short_as_half(short x) { return __half(accache_cpu::bit_cast<_Float16>(x)); }

ACCACHE_CPU_BY_VALUE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
ACCACHE_CPU_BY_VALUE __half2 make_half2(__half x, __half y) { return {x, y}; }
ACCACHE_CPU_BY_VALUE __half2 __half2half2(__half x) { return {x, x}; }
ACCACHE_CPU_BY_VALUE __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
ACCACHE_CPU_BY_VALUE __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
ACCACHE_CPU_BY_VALUE __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
ACCACHE_CPU_BY_VALUE float2 __half22float2(__half2 v) { return {v.x, v.y}; }
ACCACHE_CPU_BY_VALUE float __low2float(__half2 v) { return v.x; }
ACCACHE_CPU_BY_VALUE float __high2float(__half2 v) { return v.y; }
ACCACHE_CPU_BY_VALUE __half __low2half(__half2 v) { return v.x; }
ACCACHE_CPU_BY_VALUE __half __high2half(__half2 v) { return v.y; }
ACCACHE_CPU_BY_VALUE __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
ACCACHE_CPU_BY_VALUE __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
ACCACHE_CPU_BY_VALUE __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
ACCACHE_CPU_BY_VALUE __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
ACCACHE_CPU_BY_VALUE __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }

ACCACHE_CPU_BY_VALUE __half atomicAdd(__half *address, __half value) {
    return accache_cpu::exchange_loop<unsigned short>(address, [=](__half old) { return __hadd(old, value); });
}
ACCACHE_CPU_BY_VALUE __half2 atomicAdd(__half2 *address, __half2 value) {
    return accache_cpu::exchange_loop<unsigned>(address, [=](__half2 old) { return __hadd2(old, value); });
}
