
// transform(), line 14: parallel over t, 256 threads a block.
// cache(a): private, one for each thread.
// cache(b): private, one for each thread.
// cache(out): private, one for each thread, write-back.
static __global__ void __launch_bounds__(256) transform_L14_kernel(int threads, const char *__restrict__ a, const int *__restrict__ b, int *out, int records, long long a_begin, long long a_end, long long b_begin, long long b_end, long long out_begin, long long out_end, int lines)
{
    // Each thread has a cache of its own for 3 arrays; if there are fewer lines, the first have them.
    extern __shared__ unsigned words[];
    accache_private::cache<3, 32, true, 0> cache(words, lines, threadIdx.x, 256);

    const int t = 256*blockIdx.x + threadIdx.x;
    if (t < threads) {
        cache.bind<0>(a + a_begin, (a_end - a_begin)*sizeof(char), true);
        cache.bind<1>(b + b_begin, (b_end - b_begin)*sizeof(int), true);
        cache.bind<2>(out + out_begin, (out_end - out_begin)*sizeof(int), false);
        for (int i = t*records; i < (t + 1)*records; ++i) {
            cache.loop_head();
            cache.write<2, int>(&out[i], cache.read<0>(&a[i])*3 + cache.read<1>(&b[i]));
        }
        cache.flush();
    }
}

// transform(), line 14: parallel over t, 256 threads a block.
// The same without caches, for launches where no line finds room.
static __global__ void __launch_bounds__(256) transform_L14_kernel_uncached(int threads, const char *__restrict__ a, const int *__restrict__ b, int *__restrict__ out, int records)
{
    const int t = 256*blockIdx.x + threadIdx.x;
    if (t < threads) {
        for (int i = t*records; i < (t + 1)*records; ++i)
            out[i] = a[i]*3 + b[i];
    }
}

// Launch for line 14: map the data, run the kernel, unmap.
extern "C" void transform_L14(int threads, const char *__restrict__ a, const int *__restrict__ b, int *__restrict__ out, int records)
{
    accache_data_begin("records.c", 14);
    const char *__restrict__ a_device = (const char *)accache_map(ACCACHE_COPYIN, a, (size_t)(threads*records) * sizeof *a, "a", sizeof *a);
    const int *__restrict__ b_device = (const int *)accache_map(ACCACHE_COPYIN, b, (size_t)(threads*records) * sizeof *b, "b", sizeof *b);
    int *__restrict__ out_device = (int *)accache_map(ACCACHE_COPYOUT, out, (size_t)(threads*records) * sizeof *out, "out", sizeof *out);
    const dim3 block(256);
    const long long t_count = threads;
    const dim3 grid((t_count + 255) / 256);
    if (t_count > 0) {
        const int lines = accache_private::lines_per_thread(transform_L14_kernel, 256, 3, 32);
        accache_private::tell("transform_L14_kernel", {"a", "b", "out"}, lines, 32, 0x0, 0, false);
        if (lines > 0) {
            const accache_extent a_extent = accache_extent_of(a, sizeof(char));
            const accache_extent b_extent = accache_extent_of(b, sizeof(int));
            const accache_extent out_extent = accache_extent_of(out, sizeof(int));
            transform_L14_kernel<<<grid, block, 4 * accache_private::words_needed(3, lines, 256, 32, false)>>>(threads, a_device, b_device, out_device, records, a_extent.first, a_extent.end, b_extent.first, b_extent.end, out_extent.first, out_extent.end, lines);
            accache_launched("transform_L14_kernel", grid, block, 4 * accache_private::words_needed(3, lines, 256, 32, false), "records.c", 14);
        } else {
            transform_L14_kernel_uncached<<<grid, block>>>(threads, a_device, b_device, out_device, records);
            accache_launched("transform_L14_kernel_uncached", grid, block, 0, "records.c", 14);
        }
    }
    accache_wait("records.c", 14);
    accache_data_end();
}

