
// All threads of the block copy the parts of a and b they need, neighbouring elements side by side.
static __device__ __forceinline__ void large_L8_kernel_a_b_fetch(float (&a_tile)[7255], float (&b_tile)[7255], const float *a, const float *b, int tile_start, int count)
{
    #pragma unroll 8
    for (int round = 0; round < 29; ++round) {
        const int k = threadIdx.x + 256*round;
        if (k < count) {
            a_tile[k] = a[tile_start + k];
            b_tile[k] = b[tile_start + k];
        }
    }
}

// large(), line 8: parallel over i, 256 threads a block.
// cache(a[i:LENGTH]): rbi, one tile a block.
// cache(b[i:LENGTH]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) large_L8_kernel(int n, const float *__restrict__ a, const float *__restrict__ b, float *c)
{
    extern __shared__ __align__(16) char shared[];
    float (&a_tile)[7255] = *(float (*)[7255])shared;
    float (&b_tile)[7255] = *(float (*)[7255])(shared + 29024);

    const int i_first = 256*blockIdx.x;
    const int i = i_first + threadIdx.x;
    const bool active = i < n;
    const int i_width = min(256, n - i_first);
    const int tile_start = i_first;
    large_L8_kernel_a_b_fetch(a_tile, b_tile, a, b, tile_start, i_width + 6999);
    __syncthreads();
    if (active) {
        float c_element = c[i];
        for (int k = 0; k < 7000; k += 999)
            c_element += a_tile[threadIdx.x + k] - b_tile[threadIdx.x - k + 6999];
        c[i] = c_element;
    }
}

// large(), line 8: parallel over i, 256 threads a block.
// The same for launches where arrays overlap.
static __global__ void __launch_bounds__(256) large_L8_kernel_overlapping(int n, const float *a, const float *b, float *c)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        for (int k = 0; k < 7000; k += 999)
            c[i] += a[i + k] - b[i + 7000 - 1 - k];
    }
}

// Launch for line 8: map the data, run the kernel, unmap.
extern "C" void large_L8(int n, const float *a, const float *b, float *c)
{
    accache_data_begin("large.c", 8);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(n + 7000 - 1) * sizeof *a, "a", sizeof *a);
    const float *b_device = (const float *)accache_map(ACCACHE_COPYIN, b, (size_t)(n + 7000 - 1) * sizeof *b, "b", sizeof *b);
    float *c_device = (float *)accache_map(ACCACHE_COPY, c, (size_t)n * sizeof *c, "c", sizeof *c);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (accache_disjoint(c, {a, b})) {
            accache_allow_shared((const void *)large_L8_kernel, 58048);
            large_L8_kernel<<<grid, block, 58048>>>(n, a_device, b_device, c_device);
            accache_launched("large_L8_kernel", grid, block, 58048, "large.c", 8);
        } else {
            large_L8_kernel_overlapping<<<grid, block>>>(n, a_device, b_device, c_device);
            accache_launched("large_L8_kernel_overlapping", grid, block, 0, "large.c", 8);
        }
    }
    accache_wait("large.c", 8);
    accache_data_end();
}

