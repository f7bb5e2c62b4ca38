
// Start with an empty cache: no entry holds an element.
static __device__ __forceinline__ void rows_L12_kernel_a_fetch(long long (&a_tags)[8][256], bool (&a_dirty)[8][256])
{
    for (int entry = 0; entry < 8; ++entry) {
        a_tags[entry][threadIdx.x] = LLONG_MIN;
        a_dirty[entry][threadIdx.x] = false;
    }
}

// The entry of an element: its own if it is cached, else the first of its set; the oldest leaves, the others move up.
static __device__ __forceinline__ int rows_L12_kernel_a_entry(float (&a_tile)[8][256], long long (&a_tags)[8][256], bool (&a_dirty)[8][256], float *a, long long index)
{
    const int first = 0;
    for (int entry = first; entry < first + 8; ++entry)
        if (a_tags[entry][threadIdx.x] == index)
            return entry;
    const int last = first + 7;
    if (a_dirty[last][threadIdx.x])
        a[a_tags[last][threadIdx.x]] = a_tile[last][threadIdx.x];
    for (int entry = last; entry > first; --entry) {
        a_tile[entry][threadIdx.x] = a_tile[entry - 1][threadIdx.x];
        a_tags[entry][threadIdx.x] = a_tags[entry - 1][threadIdx.x];
        a_dirty[entry][threadIdx.x] = a_dirty[entry - 1][threadIdx.x];
    }
    return first;
}

// Read an element through the cache.
static __device__ __forceinline__ float rows_L12_kernel_a_read(float (&a_tile)[8][256], long long (&a_tags)[8][256], bool (&a_dirty)[8][256], float *a, long long index)
{
    const int entry = rows_L12_kernel_a_entry(a_tile, a_tags, a_dirty, a, index);
    if (a_tags[entry][threadIdx.x] != index) {
        a_tile[entry][threadIdx.x] = a[index];
        a_tags[entry][threadIdx.x] = index;
        a_dirty[entry][threadIdx.x] = false;
    }
    return a_tile[entry][threadIdx.x];
}

// Write an element to the cache; it is written back later.
static __device__ __forceinline__ float rows_L12_kernel_a_write(float (&a_tile)[8][256], long long (&a_tags)[8][256], bool (&a_dirty)[8][256], float *a, long long index, float value)
{
    const int entry = rows_L12_kernel_a_entry(a_tile, a_tags, a_dirty, a, index);
    a_tags[entry][threadIdx.x] = index;
    a_dirty[entry][threadIdx.x] = true;
    return a_tile[entry][threadIdx.x] = value;
}

// Write the changed elements still cached back to memory.
static __device__ __forceinline__ void rows_L12_kernel_a_write_back(float (&a_tile)[8][256], long long (&a_tags)[8][256], bool (&a_dirty)[8][256], float *a)
{
    for (int entry = 0; entry < 8; ++entry)
        if (a_dirty[entry][threadIdx.x])
            a[a_tags[entry][threadIdx.x]] = a_tile[entry][threadIdx.x];
}

// rows(), line 12: parallel over i, 256 threads a block.
// cache(a[i*LENGTH+1:10]): ehc, one for each thread, write-back.
static __global__ void __launch_bounds__(256) rows_L12_kernel(int n, float *a, const int *__restrict__ column)
{
    __shared__ float a_tile[8][256];
    __shared__ long long a_tags[8][256];
    __shared__ bool a_dirty[8][256];

    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        rows_L12_kernel_a_fetch(a_tags, a_dirty);
        for (int k = 0; k < 8; ++k) {
            int own = i*13 + column[i*8 + k];
            int other = column[i*8 + k]*n/12;
            rows_L12_kernel_a_write(a_tile, a_tags, a_dirty, a, own, rows_L12_kernel_a_read(a_tile, a_tags, a_dirty, a, i*13 + k) + rows_L12_kernel_a_read(a_tile, a_tags, a_dirty, a, other*13 + 12));
            if (rows_L12_kernel_a_read(a_tile, a_tags, a_dirty, a, own) > 0)
                rows_L12_kernel_a_write(a_tile, a_tags, a_dirty, a, i*13 + 11 - k, rows_L12_kernel_a_read(a_tile, a_tags, a_dirty, a, i*13 + 11 - k) + 2);
        }
        rows_L12_kernel_a_write_back(a_tile, a_tags, a_dirty, a);
    }
}

// Launch for line 12: map the data, run the kernel, unmap.
extern "C" void rows_L12(int n, float *a, const int *column)
{
    accache_data_begin("rows.c", 12);
    float *a_device = (float *)accache_map(ACCACHE_COPY, a, (size_t)(n*13) * sizeof *a, "a", sizeof *a);
    const int *column_device = (const int *)accache_map(ACCACHE_COPYIN, column, (size_t)(n*8) * sizeof *column, "column", sizeof *column);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        rows_L12_kernel<<<grid, block>>>(n, a_device, column_device);
        accache_launched("rows_L12_kernel", grid, block, 0, "rows.c", 12);
    }
    accache_wait("rows.c", 12);
    accache_data_end();
}

