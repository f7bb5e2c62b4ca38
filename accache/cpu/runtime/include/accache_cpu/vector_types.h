// dim3 and the short vectors (char1 ... double4) with CUDA's sizes and alignments.
#pragma once

// The checker's hooks are not planted where a call finds or leaves structures in memory: a check build inlines what
// takes or gives them by value.
#if defined ACCACHE_CPU_CHECK && !defined ACCACHE_CPU_CALLS
#define ACCACHE_CPU_INLINED __attribute__((always_inline))
#else
#define ACCACHE_CPU_INLINED
#endif
#define ACCACHE_CPU_BY_VALUE static inline ACCACHE_CPU_INLINED

#ifdef __cplusplus
#define ACCACHE_CPU_MAKE(result) ACCACHE_CPU_BY_VALUE result make_##result
#else
#define ACCACHE_CPU_MAKE(result) static inline struct result make_##result
#endif

#define ACCACHE_CPU_VECTOR(name, type, align2, align4)                                             \
    struct name##1 { type x; };                                                                    \
    struct __attribute__((aligned(align2))) name##2 { type x, y; };                                \
    struct name##3 { type x, y, z; };                                                              \
    struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                          \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;                                                                \
    ACCACHE_CPU_MAKE(name##1)(type x) { struct name##1 v = {x}; return v; }                        \
    ACCACHE_CPU_MAKE(name##2)(type x, type y) { struct name##2 v = {x, y}; return v; }             \
    ACCACHE_CPU_MAKE(name##3)(type x, type y, type z) { struct name##3 v = {x, y, z}; return v; }  \
    ACCACHE_CPU_MAKE(name##4)(type x, type y, type z, type w) { struct name##4 v = {x, y, z, w}; return v; }

ACCACHE_CPU_VECTOR(char, signed char, 2, 4)
ACCACHE_CPU_VECTOR(uchar, unsigned char, 2, 4)
ACCACHE_CPU_VECTOR(short, short, 4, 8)
ACCACHE_CPU_VECTOR(ushort, unsigned short, 4, 8)
ACCACHE_CPU_VECTOR(int, int, 8, 16)
ACCACHE_CPU_VECTOR(uint, unsigned int, 8, 16)
ACCACHE_CPU_VECTOR(long, long, 16, 16)
ACCACHE_CPU_VECTOR(ulong, unsigned long, 16, 16)
ACCACHE_CPU_VECTOR(longlong, long long, 16, 16)
ACCACHE_CPU_VECTOR(ulonglong, unsigned long long, 16, 16)
ACCACHE_CPU_VECTOR(float, float, 8, 16)
ACCACHE_CPU_VECTOR(double, double, 16, 16)

#undef ACCACHE_CPU_VECTOR
#undef ACCACHE_CPU_MAKE

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
