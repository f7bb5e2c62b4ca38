
// ---- Atomic accesses for which CUDA has no function ----

// *place as it was at one moment: nobody's store is seen by half.
template <class T> static __device__ T accache_atomic_read(const T *place)
{
#ifdef ACCACHE_CPU_CHECK // which tells atomic accesses from plain ones
    return accache_cpu::atomic_load(place);
#else
    return *const_cast<const volatile T *>(place);
#endif
}

template <size_t bytes> struct accache_bits;
template <> struct accache_bits<1> { using type = unsigned char; };
template <> struct accache_bits<2> { using type = unsigned short; };
template <> struct accache_bits<4> { using type = unsigned; };
template <> struct accache_bits<8> { using type = unsigned long long; };

// Compare and swap. One or two bytes are swapped inside of the word they lie in, whose other bytes keep their values.
template <class Bits> static __device__ Bits accache_atomic_swap(Bits *place, Bits expected, Bits value)
{
#ifdef ACCACHE_CPU_CHECK // where the other bytes are not this thread's business
    return accache_cpu::compare_and_swap(place, expected, value);
#else
    if constexpr (sizeof(Bits) >= sizeof(unsigned)) {
        return atomicCAS(place, expected, value);
    } else {
        const uintptr_t address = reinterpret_cast<uintptr_t>(place);
        unsigned *const word = reinterpret_cast<unsigned *>(address & ~uintptr_t{3});
        const unsigned shift = 8 * (address & 3), mask = ((1u << 8 * sizeof(Bits)) - 1) << shift;
        unsigned old, found = accache_atomic_read(word);
        do {
            old = found;
            if ((old & mask) >> shift != expected)
                break;
            found = atomicCAS(word, old, (old & ~mask) | static_cast<unsigned>(value) << shift);
        } while (found != old);
        return static_cast<Bits>((old & mask) >> shift);
    }
#endif
}

// Replace *place by change(*place), again and again until nobody else came between; the value before, or the new one.
template <bool is_new, class T, class Change> static __device__ T accache_atomic_change(T *place, Change change)
{
    using Bits = typename accache_bits<sizeof(T)>::type;
    Bits *const bits = reinterpret_cast<Bits *>(place);
    Bits expected, found = accache_atomic_read(bits), wanted;
    T before, after;
    do {
        expected = found;
        memcpy(&before, &expected, sizeof before);
        after = change(before);
        memcpy(&wanted, &after, sizeof wanted);
        found = accache_atomic_swap(bits, expected, wanted);
    } while (found != expected);
    return is_new ? after : before;
}

// x = value; returns x as it was before.
template <class T, class Value> static __device__ T accache_atomic_exchange(T *x, Value value)
{
#ifdef ACCACHE_CPU_CHECK // which sees by this that the new value is not made of the old one
    const T after = (T)value, before = accache_cpu::exchange<typename accache_bits<sizeof(T)>::type>(x, after);
    return before;
#else
    return accache_atomic_change<false>(x, [=](T old) { return (T)(value); });
#endif
}

// x = x * value; returns x as it was before.
template <class T, class Value> static __device__ T accache_atomic_mul(T *x, Value value)
{
    return accache_atomic_change<false>(x, [=](T old) { return (T)(old * value); });
}

// x = x | value; returns x as it was before.
template <class T, class Value> static __device__ T accache_atomic_or(T *x, Value value)
{
    return accache_atomic_change<false>(x, [=](T old) { return (T)(old | value); });
}

// histogram(), line 8: parallel over i_first, k, i, 128 threads a block.
static __global__ void __launch_bounds__(128) histogram_L8_kernel(int n, int *bins, const int *__restrict__ keys)
{
    __shared__ int bins_block[24];

    const int i_first = 2048*blockIdx.x;
    if (threadIdx.x < 24) {
        const int k = threadIdx.x;
        bins_block[k] = 0;
    }
    __syncthreads();
    for (int i = i_first + threadIdx.x; i < (n - i_first < 2048 ? n : i_first + 2048); i += 128) {
        if ((unsigned)keys[i] < 24)
            atomicAdd(&bins_block[keys[i]], 1);
        else
            atomicAdd(&bins[keys[i]], 1);
    }
    __syncthreads();
    if (threadIdx.x < 24) {
        const int k = threadIdx.x;
        if (bins_block[k] != 0)
            atomicAdd(&bins[k], bins_block[k]);
    }
}

// histogram(), line 8: parallel over i, 256 threads a block.
// The same for launches where arrays overlap.
static __global__ void __launch_bounds__(256) histogram_L8_kernel_overlapping(int n, int *bins, const int *keys)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[keys[i]], 1);
}

// Launch for line 8: map the data, run the kernel, unmap.
extern "C" void histogram_L8(int n, int *bins, const int *keys)
{
    accache_data_begin("atomics.c", 8);
    const int *keys_device = (const int *)accache_map(ACCACHE_COPYIN, keys, (size_t)n * sizeof *keys, "keys", sizeof *keys);
    int *bins_device = (int *)accache_map(ACCACHE_COPY, bins, 24 * sizeof *bins, "bins", sizeof *bins);
    const dim3 block(128);
    const long long i_first_count = (n + 2047) / 2048;
    accache_strides((long long)n, 2048, "i_first");
    const dim3 grid(i_first_count);
    if (i_first_count > 0) {
        if (accache_disjoint(bins, {keys})) {
            histogram_L8_kernel<<<grid, block>>>(n, bins_device, keys_device);
            accache_launched("histogram_L8_kernel", grid, block, 0, "atomics.c", 8);
        } else {
            const long long i_count = n;
            if (i_count > 0) {
                const dim3 overlapping_block(256);
                const dim3 overlapping_grid((i_count + 255) / 256);
                histogram_L8_kernel_overlapping<<<overlapping_grid, overlapping_block>>>(n, bins_device, keys_device);
                accache_launched("histogram_L8_kernel_overlapping", overlapping_grid, overlapping_block, 0, "atomics.c", 8);
            }
        }
    }
    accache_wait("atomics.c", 8);
    accache_data_end();
}

// choose(), line 19: parallel over c, b, i, 64 threads a block.
static __global__ void __launch_bounds__(64) choose_L19_kernel(int n, const int *keys, int *used, int *bins, int *top, int *kept)
{
    __shared__ int local[24];
    __shared__ int even;
    __shared__ int first_shared;

    const int c = blockIdx.x;
    if (threadIdx.x == 0)
        even = 0;
    int first;
    int end = (c + 1)*100 < n ? (c + 1)*100 : n;
    if (threadIdx.x < 24) {
        const int b = threadIdx.x;
        local[b] = 0;
    }
    __syncthreads();
    for (int i = c*100 + threadIdx.x; i < end; i += 64) {
        atomicAdd(&local[keys[i]], 1);
        if (keys[i]%2 == 0)
            atomicAdd(&even, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        first_shared = atomicAdd(used, even);
    __syncthreads();
    first = first_shared;
    if (threadIdx.x < 24) {
        const int b = threadIdx.x;
        atomicAdd(&bins[b], local[b]);
    }
    if (threadIdx.x == 0)
        atomicAdd(&top[0], local[0]);
    for (int i = threadIdx.x; i < even; i += 64)
        kept[first + i] = 1;
}

// Launch for line 19: map the data, run the kernel, unmap.
extern "C" void choose_L19(int chunks, int n, const int *keys, int *used, int *__restrict__ bins, int *__restrict__ top, int *__restrict__ kept)
{
    accache_data_begin("atomics.c", 19);
    const int *keys_device = (const int *)accache_map(ACCACHE_COPYIN, keys, (size_t)n * sizeof *keys, "keys", sizeof *keys);
    int *__restrict__ bins_device = (int *)accache_map(ACCACHE_COPY, bins, 24 * sizeof *bins, "bins", sizeof *bins);
    int *used_device = (int *)accache_map(ACCACHE_COPY, used, sizeof *used, "used", sizeof *used);
    int *__restrict__ top_device = (int *)accache_map(ACCACHE_COPY, top, sizeof *top, "top", sizeof *top);
    int *__restrict__ kept_device = (int *)accache_map(ACCACHE_COPY, kept, (size_t)n * sizeof *kept, "kept", sizeof *kept);
    const dim3 block(64);
    const long long c_count = chunks;
    const dim3 grid(c_count);
    if (c_count > 0) {
        choose_L19_kernel<<<grid, block>>>(n, keys_device, used_device, bins_device, top_device, kept_device);
        accache_launched("choose_L19_kernel", grid, block, 0, "atomics.c", 19);
    }
    accache_wait("atomics.c", 19);
    accache_data_end();
}

// others(), line 57: parallel over i, 256 threads a block.
static __global__ void __launch_bounds__(256) others_L57_kernel(int n, unsigned char *flags, const int *keys, double *product, int *most, float *last, int *seen)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        float before;
        accache_atomic_or(&flags[keys[i]], 1 << i%8);
        if (keys[i] == 3)
            accache_atomic_mul(&product[0], -1);
        atomicMax(&most[0], keys[i]);
        before = accache_atomic_exchange(&last[0], 7);
        seen[i] = accache_atomic_read(&last[0]);
        seen[i] -= before > 7;
    }
}

// Launch for line 57: map the data, run the kernel, unmap.
extern "C" void others_L57(int n, unsigned char *flags, const int *keys, double *product, int *most, float *last, int *seen)
{
    accache_data_begin("atomics.c", 57);
    const int *keys_device = (const int *)accache_map(ACCACHE_COPYIN, keys, (size_t)n * sizeof *keys, "keys", sizeof *keys);
    unsigned char *flags_device = (unsigned char *)accache_map(ACCACHE_COPY, flags, 24 * sizeof *flags, "flags", sizeof *flags);
    double *product_device = (double *)accache_map(ACCACHE_COPY, product, sizeof *product, "product", sizeof *product);
    float *last_device = (float *)accache_map(ACCACHE_COPY, last, sizeof *last, "last", sizeof *last);
    int *most_device = (int *)accache_map(ACCACHE_COPY, most, sizeof *most, "most", sizeof *most);
    int *seen_device = (int *)accache_map(ACCACHE_COPYOUT, seen, (size_t)n * sizeof *seen, "seen", sizeof *seen);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        others_L57_kernel<<<grid, block>>>(n, flags_device, keys_device, product_device, most_device, last_device, seen_device);
        accache_launched("others_L57_kernel", grid, block, 0, "atomics.c", 57);
    }
    accache_wait("atomics.c", 57);
    accache_data_end();
}

