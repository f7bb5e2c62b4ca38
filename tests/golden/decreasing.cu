
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void decreasing_L6_kernel_a_fetch(float (&a_tile)[513], const float *a, int a_start, int count)
{
    #pragma unroll
    for (int round = 0; round < 3; ++round) {
        const int k = threadIdx.x + 256*round;
        if (k < count)
            a_tile[k] = a[a_start + k];
    }
}

// decreasing(), line 6: parallel over i, 256 threads a block.
// cache(a[2*i:3]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) decreasing_L6_kernel(int n, const float *__restrict__ a, float *b)
{
    __shared__ __align__(16) float a_tile[513];

    const int i_first = n - 1 - 256*blockIdx.x;
    const int i = i_first - threadIdx.x;
    const bool active = i >= 0;
    const int i_width = min(256, i_first + 1);
    const int a_start = 2*i_first - 2*i_width + 2;
    decreasing_L6_kernel_a_fetch(a_tile, a, a_start, 2*i_width + 1);
    __syncthreads();
    if (active)
        b[i] = a_tile[2*i - a_start] + 2*a_tile[2*i - a_start + 1] + 3*a_tile[2*i - a_start + 2];
}

// decreasing(), line 6: parallel over i, 256 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) decreasing_L6_kernel_uncached(int n, const float *a, float *b)
{
    const int i = n - 1 - (256*blockIdx.x + threadIdx.x);
    if (i >= 0)
        b[i] = a[2*i] + 2*a[2*i + 1] + 3*a[2*i + 2];
}

// Launch for line 6: map the data, run the kernel, unmap.
extern "C" void decreasing_L6(int n, const float *a, float *b)
{
    accache_data_begin("decreasing.c", 6);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(2*n + 1) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)n * sizeof *b, "b", sizeof *b);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (accache_disjoint(a, {b})) {
            decreasing_L6_kernel<<<grid, block>>>(n, a_device, b_device);
            accache_launched("decreasing_L6_kernel", grid, block, 0, "decreasing.c", 6);
        } else {
            decreasing_L6_kernel_uncached<<<grid, block>>>(n, a_device, b_device);
            accache_launched("decreasing_L6_kernel_uncached", grid, block, 0, "decreasing.c", 6);
        }
    }
    accache_wait("decreasing.c", 6);
    accache_data_end();
}

