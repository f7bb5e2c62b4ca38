
// Each thread copies its own parts of a and b.
static __device__ __forceinline__ void together_L11_kernel_a_b_fetch(float (&a_tile)[2][256], short (&b_tile)[2][256], const float *a, const short *b, int tile_start)
{
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
        a_tile[k][threadIdx.x] = a[tile_start + k];
        b_tile[k][threadIdx.x] = b[tile_start + k];
    }
}

// Each thread copies its own parts of c and d.
static __device__ __forceinline__ void together_L11_kernel_c_d_fetch(float (&c_tile)[5][256], double (&d_tile)[5][256], const float *c, const double *d, int tile_start2, long long c_begin, long long c_end, long long d_begin, long long d_end)
{
    #pragma unroll
    for (int k = 0; k < 5; ++k) {
        if (tile_start2 + k >= c_begin && tile_start2 + k < c_end)
            c_tile[k][threadIdx.x] = c[tile_start2 + k];
        if (tile_start2 + k >= d_begin && tile_start2 + k < d_end)
            d_tile[k][threadIdx.x] = d[tile_start2 + k];
    }
}

// together(), line 11: parallel over i, 256 threads a block.
// cache(a[2*i:2]): rbi, one for each thread, write-through.
// cache(c[i-1:5]): rbi, one for each thread.
// cache(b[2*i:2]): rbi, one for each thread, write-through.
// cache(d[i-1:5]): rbi, one for each thread.
static __global__ void __launch_bounds__(256) together_L11_kernel(int n, float *a, const float *__restrict__ c, short *b, const double *__restrict__ d, long long c_begin, long long c_end, long long d_begin, long long d_end)
{
    __shared__ float a_tile[2][256];
    __shared__ float c_tile[5][256];
    __shared__ short b_tile[2][256];
    __shared__ double d_tile[5][256];

    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        const int tile_start = 2*i;
        const int tile_start2 = i - 1;
        together_L11_kernel_a_b_fetch(a_tile, b_tile, a, b, tile_start);
        together_L11_kernel_c_d_fetch(c_tile, d_tile, c, d, tile_start2, c_begin, c_end, d_begin, d_end);
        float sum = c_tile[1][threadIdx.x] + c_tile[2][threadIdx.x] + d_tile[2][threadIdx.x] + d_tile[3][threadIdx.x];
        if (sum > 0)
            a[2*i] = a_tile[0][threadIdx.x] += c_tile[2][threadIdx.x];
        else
            a[2*i + 1] = a_tile[1][threadIdx.x] -= c_tile[1][threadIdx.x];
        b[2*i] = b_tile[0][threadIdx.x] += 1;
        if (d_tile[1][threadIdx.x] > 0)
            b[2*i + 1] = b_tile[1][threadIdx.x] -= (short)a_tile[0][threadIdx.x];
    }
}

// together(), line 11: parallel over i, 256 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) together_L11_kernel_uncached(int n, float *a, const float *c, short *b, const double *d)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        float sum = c[i] + c[i + 1] + d[i + 1] + d[i + 2];
        if (sum > 0)
            a[2*i] += c[i + 1];
        else
            a[2*i + 1] -= c[i];
        b[2*i] += 1;
        if (d[i] > 0)
            b[2*i + 1] -= (short)a[2*i];
    }
}

// Launch for line 11: map the data, run the kernel, unmap.
extern "C" void together_L11(int n, float *a, const float *c, short *b, const double *d, int more)
{
    accache_data_begin("together.c", 11);
    float *a_device = (float *)accache_map(ACCACHE_COPY, a, (size_t)(2*n) * sizeof *a, "a", sizeof *a);
    short *b_device = (short *)accache_map(ACCACHE_COPY, b, (size_t)(2*n) * sizeof *b, "b", sizeof *b);
    const float *c_device = (const float *)accache_map(ACCACHE_COPYIN, c, (size_t)(n + 1 + more) * sizeof *c, "c", sizeof *c);
    const double *d_device = (const double *)accache_map(ACCACHE_COPYIN, d, (size_t)(n + 2 + more) * sizeof *d, "d", sizeof *d);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (accache_disjoint(a, {c})) {
            const accache_extent c_extent = accache_extent_of(c, sizeof(float));
            const accache_extent d_extent = accache_extent_of(d, sizeof(double));
            accache_fetches(c_extent, 0, 0, n, "c");
            accache_fetches(d_extent, 0, 1, (long long)n + 1, "d");
            together_L11_kernel<<<grid, block>>>(n, a_device, c_device, b_device, d_device, c_extent.first, c_extent.end, d_extent.first, d_extent.end);
            accache_launched("together_L11_kernel", grid, block, 0, "together.c", 11);
        } else {
            accache_reaches(accache_extent_of(c, sizeof(float)), 0, 0, n, "c");
            accache_reaches(accache_extent_of(d, sizeof(double)), 0, 1, (long long)n + 1, "d");
            together_L11_kernel_uncached<<<grid, block>>>(n, a_device, c_device, b_device, d_device);
            accache_launched("together_L11_kernel_uncached", grid, block, 0, "together.c", 11);
        }
    }
    accache_wait("together.c", 11);
    accache_data_end();
}

