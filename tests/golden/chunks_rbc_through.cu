
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void chunks_L9_kernel_a_fetch(float (&a_tile)[1022], const float *a, int a_start, int count)
{
    #pragma unroll
    for (int round = 0; round < 4; ++round) {
        const int k = threadIdx.x + 256*round;
        if (k < count)
            a_tile[k] = a[a_start + k];
    }
}

// Read an element: from the tile if it lies there, else from memory.
static __device__ __forceinline__ float chunks_L9_kernel_a_read(float (&a_tile)[1022], const float *element, int position, int count)
{
    return position >= 0 && position < count ? a_tile[position] : *element;
}

// Write an element: in the tile if it lies there, and at once in memory.
static __device__ __forceinline__ float chunks_L9_kernel_a_write(float (&a_tile)[1022], float *element, int position, int count, float value)
{
    if (position >= 0 && position < count) {
        a_tile[position] = value;
    }
    return *element = value;
}

// chunks(), line 9: parallel over i, 256 threads a block.
// cache(a[4*i+1:2]): rbc, one tile a block, write-through.
static __global__ void __launch_bounds__(256) chunks_L9_kernel(int n, float *a, const int *__restrict__ far)
{
    __shared__ __align__(16) float a_tile[1022];

    const int i_first = 256*blockIdx.x + 1;
    const int i = i_first + threadIdx.x;
    const bool active = i < n - 1;
    const int i_width = min(256, n - 1 - i_first);
    const int a_start = 4*i_first + 1;
    chunks_L9_kernel_a_fetch(a_tile, a, a_start, 4*i_width - 2);
    __syncthreads();
    if (active) {
        chunks_L9_kernel_a_write(a_tile, &a[4*i], 4*threadIdx.x - 1, 4*i_width - 2, chunks_L9_kernel_a_read(a_tile, &a[4*i - 3], 4*threadIdx.x - 4, 4*i_width - 2) + chunks_L9_kernel_a_read(a_tile, &a[4*i + 5], 4*threadIdx.x + 4, 4*i_width - 2));
        if (far[i]%2 == 0)
            chunks_L9_kernel_a_write(a_tile, &a[4*i + 2], 4*threadIdx.x + 1, 4*i_width - 2, chunks_L9_kernel_a_read(a_tile, &a[4*i], 4*threadIdx.x - 1, 4*i_width - 2) + chunks_L9_kernel_a_read(a_tile, &a[4*far[i] + 1], 4*far[i] + 1 - a_start, 4*i_width - 2));
        if (far[i]%3 == 0)
            chunks_L9_kernel_a_write(a_tile, &a[4*i + 3], 4*threadIdx.x + 2, 4*i_width - 2, chunks_L9_kernel_a_read(a_tile, &a[4*i + 3], 4*threadIdx.x + 2, 4*i_width - 2) + (chunks_L9_kernel_a_read(a_tile, &a[4*i + 2], 4*threadIdx.x + 1, 4*i_width - 2)));
        chunks_L9_kernel_a_write(a_tile, &a[4*i], 4*threadIdx.x - 1, 4*i_width - 2, chunks_L9_kernel_a_read(a_tile, &a[4*i], 4*threadIdx.x - 1, 4*i_width - 2) + (chunks_L9_kernel_a_read(a_tile, &a[4*i + 1], 4*threadIdx.x, 4*i_width - 2)));
    }
}

// Launch for line 9: map the data, run the kernel, unmap.
extern "C" void chunks_L9(int n, float *a, const int *far)
{
    accache_data_begin("chunks.c", 9);
    float *a_device = (float *)accache_map(ACCACHE_COPY, a, (size_t)(4*n) * sizeof *a, "a", sizeof *a);
    const int *far_device = (const int *)accache_map(ACCACHE_COPYIN, far, (size_t)n * sizeof *far, "far", sizeof *far);
    const dim3 block(256);
    const long long i_count = n - 2;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        chunks_L9_kernel<<<grid, block>>>(n, a_device, far_device);
        accache_launched("chunks_L9_kernel", grid, block, 0, "chunks.c", 9);
    }
    accache_wait("chunks.c", 9);
    accache_data_end();
}

