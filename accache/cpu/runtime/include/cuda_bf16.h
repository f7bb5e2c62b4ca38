// The 16 upper bits of a float: __nv_bfloat16 and __nv_bfloat162. Results are rounded once, as on a GPU.
#pragma once

#define __CUDA_BF16_H__

#include "cuda_runtime.h"

struct __nv_bfloat16;

namespace accache_cpu {

// To the nearest; of two, to the even one.
inline unsigned short bfloat16_bits(float x) {
    const unsigned bits = bit_cast<unsigned>(x);
    if (x != x) return 0x7fff;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
// What is not exact in a float gets an odd last bit: it is then rounded as if all its bits were there.
template <class T> inline unsigned short bfloat16_bits_of(T x) {
    float nearest = (float)x;
    const long double apart = (long double)x - (long double)nearest;
    const bool is_inexact = apart > 0 || apart < 0;
    if (is_inexact && !(bit_cast<unsigned>(nearest) & 1))
        nearest = nextafterf(nearest, apart > 0 ? INFINITY : -INFINITY);
    return bfloat16_bits(nearest);
}
inline __nv_bfloat16 bfloat16_sum(double a, double b);

}  // namespace accache_cpu

struct __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    __nv_bfloat16(float x) : __x(accache_cpu::bfloat16_bits(x)) {}
    __nv_bfloat16(double x) : __x(accache_cpu::bfloat16_bits_of(x)) {}
    __nv_bfloat16(int x) : __x(accache_cpu::bfloat16_bits_of(x)) {}
    __nv_bfloat16(unsigned x) : __x(accache_cpu::bfloat16_bits_of(x)) {}
    __nv_bfloat16(long long x) : __x(accache_cpu::bfloat16_bits_of(x)) {}
    __nv_bfloat16(unsigned long long x) : __x(accache_cpu::bfloat16_bits_of(x)) {}
    operator float() const { return accache_cpu::bit_cast<float>((unsigned)__x << 16); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// A product plus a number, neither of which has 17 bits: rounded to odd, then to the nearest.
inline __nv_bfloat16 accache_cpu::bfloat16_sum(double a, double b) {
    double sum = a + b;
    const double other = sum - a, lost = (a - (sum - other)) + (b - other);
    const bool is_inexact = lost > 0 || lost < 0;
    if (is_inexact && !(bit_cast<unsigned long long>(sum) & 1)) sum = nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
    return __nv_bfloat16(sum);
}

ACCACHE_CPU_BY_VALUE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return accache_cpu::bfloat16_sum((double)(float)a * (double)(float)b, (double)(float)c);
}
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __nv_bfloat16(-(float)a); }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __habs(__nv_bfloat16 a) { return __nv_bfloat16(__builtin_fabsf((float)a)); }
ACCACHE_CPU_BY_VALUE bool __hisnan(__nv_bfloat16 a) { return (float)a != (float)a; }
ACCACHE_CPU_BY_VALUE int __hisinf(__nv_bfloat16 a) { return (float)a == INFINITY ? 1 : (float)a == -INFINITY ? -1 : 0; }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fmaxf(a, b)); }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fminf(a, b)); }

#define ACCACHE_CPU_HALVES(expression) __nv_bfloat162{expression(a.x, b.x), expression(a.y, b.y)}
#define ACCACHE_CPU_BFLOAT_OPERATION(name, pair_name, symbol)                                          \
    ACCACHE_CPU_BY_VALUE __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                           \
        return __nv_bfloat16(((float)a symbol (float)b));                             \
    }                                                                                                \
    ACCACHE_CPU_BY_VALUE __nv_bfloat16 name##_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return name(a, b); }                 \
    ACCACHE_CPU_BY_VALUE __nv_bfloat16 operator symbol(__nv_bfloat16 a, __nv_bfloat16 b) { return name(a, b); }           \
    ACCACHE_CPU_BY_VALUE __nv_bfloat16 &operator symbol##=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = name(a, b); }  \
    ACCACHE_CPU_BY_VALUE __nv_bfloat162 pair_name(__nv_bfloat162 a, __nv_bfloat162 b) { return ACCACHE_CPU_HALVES(name); }\
    ACCACHE_CPU_BY_VALUE __nv_bfloat162 operator symbol(__nv_bfloat162 a, __nv_bfloat162 b) { return pair_name(a, b); }   \
    ACCACHE_CPU_BY_VALUE __nv_bfloat162 &operator symbol##=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = pair_name(a, b); }
ACCACHE_CPU_BFLOAT_OPERATION(__hadd, __hadd2, +)
ACCACHE_CPU_BFLOAT_OPERATION(__hsub, __hsub2, -)
ACCACHE_CPU_BFLOAT_OPERATION(__hmul, __hmul2, *)
ACCACHE_CPU_BFLOAT_OPERATION(__hdiv, __h2div, /)
#undef ACCACHE_CPU_BFLOAT_OPERATION
ACCACHE_CPU_BY_VALUE __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 operator-(__nv_bfloat162 a) { return {__hneg(a.x), __hneg(a.y)}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return ACCACHE_CPU_HALVES(__hmax); }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return ACCACHE_CPU_HALVES(__hmin); }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return -a; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __habs2(__nv_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#define ACCACHE_CPU_BFLOAT_COMPARISON(name, symbol)                                                    \
    ACCACHE_CPU_BY_VALUE bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a symbol (float)b; }       \
    ACCACHE_CPU_BY_VALUE bool operator symbol(__nv_bfloat16 a, __nv_bfloat16 b) { return __h##name(a, b); }        \
    ACCACHE_CPU_BY_VALUE __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                                \
        return {__nv_bfloat16((int)__h##name(a.x, b.x)), __nv_bfloat16((int)__h##name(a.y, b.y))};                 \
    }                                                                                                \
    ACCACHE_CPU_BY_VALUE bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
ACCACHE_CPU_BFLOAT_COMPARISON(eq, ==)
ACCACHE_CPU_BFLOAT_COMPARISON(ne, !=)
ACCACHE_CPU_BFLOAT_COMPARISON(lt, <)
ACCACHE_CPU_BFLOAT_COMPARISON(le, <=)
ACCACHE_CPU_BFLOAT_COMPARISON(gt, >)
ACCACHE_CPU_BFLOAT_COMPARISON(ge, >=)
#undef ACCACHE_CPU_BFLOAT_COMPARISON
#undef ACCACHE_CPU_HALVES

#define ACCACHE_CPU_BFLOAT_FUNCTION(name, function)                                                    \
    ACCACHE_CPU_BY_VALUE __nv_bfloat16 h##name(__nv_bfloat16 a) { return __nv_bfloat16(function((float)a)); }   \
    ACCACHE_CPU_BY_VALUE __nv_bfloat162 h2##name(__nv_bfloat162 a) { return {h##name(a.x), h##name(a.y)}; }
ACCACHE_CPU_BFLOAT_FUNCTION(sqrt, sqrtf)
ACCACHE_CPU_BFLOAT_FUNCTION(rsqrt, rsqrtf)
ACCACHE_CPU_BFLOAT_FUNCTION(exp, expf)
ACCACHE_CPU_BFLOAT_FUNCTION(exp2, exp2f)
ACCACHE_CPU_BFLOAT_FUNCTION(log, logf)
ACCACHE_CPU_BFLOAT_FUNCTION(log2, log2f)
ACCACHE_CPU_BFLOAT_FUNCTION(log10, log10f)
ACCACHE_CPU_BFLOAT_FUNCTION(sin, sinf)
ACCACHE_CPU_BFLOAT_FUNCTION(cos, cosf)
ACCACHE_CPU_BFLOAT_FUNCTION(ceil, ceilf)
ACCACHE_CPU_BFLOAT_FUNCTION(floor, floorf)
ACCACHE_CPU_BFLOAT_FUNCTION(trunc, truncf)
ACCACHE_CPU_BFLOAT_FUNCTION(rint, rintf)
#undef ACCACHE_CPU_BFLOAT_FUNCTION
ACCACHE_CPU_BY_VALUE __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __nv_bfloat16((1.0f / (float)a)); }

ACCACHE_CPU_BY_VALUE __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
ACCACHE_CPU_BY_VALUE float __bfloat162float(__nv_bfloat16 x) { return x; }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __nv_bfloat16(x); }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __ll2bfloat16_rn(long long x) { return __nv_bfloat16(x); }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __ull2bfloat16_rn(unsigned long long x) { return __nv_bfloat16(x); }
ACCACHE_CPU_BY_VALUE int __bfloat162int_rn(__nv_bfloat16 x) { return __float2int_rn(x); }
ACCACHE_CPU_BY_VALUE int __bfloat162int_rz(__nv_bfloat16 x) { return __float2int_rz(x); }
ACCACHE_CPU_BY_VALUE int __bfloat162int_rd(__nv_bfloat16 x) { return __float2int_rd(x); }
ACCACHE_CPU_BY_VALUE int __bfloat162int_ru(__nv_bfloat16 x) { return __float2int_ru(x); }
ACCACHE_CPU_BY_VALUE unsigned __bfloat162uint_rn(__nv_bfloat16 x) { return __float2uint_rn(x); }
ACCACHE_CPU_BY_VALUE unsigned __bfloat162uint_rz(__nv_bfloat16 x) { return __float2uint_rz(x); }
ACCACHE_CPU_BY_VALUE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
ACCACHE_CPU_BY_VALUE short __bfloat16_as_short(__nv_bfloat16 x) { return (short)x.__x; }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
    return accache_cpu::bit_cast<__nv_bfloat16>(x);
}
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __short_as_bfloat16(short x) { return accache_cpu::bit_cast<__nv_bfloat16>(x); }

ACCACHE_CPU_BY_VALUE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __float2bfloat162_rn(float x) { return {__nv_bfloat16(x), __nv_bfloat16(x)}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
    return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
ACCACHE_CPU_BY_VALUE float2 __bfloat1622float2(__nv_bfloat162 v) { return {v.x, v.y}; }
ACCACHE_CPU_BY_VALUE float __low2float(__nv_bfloat162 v) { return v.x; }
ACCACHE_CPU_BY_VALUE float __high2float(__nv_bfloat162 v) { return v.y; }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
ACCACHE_CPU_BY_VALUE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
ACCACHE_CPU_BY_VALUE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return {v.y, v.x}; }

ACCACHE_CPU_BY_VALUE __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value) {
    return accache_cpu::exchange_loop<unsigned short>(
        address, [=](__nv_bfloat16 old) { return __hadd(old, value); });
}
ACCACHE_CPU_BY_VALUE __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value) {
    return accache_cpu::exchange_loop<unsigned>(address, [=](__nv_bfloat162 old) { return __hadd2(old, value); });
}
