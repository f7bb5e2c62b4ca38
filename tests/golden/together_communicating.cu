
// All threads of the block copy the parts of a and b they need, neighbouring elements side by side.
static __device__ __forceinline__ void together_L11_kernel_a_b_fetch(float (&a_tile)[512], short (&b_tile)[512], bool (&a_dirty)[512], bool (&b_dirty)[512], const float *a, const short *b, int tile_start, int count)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.x + 256*round;
        a_dirty[k] = false;
        b_dirty[k] = false;
        if (k < count) {
            a_tile[k] = a[tile_start + k];
            b_tile[k] = b[tile_start + k];
        }
    }
}

// Write the changed elements of the tiles back to a and b.
static __device__ __forceinline__ void together_L11_kernel_a_b_write_back(const float (&a_tile)[512], const short (&b_tile)[512], const bool (&a_dirty)[512], const bool (&b_dirty)[512], float *a, short *b, int tile_start)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.x + 256*round;
        if (a_dirty[k])
            a[tile_start + k] = a_tile[k];
        if (b_dirty[k])
            b[tile_start + k] = b_tile[k];
    }
}

// All threads of the block copy the parts of c and d they need, neighbouring elements side by side.
static __device__ __forceinline__ void together_L11_kernel_c_d_fetch(float (&c_tile)[260], double (&d_tile)[260], const float *c, const double *d, int tile_start2, int count, long long c_begin, long long c_end, long long d_begin, long long d_end)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.x + 256*round;
        if (k < count && tile_start2 + k >= c_begin && tile_start2 + k < c_end)
            c_tile[k] = c[tile_start2 + k];
        if (k < count && tile_start2 + k >= d_begin && tile_start2 + k < d_end)
            d_tile[k] = d[tile_start2 + k];
    }
}

// together(), line 11: parallel over i, 256 threads a block.
// cache(a[2*i:2]): rbi, one tile a block, write-back.
// cache(c[i-1:5]): rbi, one tile a block.
// cache(b[2*i:2]): rbi, one tile a block, write-back.
// cache(d[i-1:5]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) together_L11_kernel(int n, float *a, const float *__restrict__ c, short *b, const double *__restrict__ d, long long c_begin, long long c_end, long long d_begin, long long d_end)
{
    __shared__ __align__(16) float a_tile[512];
    __shared__ bool a_dirty[512];
    __shared__ __align__(16) float c_tile[260];
    __shared__ __align__(16) short b_tile[512];
    __shared__ bool b_dirty[512];
    __shared__ __align__(16) double d_tile[260];
    __shared__ int tile_start;
    __shared__ int tile_start2;

    const int i_first = 256*blockIdx.x;
    const int i = i_first + threadIdx.x;
    const bool active = i < n;
    const int i_width = __syncthreads_count(active);
    if (threadIdx.x == 0)
        tile_start = 2*i;
    if (threadIdx.x == 0)
        tile_start2 = i - 1;
    __syncthreads();
    together_L11_kernel_a_b_fetch(a_tile, b_tile, a_dirty, b_dirty, a, b, tile_start, 2*i_width);
    together_L11_kernel_c_d_fetch(c_tile, d_tile, c, d, tile_start2, i_width + 4, c_begin, c_end, d_begin, d_end);
    __syncthreads();
    if (active) {
        float sum = c_tile[threadIdx.x + 1] + c_tile[threadIdx.x + 2] + d_tile[threadIdx.x + 2] + d_tile[threadIdx.x + 3];
        if (sum > 0)
            a_dirty[2*threadIdx.x] = true, a_tile[2*threadIdx.x] += c_tile[threadIdx.x + 2];
        else
            a_dirty[2*threadIdx.x + 1] = true, a_tile[2*threadIdx.x + 1] -= c_tile[threadIdx.x + 1];
        b_dirty[2*threadIdx.x] = true, b_tile[2*threadIdx.x] += 1;
        if (d_tile[threadIdx.x + 1] > 0)
            b_dirty[2*threadIdx.x + 1] = true, b_tile[2*threadIdx.x + 1] -= (short)a_tile[2*threadIdx.x];
    }
    __syncthreads();
    together_L11_kernel_a_b_write_back(a_tile, b_tile, a_dirty, b_dirty, a, b, tile_start);
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

