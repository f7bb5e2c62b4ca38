
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void unsigned_index_L6_kernel_a_fetch(float (&a_tile)[512], const float *a, long long a_start, int count)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.x + 256*round;
        if (k < count)
            a_tile[k] = a[a_start + k];
    }
}

// unsigned_index(), line 6: parallel over i, 256 threads a block.
// cache(a[i:2]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) unsigned_index_L6_kernel(unsigned n, const float *__restrict__ a, float *b)
{
    __shared__ __align__(16) float a_tile[512];

    const unsigned i_first = 512*blockIdx.x;
    const unsigned i = i_first + 2*threadIdx.x;
    const bool active = i - i_first < n - i_first;
    const int i_width = min((unsigned)256, (n - i_first + 1)/2);
    const long long a_start = i_first;
    unsigned_index_L6_kernel_a_fetch(a_tile, a, a_start, 2*i_width);
    __syncthreads();
    if (active)
        b[i] = a_tile[2*threadIdx.x] - a_tile[2*threadIdx.x + 1];
}

// unsigned_index(), line 6: parallel over i, 256 threads a block.
// The same without caches, for launches where arrays overlap or unsigned numbers wrap.
static __global__ void __launch_bounds__(256) unsigned_index_L6_kernel_uncached(unsigned n, const float *a, float *b)
{
    const unsigned i = 512*blockIdx.x + 2*threadIdx.x;
    if (i < n)
        b[i] = a[i] - a[i + 1];
}

// Launch for line 6: map the data, run the kernel, unmap.
extern "C" void unsigned_index_L6(unsigned n, const float *a, float *b)
{
    accache_data_begin("unsigned_index.c", 6);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(n + 1) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)n * sizeof *b, "b", sizeof *b);
    const dim3 block(256);
    const long long i_count = ((long long)n + 1) / 2;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (accache_disjoint(a, {b}) && (double)n + 1 <= UINT_MAX) {
            unsigned_index_L6_kernel<<<grid, block>>>(n, a_device, b_device);
            accache_launched("unsigned_index_L6_kernel", grid, block, 0, "unsigned_index.c", 6);
        } else {
            unsigned_index_L6_kernel_uncached<<<grid, block>>>(n, a_device, b_device);
            accache_launched("unsigned_index_L6_kernel_uncached", grid, block, 0, "unsigned_index.c", 6);
        }
    }
    accache_wait("unsigned_index.c", 6);
    accache_data_end();
}

