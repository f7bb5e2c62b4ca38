
// Combine value over the threads of the block (sum); every thread gets the result. The order is fixed.
static __device__ float total_L7_kernel_sum_float(float value)
{
    __shared__ float partial[256];
    const int lane = threadIdx.x, own = threadIdx.x;
    partial[own] = value;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (lane < half)
            partial[own] = partial[own] + partial[own + half];
        __syncthreads();
    }
    return partial[0];
}

// total(), line 7: parallel over i, 256 threads a block.
static __global__ void __launch_bounds__(256) total_L7_kernel(int n, float *sum_partials, const float *__restrict__ a)
{
    float sum = 0;

    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n)
        sum += a[i];
    sum = total_L7_kernel_sum_float(sum);
    if (threadIdx.x == 0)
        sum_partials[blockIdx.x] = sum;
}

// Launch for line 7: map the data, run the kernel, unmap.
extern "C" void total_L7(int n, float *sum, const float *a)
{
    accache_data_begin("reductions.c", 7);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)n * sizeof *a, "a", sizeof *a);
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    const size_t blocks = i_count > 0 ? (size_t)grid.x : 0;
    float *sum_partials = accache_partials<float>(blocks, 0);
    if (i_count > 0) {
        total_L7_kernel<<<grid, block>>>(n, sum_partials, a_device);
        accache_launched("total_L7_kernel", grid, block, 0, "reductions.c", 7);
    }
    accache_wait("reductions.c", 7);
    accache_combine<float>(sum, sum_partials, blocks, [](float total, float part) { return total + part; });
    accache_data_end();
}

// Combine value over the threads of the block (maximum); every thread gets the result. The order is fixed.
static __device__ float largest_L15_kernel_maximum_float(float value)
{
    __shared__ float partial[96];
    const int lane = threadIdx.x, own = threadIdx.x;
    partial[own] = value;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (lane < half && lane + half < 96)
            partial[own] = partial[own + half] > partial[own] ? partial[own + half] : partial[own];
        __syncthreads();
    }
    return partial[0];
}

// Combine value over the threads of the block (sum); every thread gets the result. The order is fixed.
static __device__ float largest_L15_kernel_sum_float(float value)
{
    __shared__ float partial[96];
    const int lane = threadIdx.x, own = threadIdx.x;
    partial[own] = value;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (lane < half && lane + half < 96)
            partial[own] = partial[own] + partial[own + half];
        __syncthreads();
    }
    return partial[0];
}

// largest(), line 15: parallel over i, j, 96 threads a block.
static __global__ void __launch_bounds__(96) largest_L15_kernel(const float *a, int m, float *b)
{
    const int i = blockIdx.x;
    float most = a[i*m];
    float sum = b[i];
    for (int j = threadIdx.x; j < m; j += 96)
        most = a[i*m + j] > most ? a[i*m + j] : most;
    most = largest_L15_kernel_maximum_float(most);
    if (threadIdx.x != 0)
        sum = 0;
    for (int j = threadIdx.x; j < m; j += 96)
        sum += most - a[i*m + j];
    sum = largest_L15_kernel_sum_float(sum);
    if (threadIdx.x == 0)
        b[i] = sum;
}

// Launch for line 15: map the data, run the kernel, unmap.
extern "C" void largest_L15(int n, const float *a, int m, float *b)
{
    accache_data_begin("reductions.c", 15);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(n*m) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)n * sizeof *b, "b", sizeof *b);
    const dim3 block(96);
    const long long i_count = n;
    const dim3 grid(i_count);
    if (i_count > 0) {
        largest_L15_kernel<<<grid, block>>>(a_device, m, b_device);
        accache_launched("largest_L15_kernel", grid, block, 0, "reductions.c", 15);
    }
    accache_wait("reductions.c", 15);
    accache_data_end();
}

// Combine value over the threads of the block (sum); every thread gets the result. The order is fixed.
static __device__ float rounds_L30_kernel_sum_float(float value)
{
    __shared__ float partial[64];
    const int lane = threadIdx.x, own = threadIdx.x;
    partial[own] = value;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (lane < half)
            partial[own] = partial[own] + partial[own + half];
        __syncthreads();
    }
    value = partial[0];
    __syncthreads(); // before the next call writes to partial
    return value;
}

// rounds(), line 30: parallel over i, j, 64 threads a block.
static __global__ void __launch_bounds__(64) rounds_L30_kernel(int m, const float *a, float *b)
{
    const int i = blockIdx.x;
    float sum = 0;
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x != 0)
            sum = 0;
        for (int j = round + threadIdx.x; j < m; j += 64)
            sum += a[i*m + j];
        sum = rounds_L30_kernel_sum_float(sum);
        sum *= 2;
    }
    if (threadIdx.x == 0)
        b[i] += sum;
}

// Launch for line 30: map the data, run the kernel, unmap.
extern "C" void rounds_L30(int n, int m, const float *a, float *b)
{
    accache_data_begin("reductions.c", 30);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(n*m) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)n * sizeof *b, "b", sizeof *b);
    const dim3 block(64);
    const long long i_count = n;
    const dim3 grid(i_count);
    if (i_count > 0) {
        rounds_L30_kernel<<<grid, block>>>(m, a_device, b_device);
        accache_launched("rounds_L30_kernel", grid, block, 0, "reductions.c", 30);
    }
    accache_wait("reductions.c", 30);
    accache_data_end();
}

