// Intrinsics on two or four integers in the 32 bits of one (__vadd2, __vcmpgts4, ...), and on the largest and smallest
// of two or three (__vimax3_s32, ...).
#pragma once

namespace accache_cpu {

// Part `i` of 32 bits in parts of `bits`, as a number with a sign or without.
template <int bits, bool is_signed> inline int part(unsigned x, int i) {
    const unsigned value = x >> i * bits & ((1u << bits) - 1);
    return is_signed && value >> (bits - 1) ? (int)value - (1 << bits) : (int)value;
}

// Applies `operation` to each pair of parts and keeps the lower bits of what it gives.
template <int bits, bool is_signed, class Operation> inline unsigned parts(unsigned a, unsigned b, Operation operation) {
    unsigned result = 0;
    for (int i = 0; i < 32 / bits; ++i) {
        const int value = operation(part<bits, is_signed>(a, i), part<bits, is_signed>(b, i));
        result |= ((unsigned)value & ((1u << bits) - 1)) << i * bits;
    }
    return result;
}

inline int clamp_part(int value, int least, int most) { return value < least ? least : value > most ? most : value; }
inline int distance_of_parts(int a, int b) { return a < b ? b - a : a - b; }

}  // namespace accache_cpu

// For two parts of 16 bits and four of 8: name, whether the parts have a sign, what becomes of a and b.
#define ACCACHE_CPU_PARTS(name, is_signed, expression)                                                              \
    static inline unsigned name##2(unsigned x, unsigned y) {                                                        \
        constexpr int bits = 16;                                                                                    \
        return accache_cpu::parts<bits, is_signed>(x, y, [](int a, int b) { (void)b, (void)bits; return expression; }); \
    }                                                                                                               \
    static inline unsigned name##4(unsigned x, unsigned y) {                                                        \
        constexpr int bits = 8;                                                                                     \
        return accache_cpu::parts<bits, is_signed>(x, y, [](int a, int b) { (void)b, (void)bits; return expression; }); \
    }
#define ACCACHE_CPU_ONE_PART(name, expression)                                                                      \
    ACCACHE_CPU_PARTS(accache_cpu_##name, true, expression)                                                         \
    static inline unsigned name##2(unsigned x) { return accache_cpu_##name##2(x, 0); }                              \
    static inline unsigned name##4(unsigned x) { return accache_cpu_##name##4(x, 0); }
#define ACCACHE_CPU_SIGNED_PART(x) accache_cpu::clamp_part(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
#define ACCACHE_CPU_UNSIGNED_PART(x) accache_cpu::clamp_part(x, 0, (1 << bits) - 1)

ACCACHE_CPU_ONE_PART(__vabs, a < 0 ? -a : a)
ACCACHE_CPU_ONE_PART(__vabsss, ACCACHE_CPU_SIGNED_PART(a < 0 ? -a : a))
ACCACHE_CPU_ONE_PART(__vneg, -a)
ACCACHE_CPU_ONE_PART(__vnegss, ACCACHE_CPU_SIGNED_PART(-a))
ACCACHE_CPU_PARTS(__vadd, true, a + b)
ACCACHE_CPU_PARTS(__vaddss, true, ACCACHE_CPU_SIGNED_PART(a + b))
ACCACHE_CPU_PARTS(__vaddus, false, ACCACHE_CPU_UNSIGNED_PART(a + b))
ACCACHE_CPU_PARTS(__vsub, true, a - b)
ACCACHE_CPU_PARTS(__vsubss, true, ACCACHE_CPU_SIGNED_PART(a - b))
ACCACHE_CPU_PARTS(__vsubus, false, ACCACHE_CPU_UNSIGNED_PART(a - b))
ACCACHE_CPU_PARTS(__vabsdiffs, true, accache_cpu::distance_of_parts(a, b))
ACCACHE_CPU_PARTS(__vabsdiffu, false, accache_cpu::distance_of_parts(a, b))
ACCACHE_CPU_PARTS(__vavgs, true, (a + b + (a + b >= 0)) >> 1)  // rounds away from zero
ACCACHE_CPU_PARTS(__vavgu, false, (a + b + 1) >> 1)
ACCACHE_CPU_PARTS(__vhaddu, false, (a + b) >> 1)
ACCACHE_CPU_PARTS(__vmaxs, true, a < b ? b : a)
ACCACHE_CPU_PARTS(__vmaxu, false, a < b ? b : a)
ACCACHE_CPU_PARTS(__vmins, true, b < a ? b : a)
ACCACHE_CPU_PARTS(__vminu, false, b < a ? b : a)

#define ACCACHE_CPU_COMPARISON(name, is_signed, expression)                \
    ACCACHE_CPU_PARTS(__vcmp##name, is_signed, (expression) ? -1 : 0)      \
    ACCACHE_CPU_PARTS(__vset##name, is_signed, (expression) ? 1 : 0)
ACCACHE_CPU_COMPARISON(eq, false, a == b)
ACCACHE_CPU_COMPARISON(ne, false, a != b)
ACCACHE_CPU_COMPARISON(ges, true, a >= b)
ACCACHE_CPU_COMPARISON(geu, false, a >= b)
ACCACHE_CPU_COMPARISON(gts, true, a > b)
ACCACHE_CPU_COMPARISON(gtu, false, a > b)
ACCACHE_CPU_COMPARISON(les, true, a <= b)
ACCACHE_CPU_COMPARISON(leu, false, a <= b)
ACCACHE_CPU_COMPARISON(lts, true, a < b)
ACCACHE_CPU_COMPARISON(ltu, false, a < b)
#undef ACCACHE_CPU_COMPARISON
#undef ACCACHE_CPU_ONE_PART
#undef ACCACHE_CPU_UNSIGNED_PART

// Sums of the distances of all parts.
#define ACCACHE_CPU_SAD(name, bits, is_signed)                                                                      \
    static inline unsigned name(unsigned x, unsigned y) {                                                           \
        unsigned sum = 0;                                                                                           \
        for (int i = 0; i < 32 / bits; ++i)                                                                         \
            sum += (unsigned)accache_cpu::distance_of_parts(accache_cpu::part<bits, is_signed>(x, i),               \
                                                            accache_cpu::part<bits, is_signed>(y, i));              \
        return sum;                                                                                                 \
    }
ACCACHE_CPU_SAD(__vsads2, 16, true)
ACCACHE_CPU_SAD(__vsads4, 8, true)
ACCACHE_CPU_SAD(__vsadu2, 16, false)
ACCACHE_CPU_SAD(__vsadu4, 8, false)
#undef ACCACHE_CPU_SAD

// The same operation on two 16-bit parts with a sign and without, and on 32 bits; sums wrap, as the parts do.
#define ACCACHE_CPU_LARGEST(name, symbol)                                                                           \
    ACCACHE_CPU_WIDTHS(__vi##name, b symbol a ? b : a)                                                              \
    ACCACHE_CPU_WIDTHS3(__vi##name##3, name, __vi##name)                                                            \
    ACCACHE_CPU_WIDTHS3(__viadd##name, name, __viadd)
#define ACCACHE_CPU_WIDTHS(name, expression)                                                                        \
    static inline int name##_s32(int a, int b) { return expression; }                                               \
    static inline unsigned name##_u32(unsigned a, unsigned b) { return expression; }                                \
    static inline unsigned name##_s16x2(unsigned x, unsigned y) {                                                   \
        return accache_cpu::parts<16, true>(x, y, [](int a, int b) { return expression; });                         \
    }                                                                                                               \
    static inline unsigned name##_u16x2(unsigned x, unsigned y) {                                                   \
        return accache_cpu::parts<16, false>(x, y, [](int a, int b) { return expression; });                        \
    }                                                                                                               \
    static inline int name##_s32_relu(int a, int b) { const int r = name##_s32(a, b); return r < 0 ? 0 : r; }       \
    static inline unsigned name##_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(name##_s16x2(a, b), 0); }
#define ACCACHE_CPU_WIDTHS3(name, last, first)                                                                      \
    static inline int name##_s32(int a, int b, int c) { return __vi##last##_s32(first##_s32(a, b), c); }            \
    static inline unsigned name##_u32(unsigned a, unsigned b, unsigned c) {                                         \
        return __vi##last##_u32(first##_u32(a, b), c);                                                              \
    }                                                                                                               \
    static inline unsigned name##_s16x2(unsigned a, unsigned b, unsigned c) {                                       \
        return __vi##last##_s16x2(first##_s16x2(a, b), c);                                                          \
    }                                                                                                               \
    static inline unsigned name##_u16x2(unsigned a, unsigned b, unsigned c) {                                       \
        return __vi##last##_u16x2(first##_u16x2(a, b), c);                                                          \
    }                                                                                                               \
    static inline int name##_s32_relu(int a, int b, int c) { const int r = name##_s32(a, b, c); return r < 0 ? 0 : r; } \
    static inline unsigned name##_s16x2_relu(unsigned a, unsigned b, unsigned c) {                                  \
        return __vmaxs2(name##_s16x2(a, b, c), 0);                                                                  \
    }
static inline int __viadd_s32(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static inline unsigned __viadd_u32(unsigned a, unsigned b) { return a + b; }
static inline unsigned __viadd_s16x2(unsigned a, unsigned b) { return __vadd2(a, b); }
static inline unsigned __viadd_u16x2(unsigned a, unsigned b) { return __vadd2(a, b); }
ACCACHE_CPU_LARGEST(max, >)
ACCACHE_CPU_LARGEST(min, <)
#undef ACCACHE_CPU_LARGEST
#undef ACCACHE_CPU_WIDTHS
#undef ACCACHE_CPU_WIDTHS3
#undef ACCACHE_CPU_PARTS
#undef ACCACHE_CPU_SIGNED_PART

// The larger (smaller) of two, and whether it is the first.
#define ACCACHE_CPU_CHOICE(name, symbol)                                                                            \
    static inline int __vib##name##_s32(int a, int b, bool *first) { return (*first = a symbol b) ? a : b; }        \
    static inline unsigned __vib##name##_u32(unsigned a, unsigned b, bool *first) { return (*first = a symbol b) ? a : b; } \
    static inline unsigned __vib##name##_s16x2(unsigned a, unsigned b, bool *high, bool *low) {                     \
        *low = accache_cpu::part<16, true>(a, 0) symbol accache_cpu::part<16, true>(b, 0);                          \
        *high = accache_cpu::part<16, true>(a, 1) symbol accache_cpu::part<16, true>(b, 1);                         \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                        \
    }                                                                                                               \
    static inline unsigned __vib##name##_u16x2(unsigned a, unsigned b, bool *high, bool *low) {                     \
        *low = (a & 0xffff) symbol (b & 0xffff);                                                                    \
        *high = a >> 16 symbol b >> 16;                                                                             \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                        \
    }
ACCACHE_CPU_CHOICE(max, >=)
ACCACHE_CPU_CHOICE(min, <=)
#undef ACCACHE_CPU_CHOICE
