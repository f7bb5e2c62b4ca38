
// Each thread copies its own part of table.
static __device__ __forceinline__ void lookup_L21_kernel_table_fetch(float (&table_tile)[8][256], const float *table, int table_start, long long begin, long long end)
{
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        if (table_start + k >= begin && table_start + k < end)
            table_tile[k][threadIdx.x] = table[table_start + k];
    }
}

// lookup(), line 21: parallel over i, 256 threads a block.
// cache(table[start:TAPS]): rbi, one for each thread.
static __global__ void __launch_bounds__(256) lookup_L21_kernel(int n, const int *__restrict__ index, const float *__restrict__ table, int size, float *out, long long table_begin, long long table_end)
{
    __shared__ float table_tile[8][256];

    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        int start = index[i];
        float sum = 0;
        const int table_start = start;
        lookup_L21_kernel_table_fetch(table_tile, table, table_start, table_begin, table_end);
        for (int k = start; k < start + 8 && k < size; ++k)
            sum += table_tile[k - start][threadIdx.x];
        out[i] = sum/8;
    }
}

// lookup(), line 21: parallel over i, 256 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) lookup_L21_kernel_uncached(int n, const int *index, const float *table, int size, float *out)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        int start = index[i];
        float sum = 0;
        for (int k = start; k < start + 8 && k < size; ++k)
            sum += table[k];
        out[i] = sum/8;
    }
}

// Launch for line 21: map the data, run the kernel, unmap.
extern "C" void lookup_L21(int n, const int *index, const float *table, int size, float *out)
{
    accache_data_begin("lookup.c", 21);
    const int *index_device = (const int *)accache_map(ACCACHE_COPYIN, index, (size_t)n * sizeof *index, "index", sizeof *index);
    const float *table_device = (const float *)accache_map(ACCACHE_COPYIN, table, (size_t)size * sizeof *table, "table", sizeof *table);
    float *out_device = (float *)accache_map(ACCACHE_COPYOUT, out, (size_t)n * sizeof *out, "out", sizeof *out);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (accache_disjoint(table, {out})) {
            const accache_extent table_extent = accache_extent_of(table, sizeof(float));
            lookup_L21_kernel<<<grid, block>>>(n, index_device, table_device, size, out_device, table_extent.first, table_extent.end);
            accache_launched("lookup_L21_kernel", grid, block, 0, "lookup.c", 21);
        } else {
            lookup_L21_kernel_uncached<<<grid, block>>>(n, index_device, table_device, size, out_device);
            accache_launched("lookup_L21_kernel_uncached", grid, block, 0, "lookup.c", 21);
        }
    }
    accache_wait("lookup.c", 21);
    accache_data_end();
}

