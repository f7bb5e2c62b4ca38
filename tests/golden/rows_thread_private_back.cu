
// Each thread copies its own part of a.
static __device__ __forceinline__ void rows_L12_kernel_a_fetch(float (&a_tile)[10][256], bool (&a_dirty)[10][256], const float *a, int a_start)
{
    #pragma unroll
    for (int k = 0; k < 10; ++k) {
        a_dirty[k][threadIdx.x] = false;
        a_tile[k][threadIdx.x] = a[a_start + k];
    }
}

// Read an element: from the tile if it lies there, else from memory.
static __device__ __forceinline__ float rows_L12_kernel_a_read(float (&a_tile)[10][256], const float *element, int position, int count)
{
    return position >= 0 && position < count ? a_tile[position][threadIdx.x] : *element;
}

// Write an element: in the tile if it lies there, to be written back, else in memory.
static __device__ __forceinline__ float rows_L12_kernel_a_write(float (&a_tile)[10][256], bool (&a_dirty)[10][256], float *element, int position, int count, float value)
{
    if (position >= 0 && position < count) {
        a_tile[position][threadIdx.x] = value;
        a_dirty[position][threadIdx.x] = true;
        return value;
    }
    return *element = value;
}

// Write the changed elements of the tile back to a.
static __device__ __forceinline__ void rows_L12_kernel_a_write_back(const float (&a_tile)[10][256], const bool (&a_dirty)[10][256], float *a, int a_start)
{
    #pragma unroll
    for (int k = 0; k < 10; ++k) {
        if (a_dirty[k][threadIdx.x])
            a[a_start + k] = a_tile[k][threadIdx.x];
    }
}

// rows(), line 12: parallel over i, 256 threads a block.
// cache(a[i*LENGTH+1:10]): rbc, one for each thread, write-back.
static __global__ void __launch_bounds__(256) rows_L12_kernel(int n, float *a, const int *__restrict__ column)
{
    __shared__ float a_tile[10][256];
    __shared__ bool a_dirty[10][256];

    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        const int a_start = 13*i + 1;
        rows_L12_kernel_a_fetch(a_tile, a_dirty, a, a_start);
        for (int k = 0; k < 8; ++k) {
            int own = i*13 + column[i*8 + k];
            int other = column[i*8 + k]*n/12;
            rows_L12_kernel_a_write(a_tile, a_dirty, &a[own], own - 13*i - 1, 10, rows_L12_kernel_a_read(a_tile, &a[i*13 + k], k - 1, 10) + rows_L12_kernel_a_read(a_tile, &a[other*13 + 12], 13*other - 13*i + 11, 10));
            if (rows_L12_kernel_a_read(a_tile, &a[own], own - 13*i - 1, 10) > 0)
                rows_L12_kernel_a_write(a_tile, a_dirty, &a[i*13 + 11 - k], 10 - k, 10, rows_L12_kernel_a_read(a_tile, &a[i*13 + 11 - k], 10 - k, 10) + 2);
        }
        rows_L12_kernel_a_write_back(a_tile, a_dirty, a, a_start);
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

