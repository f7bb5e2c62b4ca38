
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void phases_L8_kernel_a_fetch(float (&a_tile)[100], const float *a, int a_start)
{
    const int k = threadIdx.x;
    if (k < 100)
        a_tile[k] = a[a_start + k];
}

// All threads of the block copy the part of c they need, neighbouring elements side by side.
static __device__ __forceinline__ void phases_L8_kernel_c_fetch(float (&c_tile)[258], const float *c, int tile_start, int count, long long begin, long long end)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.x + 256*round;
        if (k < count && tile_start + k >= begin && tile_start + k < end)
            c_tile[k] = c[tile_start + k];
    }
}

// All threads of the block copy the part of b they need, each what it uses itself.
static __device__ __forceinline__ void phases_L8_kernel_b_fetch(float (&b_tile)[256], const float *b, int tile_start, int count)
{
    const int k = threadIdx.x;
    if (k < count)
        b_tile[k] = b[tile_start + k];
}

// phases(), line 8: parallel over i, 256 threads a block.
// cache(a[t:LENGTH]): rbi, one tile a block.
// cache(c[i:3]): rbi, one tile a block.
// cache(b[i:1]): rbi, one tile a block, write-back.
static __global__ void __launch_bounds__(256) phases_L8_kernel(int n, int chunks, const float *__restrict__ a, float *b, const float *__restrict__ c, long long c_begin, long long c_end)
{
    // tiles that are never in use at the same time lie in one place
    __shared__ __align__(16) char shared[2064];
    float (&a_tile)[100] = *(float (*)[100])shared;
    float (&c_tile)[258] = *(float (*)[258])shared;
    float (&b_tile)[256] = *(float (*)[256])(shared + 1040);

    const int i_first = 256*blockIdx.x;
    const int i = i_first + threadIdx.x;
    const bool active = i < n;
    const int i_width = min(256, n - i_first);
    float sum = 0;
    for (int t = 0; t < 100*chunks; t += 100) {
        const int a_start = t;
        phases_L8_kernel_a_fetch(a_tile, a, a_start);
        __syncthreads();
        if (active) {
            for (int k = 0; k < 100; ++k)
                sum += a_tile[k]*b[i];
        }
        __syncthreads();
    }
    for (int round = 0; round < chunks; ++round) {
        const int tile_start = i_first;
        phases_L8_kernel_c_fetch(c_tile, c, tile_start, i_width + 2, c_begin, c_end);
        phases_L8_kernel_b_fetch(b_tile, b, tile_start, i_width);
        __syncthreads();
        if (active) {
            for (int k = 0; k < 3 && i + k < n; ++k)
                sum += c_tile[threadIdx.x + k]/(round + 1);
            b_tile[threadIdx.x] += sum;
            b[i] = b_tile[threadIdx.x];
        }
        __syncthreads();
    }
}

// phases(), line 8: parallel over i, 256 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) phases_L8_kernel_uncached(int n, int chunks, const float *a, float *b, const float *c)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int t = 0; t < 100*chunks; t += 100) {
            for (int k = 0; k < 100; ++k)
                sum += a[t + k]*b[i];
        }
        for (int round = 0; round < chunks; ++round) {
            for (int k = 0; k < 3 && i + k < n; ++k)
                sum += c[i + k]/(round + 1);
            b[i] += sum;
        }
    }
}

// Launch for line 8: map the data, run the kernel, unmap.
extern "C" void phases_L8(int n, int chunks, const float *a, float *b, float *c)
{
    accache_data_begin("phases.c", 8);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(100*chunks) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)n * sizeof *b, "b", sizeof *b);
    float *c_device = (float *)accache_map(ACCACHE_COPY, c, (size_t)n * sizeof *c, "c", sizeof *c);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (accache_disjoint(b, {a, c})) {
            const accache_extent c_extent = accache_extent_of(c, sizeof(float));
            phases_L8_kernel<<<grid, block>>>(n, chunks, a_device, b_device, c_device, c_extent.first, c_extent.end);
            accache_launched("phases_L8_kernel", grid, block, 0, "phases.c", 8);
        } else {
            phases_L8_kernel_uncached<<<grid, block>>>(n, chunks, a_device, b_device, c_device);
            accache_launched("phases_L8_kernel_uncached", grid, block, 0, "phases.c", 8);
        }
    }
    accache_wait("phases.c", 8);
    accache_data_end();
}

