/* What expressions of the instruction table call, for one lane; lane_functions.py has the same for all lanes. */
#ifndef ACCACHE_PTX_LANE_FUNCTIONS_H
#define ACCACHE_PTX_LANE_FUNCTIONS_H

#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;

#define LANE static inline __attribute__((always_inline, unused))
#define RARE static __attribute__((noinline, unused))

/* bits and values */
LANE f32 f32_of(u32 x) { f32 r; memcpy(&r, &x, sizeof r); return r; }
LANE u32 bits_of_f32(f32 x) { u32 r; memcpy(&r, &x, sizeof r); return r; }
LANE f64 f64_of(u64 x) { f64 r; memcpy(&r, &x, sizeof r); return r; }
LANE u64 bits_of_f64(f64 x) { u64 r; memcpy(&r, &x, sizeof r); return r; }
#define to_u8(x) ((u8)(x))
#define to_u16(x) ((u16)(x))
#define to_u32(x) ((u32)(x))
#define to_u64(x) ((u64)(x))
#define to_s8(x) ((s8)(x))
#define to_s16(x) ((s16)(x))
#define to_s32(x) ((s32)(x))
#define to_s64(x) ((s64)(x))
#define to_f32(x) ((f32)(x))
#define to_f64(x) ((f64)(x))
#define istrue(x) ((u8)!!(x))
#define isfalse(x) ((u8)!(x))
#define chosen(condition, x, y) ((condition) ? (x) : (y))
#define low16(x) ((u16)(x))
#define high16(x) ((u16)((u32)(x) >> 16))
#define pack16(low, high) ((u32)(u16)(low) | (u32)(u16)(high) << 16)

/* floating point: a result that is not a number is always the same one in 32 bits, as on a GPU */
LANE f32 number_f32(f32 x) { return x == x ? x : f32_of(0x7fffffffu); }
LANE f64 number_f64(f64 x) { return x; }
LANE f32 ftz_f32(f32 x) { return fabsf(x) < FLT_MIN ? f32_of(bits_of_f32(x) & 0x80000000u) : x; }
LANE f64 ftz_f64(f64 x) { return fabs(x) < DBL_MIN ? f64_of(bits_of_f64(x) & (u64)1 << 63) : x; }
LANE u16 ftz_f16(u16 x) { return x & 0x7c00 ? x : x & 0x8000; }
LANE u16 ftz_bf16(u16 x) { return x & 0x7f80 ? x : x & 0x8000; }

#define FLOATING(T, bits, fma_, sqrt_) \
    LANE T add_rn_##T(T a, T b) { return number_##T(a + b); } \
    LANE T sub_rn_##T(T a, T b) { return number_##T(a - b); } \
    LANE T mul_rn_##T(T a, T b) { return number_##T(a * b); } \
    LANE T div_rn_##T(T a, T b) { return number_##T(a / b); } \
    LANE T fma_rn_##T(T a, T b, T c) { return number_##T(fma_(a, b, c)); } \
    LANE T sqrt_rn_##T(T a) { return number_##T(sqrt_(a)); } \
    LANE T rcp_rn_##T(T a) { return number_##T(1 / a); } \
    LANE T neg_##T(T a) { return T##_of(bits_of_##T(a) ^ (bits)1 << (sizeof(T) * 8 - 1)); } \
    LANE T abs_##T(T a) { return T##_of(bits_of_##T(a) & ~((bits)1 << (sizeof(T) * 8 - 1))); } \
    LANE T copysign_##T(T a, T b) { \
        bits sign = (bits)1 << (sizeof(T) * 8 - 1); \
        return T##_of((bits_of_##T(a) & sign) | (bits_of_##T(b) & ~sign)); } \
    LANE T sat_##T(T a) { return a > 0 ? (a < 1 ? a : 1) : 0; } \
    LANE T relu_##T(T a) { return a != a ? number_##T(a) : a > 0 ? a : 0; } \
    LANE T min_##T(T a, T b) { \
        return a != a ? number_##T(b) : b != b ? a : a < b ? a : b < a ? b : T##_of(bits_of_##T(a) | bits_of_##T(b)); } \
    LANE T max_##T(T a, T b) { \
        return a != a ? number_##T(b) : b != b ? a : a > b ? a : b > a ? b : T##_of(bits_of_##T(a) & bits_of_##T(b)); } \
    LANE T min_nan_##T(T a, T b) { return a != a || b != b ? number_##T(a + b) : min_##T(a, b); } \
    LANE T max_nan_##T(T a, T b) { return a != a || b != b ? number_##T(a + b) : max_##T(a, b); }
FLOATING(f32, u32, __builtin_fmaf, __builtin_sqrtf)
FLOATING(f64, u64, __builtin_fma, __builtin_sqrt)

/* other roundings: the machine's own, set for one operation whose operands the compiler cannot see */
#define DIRECTED(T, way, mode, fused, root) \
    RARE T add_##way##_##T(T a, T b) { volatile T x = a, y = b; fesetround(mode); \
        volatile T r = x + y; fesetround(FE_TONEAREST); return number_##T(r); } \
    RARE T sub_##way##_##T(T a, T b) { volatile T x = a, y = b; fesetround(mode); \
        volatile T r = x - y; fesetround(FE_TONEAREST); return number_##T(r); } \
    RARE T mul_##way##_##T(T a, T b) { volatile T x = a, y = b; fesetround(mode); \
        volatile T r = x * y; fesetround(FE_TONEAREST); return number_##T(r); } \
    RARE T div_##way##_##T(T a, T b) { volatile T x = a, y = b; fesetround(mode); \
        volatile T r = x / y; fesetround(FE_TONEAREST); return number_##T(r); } \
    RARE T fma_##way##_##T(T a, T b, T c) { volatile T x = a, y = b, z = c; fesetround(mode); \
        volatile T r = fused(x, y, z); fesetround(FE_TONEAREST); return number_##T(r); } \
    RARE T sqrt_##way##_##T(T a) { volatile T x = a; fesetround(mode); \
        volatile T r = root(x); fesetround(FE_TONEAREST); return number_##T(r); } \
    RARE T rcp_##way##_##T(T a) { return div_##way##_##T(1, a); }
#define ALL_DIRECTED(T, fused, root) \
    DIRECTED(T, rz, FE_TOWARDZERO, fused, root) \
    DIRECTED(T, rm, FE_DOWNWARD, fused, root) \
    DIRECTED(T, rp, FE_UPWARD, fused, root)
ALL_DIRECTED(f32, fmaf, sqrtf)
ALL_DIRECTED(f64, fma, sqrt)

/* rounded to odd: what is not exact gets an odd last bit, so that rounding once more rounds the exact value */
LANE f64 add_odd_f64(f64 a, f64 b)
{
    f64 sum = a + b, part = sum - a;
    f64 error = (a - (sum - part)) + (b - part);
    u64 bits = bits_of_f64(sum);
    if (!(error != 0) || !isfinite(sum) || (bits & 1))
        return sum;
    return f64_of((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
LANE f64 sub_odd_f64(f64 a, f64 b) { return add_odd_f64(a, -b); }
LANE f64 mul_odd_f64(f64 a, f64 b) { return a * b; } /* exact for halves */
LANE f64 fma_odd_f64(f64 a, f64 b, f64 c) { return add_odd_f64(a * b, c); }
RARE f64 odd_f64_u64(u64 a)
{
    f64 x = (f64)a;
    u64 bits = bits_of_f64(x);
    __int128 error = (__int128)a - (__int128)x;
    return error == 0 || (bits & 1) ? x : f64_of(error > 0 ? bits + 1 : bits - 1);
}
RARE f64 odd_f64_s64(s64 a) { return a < 0 ? -odd_f64_u64(-(u64)a) : odd_f64_u64((u64)a); }
#define odd_f64_u8(a) ((f64)(a))
#define odd_f64_s8(a) ((f64)(a))
#define odd_f64_u16(a) ((f64)(a))
#define odd_f64_s16(a) ((f64)(a))
#define odd_f64_u32(a) ((f64)(a))
#define odd_f64_s32(a) ((f64)(a))

/* a double rounded to fewer bits; mode is one of those of fenv.h */
RARE f64 round_bits(f64 x, int precision, int least, f64 largest, int mode)
{
    if (!isfinite(x) || x == 0)
        return x;
    int exponent = ilogb(x) < least ? least : ilogb(x);
    f64 scaled = ldexp(x, precision - 1 - exponent);
    scaled = mode == FE_TONEAREST ? nearbyint(scaled) : mode == FE_TOWARDZERO ? trunc(scaled)
           : mode == FE_UPWARD ? ceil(scaled) : floor(scaled);
    f64 found = copysign(ldexp(scaled, exponent - precision + 1), x);
    if (fabs(found) <= largest)
        return found;
    int away = mode == FE_TONEAREST || (mode == FE_UPWARD && x > 0) || (mode == FE_DOWNWARD && x < 0);
    return copysign(away ? INFINITY : largest, x);
}
LANE f64 from_f16(u16 x)
{
    int exponent = x >> 10 & 31, fraction = x & 1023;
    f64 size = exponent == 31 ? (fraction ? NAN : INFINITY)
             : exponent ? (fraction + 1024) * f64_of((u64)(exponent - 25 + 1023) << 52) : fraction * 0x1p-24;
    return x & 0x8000 ? -size : size;
}
LANE f64 from_bf16(u16 x) { return f32_of((u32)x << 16); }
RARE u16 half_of(f64 x, int mode)
{
    if (x != x)
        return 0x7fff;
    f64 rounded = round_bits(x, 11, -14, 65504, mode), size = fabs(rounded);
    u16 sign = signbit(x) ? 0x8000 : 0;
    if (isinf(rounded))
        return sign | 0x7c00;
    if (size < 0x1p-14)
        return sign | (u16)(size * 0x1p24);
    int exponent = ilogb(size);
    return sign | (u16)((exponent + 14) * 1024 + (int)ldexp(size, 10 - exponent));
}
RARE u16 bfloat_of(f64 x, int mode)
{
    return x != x ? 0x7fff : bits_of_f32((f32)round_bits(x, 8, -126, 0x1.fep127, mode)) >> 16;
}
RARE f32 single_of(f64 x, int mode) { return number_f32((f32)round_bits(x, 24, -126, FLT_MAX, mode)); }
#define to_f16(x) half_of(x, FE_TONEAREST)
#define to_f16_rz(x) half_of(x, FE_TOWARDZERO)
#define to_f16_rm(x) half_of(x, FE_DOWNWARD)
#define to_f16_rp(x) half_of(x, FE_UPWARD)
#define to_bf16(x) bfloat_of(x, FE_TONEAREST)
#define to_bf16_rz(x) bfloat_of(x, FE_TOWARDZERO)
#define to_bf16_rm(x) bfloat_of(x, FE_DOWNWARD)
#define to_bf16_rp(x) bfloat_of(x, FE_UPWARD)
LANE f32 round_f32(f64 x) { return number_f32((f32)x); }
#define round_f32_rz(x) single_of(x, FE_TOWARDZERO)
#define round_f32_rm(x) single_of(x, FE_DOWNWARD)
#define round_f32_rp(x) single_of(x, FE_UPWARD)

LANE f64 rint_f64(f64 x) { return __builtin_rint(x); }
LANE f64 trunc_f64(f64 x) { return __builtin_trunc(x); }
LANE f64 floor_f64(f64 x) { return __builtin_floor(x); }
LANE f64 ceil_f64(f64 x) { return __builtin_ceil(x); }
LANE f64 ex2_f64(f64 x) { return exp2(x); }
LANE f64 lg2_f64(f64 x) { return log2(x); }
LANE f64 sin_f64(f64 x) { return sin(x); }
LANE f64 cos_f64(f64 x) { return cos(x); }
LANE f64 tanh_f64(f64 x) { return tanh(x); }
LANE f64 rsqrt_f64(f64 x) { return 1 / __builtin_sqrt(x); }
LANE f64 upper_f64(f64 x) { return f64_of(bits_of_f64(x) & 0xffffffff00000000ull); }

#define PROPERTIES(T, least) \
    LANE int finite_##T(T x) { return fabs(x) <= DBL_MAX && isfinite(x); } \
    LANE int infinite_##T(T x) { return isinf(x); } \
    LANE int number_of_##T(T x) { return x == x; } \
    LANE int notanumber_##T(T x) { return x != x; } \
    LANE int normal_##T(T x) { return isfinite(x) && fabs(x) >= least; } \
    LANE int subnormal_##T(T x) { return x != 0 && fabs(x) < least; }
PROPERTIES(f32, FLT_MIN)
PROPERTIES(f64, DBL_MIN)

/* integers to floating point */
#define FROM_INTEGER(T) \
    LANE f32 f32_##T##_rn(T a) { return (f32)a; } \
    LANE f64 f64_##T##_rn(T a) { return (f64)a; } \
    FROM_INTEGER_TO(f32, T) \
    FROM_INTEGER_TO(f64, T)
#define FROM_INTEGER_TO(F, T) \
    RARE F F##_##T##_rz(T a) { volatile T x = a; fesetround(FE_TOWARDZERO); volatile F r = (F)x; \
        fesetround(FE_TONEAREST); return r; } \
    RARE F F##_##T##_rm(T a) { volatile T x = a; fesetround(FE_DOWNWARD); volatile F r = (F)x; \
        fesetround(FE_TONEAREST); return r; } \
    RARE F F##_##T##_rp(T a) { volatile T x = a; fesetround(FE_UPWARD); volatile F r = (F)x; \
        fesetround(FE_TONEAREST); return r; }
FROM_INTEGER(u8)
FROM_INTEGER(s8)
FROM_INTEGER(u16)
FROM_INTEGER(s16)
FROM_INTEGER(u32)
FROM_INTEGER(s32)
FROM_INTEGER(s64)
/* not every machine converts 64 bits without a sign in one step, so halves are joined exactly */
LANE f32 f32_u64_rn(u64 a) { return (f32)a; }
LANE f64 f64_u64_rn(u64 a) { return (f64)a; }
RARE f64 f64_u64_by(u64 a, int mode)
{
    volatile f64 high = (f64)(u32)(a >> 32) * 0x1p32, low = (f64)(u32)a;
    fesetround(mode);
    volatile f64 sum = high + low;
    fesetround(FE_TONEAREST);
    return sum;
}
#define f64_u64_rz(a) f64_u64_by(a, FE_TOWARDZERO)
#define f64_u64_rm(a) f64_u64_by(a, FE_DOWNWARD)
#define f64_u64_rp(a) f64_u64_by(a, FE_UPWARD)
#define f32_u64_rz(a) single_of(odd_f64_u64(a), FE_TOWARDZERO)
#define f32_u64_rm(a) single_of(odd_f64_u64(a), FE_DOWNWARD)
#define f32_u64_rp(a) single_of(odd_f64_u64(a), FE_UPWARD)

/* values brought into the range of an integer; NaN becomes 0 */
#define CLAMP(T, least, largest) \
    LANE T clamp_##T##_f64(f64 x) { \
        return x != x ? 0 : x >= (f64)(largest) ? (largest) : x <= (f64)(least) ? (least) : (T)x; } \
    CLAMP_FROM(T, least, largest, u8) CLAMP_FROM(T, least, largest, s8) \
    CLAMP_FROM(T, least, largest, u16) CLAMP_FROM(T, least, largest, s16) \
    CLAMP_FROM(T, least, largest, u32) CLAMP_FROM(T, least, largest, s32) \
    CLAMP_FROM(T, least, largest, u64) CLAMP_FROM(T, least, largest, s64)
#define CLAMP_FROM(T, least, largest, S) \
    LANE T clamp_##T##_##S(S a) { __int128 x = a; \
        return x > (__int128)(largest) ? (largest) : x < (__int128)(least) ? (least) : (T)x; }
CLAMP(u8, 0, UINT8_MAX)
CLAMP(s8, INT8_MIN, INT8_MAX)
CLAMP(u16, 0, UINT16_MAX)
CLAMP(s16, INT16_MIN, INT16_MAX)
CLAMP(u32, 0, UINT32_MAX)
CLAMP(s32, INT32_MIN, INT32_MAX)
CLAMP(u64, 0, UINT64_MAX)
CLAMP(s64, INT64_MIN, INT64_MAX)

/* integers */
#define INTEGERS(U, S, W, SW) \
    LANE u8 carry_##U(U a, U b, U k) { U sum = a + b, all = sum + k; return (sum < a) | (all < sum); } \
    LANE U mulhi_##U(U a, U b) { return (W)a * b >> (sizeof(U) * 8); } \
    LANE S mulhi_##S(S a, S b) { return (SW)a * b >> (sizeof(U) * 8); } \
    LANE U div_##U(U a, U b) { return b ? a / b : (U)-1; } \
    LANE U rem_##U(U a, U b) { return b ? a % b : a; } \
    LANE S div_##S(S a, S b) { return b == 0 ? -1 : b == -1 ? (S)(0 - (U)a) : a / b; } \
    LANE S rem_##S(S a, S b) { return b == 0 ? a : b == -1 ? 0 : a % b; } \
    LANE U abs_##S(S a) { return a < 0 ? (U)0 - (U)a : (U)a; } \
    LANE U min_##U(U a, U b) { return a < b ? a : b; } \
    LANE U max_##U(U a, U b) { return a > b ? a : b; } \
    LANE S min_##S(S a, S b) { return a < b ? a : b; } \
    LANE S max_##S(S a, S b) { return a > b ? a : b; } \
    LANE U shl_##U(U a, u32 b) { return b < sizeof(U) * 8 ? (U)(a << b) : 0; } \
    LANE U shr_##U(U a, u32 b) { return b < sizeof(U) * 8 ? a >> b : 0; } \
    LANE S shr_##S(S a, u32 b) { return a >> (b < sizeof(U) * 8 ? b : sizeof(U) * 8 - 1); }
INTEGERS(u16, s16, u32, s32)
INTEGERS(u32, s32, u64, s64)
INTEGERS(u64, s64, unsigned __int128, __int128)

LANE u64 cut24_u32(u32 a) { return a & 0xffffff; }
LANE s64 cut24_s32(s32 a) { return (s32)((u32)a << 8) >> 8; }
LANE u32 clamp_shift(u32 a) { return a < 32 ? a : 32; }
LANE u32 wrap_shift(u32 a) { return a & 31; }
LANE u32 shf_l(u32 a, u32 b, u32 n) { return n == 32 ? a : (u32)(((u64)b << 32 | a) << n >> 32); }
LANE u32 shf_r(u32 a, u32 b, u32 n) { return n == 32 ? b : (u32)(((u64)b << 32 | a) >> n); }

#define FIELDS(U, S, bits) \
    LANE U bfe_##U(U a, u32 from, u32 count) { \
        from &= 255; count &= 255; \
        U found = from < bits ? a >> from : 0; \
        return count < bits ? found & (((U)1 << count) - 1) : found; } \
    LANE S bfe_##S(S a, u32 from, u32 count) { \
        from &= 255; count &= 255; \
        u32 last = from + count - 1 < bits - 1 ? from + count - 1 : bits - 1; \
        if (count == 0) return 0; \
        S sign = a >> last & 1 ? -1 : 0, found = from < bits ? a >> from : sign; \
        u32 kept = last < from ? 0 : last - from + 1; \
        U mask = kept < bits ? ((U)1 << kept) - 1 : (U)-1; \
        return (S)(((U)found & mask) | ((U)sign & ~mask)); } \
    LANE U bfi_##U(U a, U b, u32 from, u32 count) { \
        from &= 255; count &= 255; \
        U mask = count < bits ? ((U)1 << count) - 1 : (U)-1; \
        return from < bits ? (b & ~(mask << from)) | (a & mask) << from : b; }
FIELDS(u32, s32, 32u)
FIELDS(u64, s64, 64u)
LANE u32 popc_u32(u32 a) { return __builtin_popcount(a); }
LANE u32 popc_u64(u64 a) { return __builtin_popcountll(a); }
LANE u32 clz_u32(u32 a) { return a ? __builtin_clz(a) : 32; }
LANE u32 clz_u64(u64 a) { return a ? __builtin_clzll(a) : 64; }
LANE u32 bfind_shift_u32(u32 a) { return a ? __builtin_clz(a) : (u32)-1; }
LANE u32 bfind_u32(u32 a) { return a ? 31u - __builtin_clz(a) : (u32)-1; }
LANE u32 bfind_shift_u64(u64 a) { return a ? __builtin_clzll(a) : (u32)-1; }
LANE u32 bfind_u64(u64 a) { return a ? 63u - __builtin_clzll(a) : (u32)-1; }
LANE u32 bfind_shift_s32(s32 a) { return bfind_shift_u32(a < 0 ? ~a : a); }
LANE u32 bfind_s32(s32 a) { return bfind_u32(a < 0 ? ~a : a); }
LANE u32 bfind_shift_s64(s64 a) { return bfind_shift_u64(a < 0 ? ~a : a); }
LANE u32 bfind_s64(s64 a) { return bfind_u64(a < 0 ? ~a : a); }
LANE u32 brev_u32(u32 a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
LANE u64 brev_u64(u64 a) { return (u64)brev_u32((u32)a) << 32 | brev_u32((u32)(a >> 32)); }

/* one byte of eight for each of four selectors, which may take a byte's sign instead */
LANE u32 chosen_byte(u32 a, u32 b, u32 selector)
{
    u32 byte = (u32)(((u64)b << 32 | a) >> (selector & 7) * 8) & 255;
    return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}
LANE u32 four_bytes(u32 a, u32 b, u32 s0, u32 s1, u32 s2, u32 s3)
{
    return chosen_byte(a, b, s0) | chosen_byte(a, b, s1) << 8 | chosen_byte(a, b, s2) << 16 | chosen_byte(a, b, s3) << 24;
}
LANE u32 prmt(u32 a, u32 b, u32 c) { return four_bytes(a, b, c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15); }
LANE u32 prmt_f4e(u32 a, u32 b, u32 c) { c &= 3; return four_bytes(a, b, c, c + 1, c + 2, c + 3); }
LANE u32 prmt_b4e(u32 a, u32 b, u32 c)
{
    c &= 3;
    return four_bytes(a, b, c, (c + 7) & 7, (c + 6) & 7, (c + 5) & 7);
}
LANE u32 prmt_rc8(u32 a, u32 b, u32 c) { c &= 3; return four_bytes(a, b, c, c, c, c); }
LANE u32 prmt_ecl(u32 a, u32 b, u32 c)
{
    c &= 3;
    return four_bytes(a, b, c > 0 ? c : 0, c > 1 ? c : 1, c > 2 ? c : 2, 3);
}
LANE u32 prmt_ecr(u32 a, u32 b, u32 c)
{
    c &= 3;
    return four_bytes(a, b, 0, c < 1 ? c : 1, c < 2 ? c : 2, c);
}
LANE u32 prmt_rc16(u32 a, u32 b, u32 c)
{
    c = (c & 1) * 2;
    return four_bytes(a, b, c, c + 1, c, c + 1);
}
LANE u32 lop3(u32 a, u32 b, u32 c, u32 table)
{
    u32 found = 0;
    for (u32 i = 0; i < 8; i++)
        if (table >> i & 1)
            found |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return found;
}
#define DOTS(x, y, A, B, H) \
    LANE u32 dp4a_##x##y(u32 a, u32 b, u32 c) { \
        for (u32 i = 0; i < 4; i++) c += (u32)((s32)(A)(a >> 8 * i) * (s32)(B)(b >> 8 * i)); \
        return c; } \
    LANE u32 dp2a_lo_##x##y(u32 a, u32 b, u32 c) { \
        for (u32 i = 0; i < 2; i++) c += (u32)((s32)(H)(a >> 16 * i) * (s32)(B)(b >> 8 * i)); \
        return c; } \
    LANE u32 dp2a_hi_##x##y(u32 a, u32 b, u32 c) { return dp2a_lo_##x##y(a, b >> 16, c); }
DOTS(u, u, u8, u8, u16)
DOTS(u, s, u8, s8, u16)
DOTS(s, u, s8, u8, s16)
DOTS(s, s, s8, s8, s16)
LANE u32 bmsk_clamp(u32 from, u32 count)
{
    u32 ones = count < 32 ? ((u32)1 << count) - 1 : (u32)-1;
    return from < 32 ? ones << from : 0;
}
LANE u32 bmsk_wrap(u32 from, u32 count) { return bmsk_clamp(from & 31, count & 31); }
LANE u32 szext_clamp_u32(u32 a, u32 n) { return n < 32 ? a & (((u32)1 << n) - 1) : a; }
LANE u32 szext_wrap_u32(u32 a, u32 n) { return szext_clamp_u32(a, n & 31); }
LANE s32 szext_clamp_s32(s32 a, u32 n) { return n == 0 ? 0 : n < 32 ? (s32)((u32)a << (32 - n)) >> (32 - n) : a; }
LANE s32 szext_wrap_s32(s32 a, u32 n) { return szext_clamp_s32(a, n & 31); }

#endif
