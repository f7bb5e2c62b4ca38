// What PTX instructions in asm statements compute: the rewriter makes calls of these from them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "conversions.h"
#include "integer.h"
#include "kernel.h"
#include "warp.h"

namespace accache_cpu {
namespace ptx {

// Registers hold bits: an operand's bits, and these as a number.
template <class T> inline uint64_t bits(const T &operand) {
    using Plain = std::remove_cv_t<std::decay_t<T>>;
    if constexpr (std::is_pointer_v<Plain>) return reinterpret_cast<uint64_t>(operand);
    else if constexpr (std::is_integral_v<Plain> || std::is_enum_v<Plain>) return (uint64_t)operand;
    else if constexpr (sizeof(Plain) == 8) return bit_cast<uint64_t>((Plain)operand);
    else if constexpr (sizeof(Plain) == 4) return bit_cast<uint32_t>((Plain)operand);
    else return bit_cast<uint16_t>((Plain)operand);
}
template <class T> inline T number(uint64_t bits) {
    if constexpr (std::is_pointer_v<T>) return reinterpret_cast<T>(bits);
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return (T)bits;
    else if constexpr (sizeof(T) == 8) return bit_cast<T>(bits);
    else if constexpr (sizeof(T) == 4) return bit_cast<T>((uint32_t)bits);
    else return bit_cast<T>((uint16_t)bits);
}
template <class T, class Operand> inline T get(const Operand &operand) { return number<T>(bits(operand)); }
template <class Target, class T> inline void set(Target &&target, T value) {
    target = number<std::remove_cv_t<std::remove_reference_t<Target>>>(bits(value));
}

template <class T, bool = std::is_integral_v<T>> struct Unsigned { typedef std::make_unsigned_t<T> type; };
template <class T> struct Unsigned<T, false> { typedef T type; };
template <class T> using U = typename Unsigned<T>::type;  // integers wrap
template <class T> struct Wider;
template <> struct Wider<int16_t> { typedef int32_t type; };
template <> struct Wider<uint16_t> { typedef uint32_t type; };
template <> struct Wider<int32_t> { typedef int64_t type; };
template <> struct Wider<uint32_t> { typedef uint64_t type; };
template <> struct Wider<int64_t> { typedef __int128 type; };
template <> struct Wider<uint64_t> { typedef unsigned __int128 type; };
template <class T> using Wide = typename Wider<T>::type;

template <class T> inline T mov(T a) { return a; }
template <class T> inline T add(T a, T b) { return (T)((U<T>)a + (U<T>)b); }
template <class T> inline T sub(T a, T b) { return (T)((U<T>)a - (U<T>)b); }
template <class T> inline T mul(T a, T b) { return a * b; }
template <class T> inline T mul_lo(T a, T b) { return (T)((Wide<U<T>>)(U<T>)a * (U<T>)b); }
template <class T> inline T mul_hi(T a, T b) { return (T)((Wide<T>)a * b >> 8 * sizeof(T)); }
template <class T> inline Wide<T> mul_wide(T a, T b) { return (Wide<T>)a * b; }
template <class T> inline T mad_lo(T a, T b, T c) { return add(mul_lo(a, b), c); }
template <class T> inline T mad_hi(T a, T b, T c) { return add(mul_hi(a, b), c); }
template <class T> inline Wide<T> mad_wide(T a, T b, Wide<T> c) { return add(mul_wide(a, b), c); }
template <class T> inline T fma(T a, T b, T c) {
    if constexpr (sizeof(T) == 4) return ::fmaf(a, b, c);
    else return ::fma(a, b, c);
}
template <class T> inline T min(T a, T b) { return ::min(a, b); }
template <class T> inline T max(T a, T b) { return ::max(a, b); }
template <class T> inline T bit_and(T a, T b) { return a & b; }
template <class T> inline T bit_or(T a, T b) { return a | b; }
template <class T> inline T bit_xor(T a, T b) { return a ^ b; }
template <class T> inline T bit_not(T a) { return (T)~a; }
template <class T> inline T neg(T a) { return (T)(0 - (U<T>)a); }
template <class T> inline T abs(T a) { return a < 0 ? neg(a) : a; }
template <class T> inline T shl(T a, uint32_t n) { return n >= 8 * sizeof(T) ? T{0} : (T)((U<T>)a << n); }
template <class T> inline T shr(T a, uint32_t n) { return n >= 8 * sizeof(T) ? (a < 0 ? (T)-1 : T{0}) : (T)(a >> n); }
template <class T> inline uint32_t popc(T a) { return (uint32_t)__popcll((U<T>)a); }
template <class T> inline uint32_t clz(T a) { return (uint32_t)__clzll((long long)(U<T>)a) - (64 - 8 * (uint32_t)sizeof a); }
template <class T> inline T brev(T a) {
    if constexpr (sizeof(T) == 4) return (T)__brev((unsigned)a);
    else return (T)__brevll((unsigned long long)a);
}
template <class T> inline T sad(T a, T b, T c) { return add(c, a < b ? sub(b, a) : sub(a, b)); }
template <class T> inline T selp(T a, T b, bool which) { return which ? a : b; }
// `length` bits from bit `first` on; beyond the highest bit those of the sign.
template <class T> inline T bfe(T a, uint32_t first, uint32_t length) {
    first &= 255, length &= 255;
    const uint32_t width = 8 * sizeof(T);
    if (!length) return 0;
    const T moved = shr(a, first);
    const bool whole = length >= width || first + length >= width;
    if (whole) return moved;
    return (T)(shr((T)shl(moved, width - length), width - length));
}
template <class T> inline T bfi(T a, T b, uint32_t first, uint32_t length) {
    first &= 255, length &= 255;
    const T mask = shl(length >= 8 * sizeof(T) ? (T)~T{0} : (T)(shl(T{1}, length) - 1), first);
    return (T)((b & ~mask) | (shl(a, first) & mask));
}
inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t result = 0;
    for (int row = 0; row < 8; ++row)
        if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    return result;
}

template <class T> inline T &at(uint64_t address) { return *reinterpret_cast<T *>(address); }

inline uint32_t linear_thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
inline uint32_t warps() { return (blockDim.x * blockDim.y * blockDim.z + 31) / 32; }

}  // namespace ptx
}  // namespace accache_cpu
