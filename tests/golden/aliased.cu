
// All threads of the block copy the part of a they need, each what it uses itself.
static __device__ __forceinline__ void aliased_L6_kernel_a_fetch(float (&a_tile)[256], const float *a, int a_start, int count)
{
    const int k = threadIdx.x;
    if (k < count)
        a_tile[k] = a[a_start + k];
}

// aliased(), line 6: parallel over i, 256 threads a block.
// cache(a[i:1]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) aliased_L6_kernel(int n, const float *__restrict__ a, float *b)
{
    __shared__ __align__(16) float a_tile[256];

    const int i_first = 256*blockIdx.x;
    const int i = i_first + threadIdx.x;
    const bool active = i < n;
    const int i_width = min(256, n - i_first);
    const int a_start = i_first;
    aliased_L6_kernel_a_fetch(a_tile, a, a_start, i_width);
    if (active) {
        b[i] = 2*a_tile[threadIdx.x];
        b[i] += a_tile[threadIdx.x];
    }
}

// aliased(), line 6: parallel over i, 256 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) aliased_L6_kernel_uncached(int n, const float *a, float *b)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        b[i] = 2*a[i];
        b[i] += a[i];
    }
}

// Launch for line 6: map the data, run the kernel, unmap.
extern "C" void aliased_L6(int n, const float *a, float *b)
{
    accache_data_begin("aliased.c", 6);
    const float *a_device = (const float *)accache_map(ACCACHE_COPY, a, (size_t)n * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)n * sizeof *b, "b", sizeof *b);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (accache_disjoint(a, {b})) {
            aliased_L6_kernel<<<grid, block>>>(n, a_device, b_device);
            accache_launched("aliased_L6_kernel", grid, block, 0, "aliased.c", 6);
        } else {
            aliased_L6_kernel_uncached<<<grid, block>>>(n, a_device, b_device);
            accache_launched("aliased_L6_kernel_uncached", grid, block, 0, "aliased.c", 6);
        }
    }
    accache_wait("aliased.c", 6);
    accache_data_end();
}

