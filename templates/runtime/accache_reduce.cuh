// accache run-time: reductions over the threads of a block, and over the blocks of a launch.
#ifndef ACCACHE_REDUCE_CUH
#define ACCACHE_REDUCE_CUH
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#ifndef ACCACHE_LAUNCH_CUH
#include "accache_launch.cuh"
#endif

// ---- The operators ----

#define ACCACHE_OPERATOR(name, expression) \
    template <class T> struct accache_##name { \
        using Value = T; \
        __host__ __device__ T operator()(T a, T b) const \
        { \
            T result; \
            result = expression; /* assigned: a complex number may become a truth value */ \
            return result; \
        } \
    };
ACCACHE_OPERATOR(plus, a + b)
ACCACHE_OPERATOR(multiplies, a * b)
ACCACHE_OPERATOR(minimum, b < a || a != a ? b : a) // of numbers, if any is one, as fmin has it
ACCACHE_OPERATOR(maximum, b > a || a != a ? b : a)
ACCACHE_OPERATOR(bit_and, a & b)
ACCACHE_OPERATOR(bit_or, a | b)
ACCACHE_OPERATOR(bit_xor, a ^ b)
ACCACHE_OPERATOR(logical_and, a && b)
ACCACHE_OPERATOR(logical_or, a || b)
#undef ACCACHE_OPERATOR
template <class T> struct accache_last { // of one part, which takes the place of the value so far
    using Value = T;
    __host__ __device__ T operator()(T, T b) const { return b; }
};

// ---- The threads of a block: all of them call these, and each gets the result. The order is fixed. ----

// The value that a lane of the warp has, of any type: `from` is the distance to it, or, if `broadcast`, its number.
template <bool broadcast, class T> inline __device__ T accache_exchange(unsigned mask, T value, int from, int width)
{
    if constexpr (std::is_arithmetic_v<T>) {
        if constexpr (broadcast)
            return __shfl_sync(mask, value, from, width);
        else
            return __shfl_down_sync(mask, value, from, width);
    } else {
        uint32_t words[sizeof(T) / sizeof(uint32_t)];
        memcpy(words, &value, sizeof value);
        for (uint32_t &word : words)
            word = accache_exchange<broadcast>(mask, word, from, width);
        memcpy(&value, words, sizeof value);
        return value;
    }
}

// Over each `lanes` consecutive threads of one warp, or all `threads` of a block that has no more: as a tree.
template <class Combine, int threads, int lanes, class T> inline __device__ T accache_reduce_lanes(T value, int own)
{
    constexpr int rest = threads % 32, width = threads <= 32 && lanes == threads ? 32 : lanes;
    const unsigned mask = rest > 0 && own >= threads - rest ? (1u << rest) - 1 : ~0u;
#pragma unroll
    for (int half = width / 2; half > 0; half /= 2) {
        const T other = accache_exchange<false>(mask, value, half, width);
        if (width == lanes || own + half < lanes)
            value = Combine()(value, other);
    }
    return value;
}

// Over each `lanes` consecutive threads. Of more than a warp the first warp has the columns, the values of each 32nd
// thread: so the others execute next to nothing.
template <class Combine, int lanes, int groups, class T> inline __device__ T accache_reduce_consecutive(T value, int own)
{
    constexpr int threads = lanes * groups;
    if constexpr (lanes <= 32) {
        value = accache_reduce_lanes<Combine, threads, lanes>(value, own);
        constexpr int rest = threads % 32;
        const unsigned mask = rest > 0 && own >= threads - rest ? (1u << rest) - 1 : ~0u;
        value = accache_exchange<true>(mask, value, 0, threads <= 32 && groups == 1 ? 32 : lanes);
        __syncwarp(mask); // for what the threads do in memory: an exchange does not order that
        return value;
    } else {
        __shared__ T values[threads], results[groups];
        const int lane = groups > 1 ? own % lanes : own, group = groups > 1 ? own / lanes : 0;
        values[own] = value;
        __syncthreads();
        if (lane < 32) {
#pragma unroll
            for (int other = 32; other < lanes; other += 32)
                if (lanes % 32 == 0 || lane + other < lanes)
                    value = Combine()(value, values[own + other]);
            value = accache_reduce_lanes<Combine, 32, 32>(value, lane);
            if (lane == 0)
                results[group] = value;
        }
        __syncthreads();
        return results[group]; // which the next call writes behind a barrier
    }
}

// Over each `lanes` threads that are `stride` apart.
template <class Combine, int threads, int lanes, int stride, class T>
inline __device__ T accache_reduce_apart(T value, int own)
{
    __shared__ T partial[threads];
    const int lane = own / stride % lanes, first = own - lane * stride;
    partial[own] = value;
    __syncthreads();
    if constexpr (lanes <= 32) {
        value = partial[first];
        for (int k = 1; k < lanes; ++k)
            value = Combine()(value, partial[first + k * stride]);
    } else {
        for (int count = lanes; count > 1; count = (count + 1) / 2) {
            const int half = (count + 1) / 2;
            if (lane + half < count)
                partial[own] = Combine()(partial[own], partial[own + half * stride]);
            __syncthreads();
        }
        value = partial[first];
    }
    __syncthreads(); // before the next call writes to partial
    return value;
}

template <int x, int y, int z> inline __device__ int accache_own_number() // a thread's in its block of x * y * z
{
    if constexpr (y == 1 && z == 1)
        return threadIdx.x;
    else
        return (threadIdx.z * y + threadIdx.y) * x + threadIdx.x;
}
template <class Combine, int x, int y = 1, int z = 1> // over the whole block
inline __device__ typename Combine::Value accache_reduce(typename Combine::Value value)
{
    return accache_reduce_consecutive<Combine, x * y * z, 1>(value, accache_own_number<x, y, z>());
}
template <class Combine, int x, int y, int z = 1> // over each row of threads, which share y and z
inline __device__ typename Combine::Value accache_reduce_x(typename Combine::Value value)
{
    const int own = accache_own_number<x, y, z>();
    if constexpr (x % 32 == 0 || 32 % x == 0)
        return accache_reduce_consecutive<Combine, x, y * z>(value, own);
    else
        return accache_reduce_apart<Combine, x * y * z, x, 1>(value, own);
}
template <class Combine, int x, int y, int z = 1>
inline __device__ typename Combine::Value accache_reduce_y(typename Combine::Value value)
{
    return accache_reduce_apart<Combine, x * y * z, y, x>(value, accache_own_number<x, y, z>());
}
template <class Combine, int x, int y, int z>
inline __device__ typename Combine::Value accache_reduce_z(typename Combine::Value value)
{
    return accache_reduce_apart<Combine, x * y * z, z, x * y>(value, accache_own_number<x, y, z>());
}

// Shared memory that arrays of all types and operators go through, one behind the other; the sizes are powers of two.
template <int bytes> inline __device__ void *accache_exchanged()
{
    __shared__ __align__(16) char values[bytes];
    return values;
}
__host__ __device__ constexpr int accache_power_from(int bytes, int power = 1)
{
    return power < bytes ? accache_power_from(bytes, 2 * power) : power;
}

// Of each element of an array, in the same order: the block exchanges as many at a time as take 64 bytes of a thread, 16 KB
// at most, and each warp combines its share of them.
template <class Combine, int lanes, int groups, int count>
inline __device__ void accache_reduce_each_consecutive(typename Combine::Value *elements, int own)
{
    using T = typename Combine::Value;
    constexpr int threads = lanes * groups, unrolled = count <= 64 ? 64 : 1;
    if constexpr (lanes <= 32) {
#pragma unroll unrolled
        for (int k = 0; k < count; ++k)
            elements[k] = accache_reduce_consecutive<Combine, lanes, groups>(elements[k], own);
    } else {
        constexpr int bytes = threads > 256 ? 16384 / threads : 64;
        constexpr int room = bytes > sizeof(T) ? bytes / sizeof(T) : 1, chunk = room < count ? room : count;
        T(*const values)[threads] = static_cast<T(*)[threads]>(
            accache_exchanged<accache_power_from(chunk * sizeof(T)) * threads>());
        __shared__ T results[chunk][groups];
#pragma unroll unrolled
        for (int first = 0; first < count; first += chunk) {
#pragma unroll
            for (int k = 0; k < chunk; ++k)
                if (count % chunk == 0 || first + k < count)
                    values[k][own] = elements[first + k];
            __syncthreads();
            for (int task = own / 32; task < chunk * groups; task += threads / 32) {
                const int k = task / groups, group = task % groups;
                if (own >= threads / 32 * 32 || (count % chunk != 0 && first + k >= count))
                    break; // warps of fewer threads have no share
                const int lane = own % 32;
                T value = values[k][group * lanes + lane];
#pragma unroll
                for (int other = 32; other < lanes; other += 32)
                    if (lanes % 32 == 0 || lane + other < lanes)
                        value = Combine()(value, values[k][group * lanes + lane + other]);
                value = accache_reduce_lanes<Combine, 32, 32>(value, lane);
                if (lane == 0)
                    results[k][group] = value;
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < chunk; ++k)
                if (count % chunk == 0 || first + k < count)
                    elements[first + k] = results[k][groups > 1 ? own / lanes : 0]; // next written behind a barrier
        }
    }
}
template <class Combine, int x, int y = 1, int z = 1, class Array> // over the whole block
inline __device__ void accache_reduce_each(Array &elements)
{
    using T = typename Combine::Value;
    constexpr int count = sizeof(Array) / sizeof(T);
    T *const first = reinterpret_cast<T *>(&elements);
    accache_reduce_each_consecutive<Combine, x * y * z, 1, count>(first, accache_own_number<x, y, z>());
}
template <class Combine, int x, int y, int z = 1, class Array> // over each row of threads, as long as some warps or a part of one
inline __device__ void accache_reduce_x_each(Array &elements)
{
    using T = typename Combine::Value;
    constexpr int count = sizeof(Array) / sizeof(T);
    T *const first = reinterpret_cast<T *>(&elements);
    accache_reduce_each_consecutive<Combine, x, y * z, count>(first, accache_own_number<x, y, z>());
}

// ---- The blocks of a launch, each of which has stored `count` parts. The order does not depend on the GPU. ----

// A block for each of the `count` puts what all blocks together have in the place of the first block's part.
template <class Combine, class T>
static __global__ void __launch_bounds__(256) accache_combine_blocks(T *parts, long long blocks, long long count)
{
    __shared__ T values[256];
    const int own = threadIdx.x;
    if (own < blocks) {
        T value = parts[own * count + blockIdx.x];
        for (long long block = own + 256; block < blocks; block += 256)
            value = Combine()(value, parts[block * count + blockIdx.x]);
        values[own] = value;
    }
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (own < half && own + half < blocks)
            values[own] = Combine()(values[own], values[own + half]);
        __syncthreads();
    }
    if (own == 0)
        parts[blockIdx.x] = values[0];
}
template <class Combine, class T>
static __global__ void __launch_bounds__(256) accache_combine_elements(T *totals, const T *parts, long long count)
{
    const long long k = 256LL * blockIdx.x + threadIdx.x;
    if (k < count)
        totals[k] = Combine()(totals[k], parts[k]);
}

template <class Combine> // behind a launch
void accache_total(typename Combine::Value *parts, size_t blocks, size_t count = 1)
{
    using T = typename Combine::Value;
    if (blocks < 2)
        return;
    accache_combine_blocks<Combine, T><<<count, 256, 0, accache_stream()>>>(parts, blocks, count);
    accache_launched_too("accache_combine_blocks");
}
template <class Combine> // accache_combine for elements in device memory
void accache_combine_on_device(typename Combine::Value *totals, const typename Combine::Value *parts, size_t blocks,
                               size_t count = 1)
{
    using T = typename Combine::Value;
    if (blocks == 0 || accache_is_sequential())
        return;
    accache_combine_elements<Combine, T><<<(count + 255) / 256, 256, 0, accache_stream()>>>(totals, parts, count);
    accache_launched_too("accache_combine_elements", true);
}
template <class Combine> // and for a variable that may have a copy on the device: that gets the result
void accache_combine_present(typename Combine::Value *totals, const typename Combine::Value *parts, size_t blocks,
                             size_t count = 1)
{
    using T = typename Combine::Value;
    T *const device = static_cast<T *>(accache_present_copy(totals, count * sizeof *totals));
    if (device == nullptr)
        accache_combine<Combine>(totals, parts, blocks, count);
    else
        accache_combine_on_device<Combine>(device, parts, blocks, count);
}
#endif
