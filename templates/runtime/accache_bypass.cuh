// accache: loads of global memory that take no place in L1.
#ifndef ACCACHE_BYPASS_CUH
#define ACCACHE_BYPASS_CUH
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 700
#define ACCACHE_LOAD(type, suffix, letter)                                                                  \
    inline __device__ void accache_load_bits(type &bits, const void *place)                                 \
    {                                                                                                       \
        asm volatile("ld.global.L1::no_allocate." suffix " %0, [%1];"                                       \
                     : "=" letter(bits) : "l"(__cvta_generic_to_global(place)) : "memory");                 \
    }
ACCACHE_LOAD(unsigned short, "u16", "h")
ACCACHE_LOAD(unsigned, "u32", "r")
ACCACHE_LOAD(unsigned long long, "u64", "l")
#undef ACCACHE_LOAD

template <size_t bytes> struct accache_word_of;
template <> struct accache_word_of<2> { using type = unsigned short; };
template <> struct accache_word_of<4> { using type = unsigned; };
template <> struct accache_word_of<8> { using type = unsigned long long; };
#endif

template <class T> __device__ T accache_load_no_allocate(const T *place)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 700
    typename accache_word_of<sizeof(T)>::type bits;
    T value;
    accache_load_bits(bits, place);
    memcpy(&value, &bits, sizeof value);
    return value;
#else
    return *place; // on a CPU, or a GPU that knows no such loads
#endif
}
#endif
