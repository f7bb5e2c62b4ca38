
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void wide_L8_kernel_a_fetch(float (&a_tile)[38408], const float *a, int a_start, int count)
{
    #pragma unroll 8
    for (int round = 0; round < 601; ++round) {
        const int k = threadIdx.x + 64*round;
        if (k < count)
            a_tile[k] = a[a_start + k];
    }
}

// wide(), line 8: parallel over i, 64 threads a block.
// cache(a[STRIDE*i:STRIDE+8]): rbi, one tile a block.
static __global__ void __launch_bounds__(64) wide_L8_kernel(int n, const float *__restrict__ a, float *b)
{
    extern __shared__ __align__(16) char shared[];
    float (&a_tile)[38408] = *(float (*)[38408])shared;

    const int i_first = 64*blockIdx.x;
    const int i = i_first + threadIdx.x;
    const bool active = i < n;
    const int i_width = min(64, n - i_first);
    const int a_start = 600*i_first;
    wide_L8_kernel_a_fetch(a_tile, a, a_start, 600*i_width + 8);
    __syncthreads();
    if (active) {
        float b_element = b[i];
        for (int k = 0; k < 600 + 8; k += 7) {
            for (int l = 0; l < 20; ++l)
                b_element += (l%3 - 1)*a_tile[600*threadIdx.x + k] + a_tile[600*threadIdx.x - k + 607];
        }
        b[i] = b_element;
    }
}

// Launch for line 8: map the data, run the kernel, unmap.
extern "C" void wide_L8(int n, const float *__restrict__ a, float *__restrict__ b)
{
    accache_data_begin("wide.c", 8);
    const float *__restrict__ a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(600*n + 8) * sizeof *a, "a", sizeof *a);
    float *__restrict__ b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)n * sizeof *b, "b", sizeof *b);
    const dim3 block(64);
    const long long i_count = n;
    const dim3 grid((i_count + 63) / 64);
    if (i_count > 0) {
        accache_allow_shared((const void *)wide_L8_kernel, 153632);
        wide_L8_kernel<<<grid, block, 153632>>>(n, a_device, b_device);
        accache_launched("wide_L8_kernel", grid, block, 153632, "wide.c", 8);
    }
    accache_wait("wide.c", 8);
    accache_data_end();
}

