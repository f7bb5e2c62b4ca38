
// total(), line 7: parallel over i, 256 threads a block.
static __global__ void __launch_bounds__(256) total_L7_kernel(int n, float *sum_partials, const float *__restrict__ a)
{
    float sum = 0;

    for (int i = 256*blockIdx.x + threadIdx.x; i < n; i += 262144)
        sum += a[i];
    sum = accache_reduce<accache_plus<float>, 256>(sum);
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
    accache_strides((long long)n, 262144, "i");
    const dim3 grid(accache_at_most(1024, (i_count + 255) / 256));
    const size_t blocks = i_count > 0 ? (size_t)grid.x : 0;
    float *sum_partials = accache_partials<float>(blocks, 0);
    if (i_count > 0) {
        total_L7_kernel<<<grid, block>>>(n, sum_partials, a_device);
        accache_launched("total_L7_kernel", grid, block, 0, "reductions.c", 7);
        accache_total<accache_plus<float>>(sum_partials, blocks);
    }
    accache_wait("reductions.c", 7);
    accache_combine<accache_plus<float>>(sum, sum_partials, blocks);
    accache_data_end();
}

// largest(), line 15: parallel over i, j, 96 threads a block.
static __global__ void __launch_bounds__(96) largest_L15_kernel(const float *a, int m, float *b)
{
    const int i = blockIdx.x;
    float most = a[i*m];
    float sum = b[i];
    for (int j = threadIdx.x; j < m; j += 96)
        most = a[i*m + j] > most ? a[i*m + j] : most;
    most = accache_reduce<accache_maximum<float>, 96>(most);
    if (threadIdx.x != 0)
        sum = 0;
    for (int j = threadIdx.x; j < m; j += 96)
        sum += most - a[i*m + j];
    sum = accache_reduce<accache_plus<float>, 96>(sum);
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
    accache_strides((long long)m, 96, "j");
    const dim3 grid(i_count);
    if (i_count > 0) {
        largest_L15_kernel<<<grid, block>>>(a_device, m, b_device);
        accache_launched("largest_L15_kernel", grid, block, 0, "reductions.c", 15);
    }
    accache_wait("reductions.c", 15);
    accache_data_end();
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
        sum = accache_reduce<accache_plus<float>, 64>(sum);
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
    accache_strides((long long)m, 64, "j");
    const dim3 grid(i_count);
    if (i_count > 0) {
        rounds_L30_kernel<<<grid, block>>>(m, a_device, b_device);
        accache_launched("rounds_L30_kernel", grid, block, 0, "reductions.c", 30);
    }
    accache_wait("reductions.c", 30);
    accache_data_end();
}

