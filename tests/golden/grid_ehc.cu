
// Start with an empty cache: no entry holds an element.
static __device__ __forceinline__ void grid_L10_kernel_a_fetch(long long (&a_tags)[6][256], bool (&a_dirty)[6][256])
{
    for (int entry = 0; entry < 6; ++entry) {
        a_tags[entry][threadIdx.x] = LLONG_MIN;
        a_dirty[entry][threadIdx.x] = false;
    }
}

// The entry of an element: its own if it is cached, else the first of its set; the oldest leaves, the others move up.
static __device__ __forceinline__ int grid_L10_kernel_a_entry(float (&a_tile)[6][256], long long (&a_tags)[6][256], bool (&a_dirty)[6][256], float *a, long long index)
{
    const int first = (unsigned long long)index % 3 * 2;
    for (int entry = first; entry < first + 2; ++entry)
        if (a_tags[entry][threadIdx.x] == index)
            return entry;
    const int last = first + 1;
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
static __device__ __forceinline__ float grid_L10_kernel_a_read(float (&a_tile)[6][256], long long (&a_tags)[6][256], bool (&a_dirty)[6][256], float *a, long long index)
{
    const int entry = grid_L10_kernel_a_entry(a_tile, a_tags, a_dirty, a, index);
    if (a_tags[entry][threadIdx.x] != index) {
        a_tile[entry][threadIdx.x] = a[index];
        a_tags[entry][threadIdx.x] = index;
        a_dirty[entry][threadIdx.x] = false;
    }
    return a_tile[entry][threadIdx.x];
}

// Write an element to the cache; it is written back later.
static __device__ __forceinline__ float grid_L10_kernel_a_write(float (&a_tile)[6][256], long long (&a_tags)[6][256], bool (&a_dirty)[6][256], float *a, long long index, float value)
{
    const int entry = grid_L10_kernel_a_entry(a_tile, a_tags, a_dirty, a, index);
    a_tags[entry][threadIdx.x] = index;
    a_dirty[entry][threadIdx.x] = true;
    return a_tile[entry][threadIdx.x] = value;
}

// Write the changed elements still cached back to memory.
static __device__ __forceinline__ void grid_L10_kernel_a_write_back(float (&a_tile)[6][256], long long (&a_tags)[6][256], bool (&a_dirty)[6][256], float *a)
{
    for (int entry = 0; entry < 6; ++entry)
        if (a_dirty[entry][threadIdx.x])
            a[a_tags[entry][threadIdx.x]] = a_tile[entry][threadIdx.x];
}

// Start with an empty cache: no entry holds an element.
static __device__ __forceinline__ void grid_L10_kernel_table_fetch(long long (&table_tags)[6][256])
{
    for (int entry = 0; entry < 6; ++entry) {
        table_tags[entry][threadIdx.x] = LLONG_MIN;
    }
}

// The entry of an element: its own if it is cached, else the first of its set; the oldest leaves, the others move up.
static __device__ __forceinline__ int grid_L10_kernel_table_entry(float (&table_tile)[6][256], long long (&table_tags)[6][256], const float *table, long long index)
{
    const int first = (unsigned long long)index % 3 * 2;
    for (int entry = first; entry < first + 2; ++entry)
        if (table_tags[entry][threadIdx.x] == index)
            return entry;
    const int last = first + 1;
    for (int entry = last; entry > first; --entry) {
        table_tile[entry][threadIdx.x] = table_tile[entry - 1][threadIdx.x];
        table_tags[entry][threadIdx.x] = table_tags[entry - 1][threadIdx.x];
    }
    return first;
}

// Read an element through the cache.
static __device__ __forceinline__ float grid_L10_kernel_table_read(float (&table_tile)[6][256], long long (&table_tags)[6][256], const float *table, long long index)
{
    const int entry = grid_L10_kernel_table_entry(table_tile, table_tags, table, index);
    if (table_tags[entry][threadIdx.x] != index) {
        table_tile[entry][threadIdx.x] = table[index];
        table_tags[entry][threadIdx.x] = index;
    }
    return table_tile[entry][threadIdx.x];
}

// Start with an empty cache: no entry holds an element.
static __device__ __forceinline__ void grid_L10_kernel_column_fetch(long long (&column_tags)[6][256])
{
    for (int entry = 0; entry < 6; ++entry) {
        column_tags[entry][threadIdx.x] = LLONG_MIN;
    }
}

// The entry of an element: its own if it is cached, else the first of its set; the oldest leaves, the others move up.
static __device__ __forceinline__ int grid_L10_kernel_column_entry(int (&column_tile)[6][256], long long (&column_tags)[6][256], const int *column_array, long long index)
{
    const int first = (unsigned long long)index % 3 * 2;
    for (int entry = first; entry < first + 2; ++entry)
        if (column_tags[entry][threadIdx.x] == index)
            return entry;
    const int last = first + 1;
    for (int entry = last; entry > first; --entry) {
        column_tile[entry][threadIdx.x] = column_tile[entry - 1][threadIdx.x];
        column_tags[entry][threadIdx.x] = column_tags[entry - 1][threadIdx.x];
    }
    return first;
}

// Read an element through the cache.
static __device__ __forceinline__ int grid_L10_kernel_column_read(int (&column_tile)[6][256], long long (&column_tags)[6][256], const int *column_array, long long index)
{
    const int entry = grid_L10_kernel_column_entry(column_tile, column_tags, column_array, index);
    if (column_tags[entry][threadIdx.x] != index) {
        column_tile[entry][threadIdx.x] = column_array[index];
        column_tags[entry][threadIdx.x] = index;
    }
    return column_tile[entry][threadIdx.x];
}

// grid(), line 10: parallel over i, 256 threads a block.
// cache(a[i:1][1:10]): ehc, one for each thread, write-back.
// cache(table[i:1][0:4][0:DEPTH]): ehc, one for each thread.
// cache(column[i:1][0:STEPS]): ehc, one for each thread.
static __global__ void __launch_bounds__(256) grid_L10_kernel(int n, float (*a)[24], const float (*__restrict__ table)[24][3], const int (*__restrict__ column)[6])
{
    extern __shared__ __align__(16) char shared[];
    float (&a_tile)[6][256] = *(float (*)[6][256])shared;
    long long (&a_tags)[6][256] = *(long long (*)[6][256])(shared + 6144);
    bool (&a_dirty)[6][256] = *(bool (*)[6][256])(shared + 18432);
    float (&table_tile)[6][256] = *(float (*)[6][256])(shared + 19968);
    long long (&table_tags)[6][256] = *(long long (*)[6][256])(shared + 26112);
    int (&column_tile)[6][256] = *(int (*)[6][256])(shared + 38400);
    long long (&column_tags)[6][256] = *(long long (*)[6][256])(shared + 44544);

    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        grid_L10_kernel_a_fetch(a_tags, a_dirty);
        grid_L10_kernel_table_fetch(table_tags);
        grid_L10_kernel_column_fetch(column_tags);
        for (int k = 0; k < 6; ++k) {
            int own = grid_L10_kernel_column_read(column_tile, column_tags, &column[0][0], (long long)i*6 + k);
            grid_L10_kernel_a_write(a_tile, a_tags, a_dirty, &a[0][0], (long long)i*24 + own, grid_L10_kernel_a_read(a_tile, a_tags, a_dirty, &a[0][0], (long long)i*24 + k) + grid_L10_kernel_table_read(table_tile, table_tags, &table[0][0][0], ((long long)i*24 + own)*3 + k%3) + grid_L10_kernel_table_read(table_tile, table_tags, &table[0][0][0], ((long long)i*24 + k)*3 + 2));
            if (grid_L10_kernel_a_read(a_tile, a_tags, a_dirty, &a[0][0], (long long)i*24 + own) > 0)
                grid_L10_kernel_a_write(a_tile, a_tags, a_dirty, &a[0][0], (long long)i*24 + (11 - k), grid_L10_kernel_a_read(a_tile, a_tags, a_dirty, &a[0][0], (long long)i*24 + (11 - k)) + (grid_L10_kernel_table_read(table_tile, table_tags, &table[0][0][0], ((long long)i*24 + own)*3 + 0) + grid_L10_kernel_column_read(column_tile, column_tags, &column[0][0], (long long)i*6 + (6 - 1 - k))));
        }
        grid_L10_kernel_a_write_back(a_tile, a_tags, a_dirty, &a[0][0]);
    }
}

// Launch for line 10: map the data, run the kernel, unmap.
extern "C" void grid_L10(int n, float (*__restrict__ a)[24], const float (*table)[24][3], const int (*column)[6])
{
    accache_data_begin("grid.c", 10);
    const int (*column_device)[6] = (const int (*)[6])accache_map(ACCACHE_COPYIN, column, (size_t)n * sizeof *column, "column", sizeof **column);
    const float (*table_device)[24][3] = (const float (*)[24][3])accache_map(ACCACHE_COPYIN, table, (size_t)n * sizeof *table, "table", sizeof ***table);
    float (*__restrict__ a_device)[24] = (float (*)[24])accache_map(ACCACHE_COPY, a, (size_t)n * sizeof *a, "a", sizeof **a);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        accache_allow_shared((const void *)grid_L10_kernel, 56832);
        grid_L10_kernel<<<grid, block, 56832>>>(n, a_device, table_device, column_device);
        accache_launched("grid_L10_kernel", grid, block, 56832, "grid.c", 10);
    }
    accache_wait("grid.c", 10);
    accache_data_end();
}

