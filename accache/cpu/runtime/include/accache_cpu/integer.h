// Intrinsics on the bits of integers.
#pragma once

static inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline unsigned __sad(int a, int b, unsigned c) { return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b); }
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
static inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }

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
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

// Each of four selectors names a byte of b:a; with its highest bit it repeats that byte's sign.
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selectors) {
    const unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned selector = selectors >> 4 * i & 0xf, byte = (unsigned)(bytes >> 8 * (selector & 7)) & 0xff;
        result |= (selector & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
    }
    return result;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// Dot products of four bytes.
#define ACCACHE_CPU_DP4A(type, byte)                                                              \
    static inline type __dp4a(type a, type b, type c) {                                           \
        for (int i = 0; i < 4; ++i) c += (type)(byte)(a >> 8 * i) * (type)(byte)(b >> 8 * i);     \
        return c;                                                                                 \
    }
ACCACHE_CPU_DP4A(int, signed char)
ACCACHE_CPU_DP4A(unsigned, unsigned char)
#undef ACCACHE_CPU_DP4A

// The same of two 16-bit numbers with the two lower, or upper, bytes.
#define ACCACHE_CPU_DP2A(name, type, half, byte, first)                                                   \
    static inline type name(type a, type b, type c) {                                                         \
        for (int i = 0; i < 2; ++i) c += (type)(half)(a >> 16 * i) * (type)(byte)(b >> 8 * (i + first));      \
        return c;                                                                                             \
    }
ACCACHE_CPU_DP2A(__dp2a_lo, int, short, signed char, 0)
ACCACHE_CPU_DP2A(__dp2a_lo, unsigned, unsigned short, unsigned char, 0)
ACCACHE_CPU_DP2A(__dp2a_hi, int, short, signed char, 2)
ACCACHE_CPU_DP2A(__dp2a_hi, unsigned, unsigned short, unsigned char, 2)
#undef ACCACHE_CPU_DP2A
