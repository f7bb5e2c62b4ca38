
// transpose(), line 21: parallel over i, j, y, x, 32 x 8 threads a block.
static __global__ void __launch_bounds__(256) transpose_L21_kernel(int n, int m, const float *a, float *b, unsigned y_start)
{
    __shared__ float tile[32][32 + 1];

    const int i = 32*(y_start + blockIdx.y);
    const int j = 32*blockIdx.x;
    for (int y_round = 0; y_round < 4; ++y_round) {
        const int y = threadIdx.y + 8*y_round;
        const int x = threadIdx.x;
        if (i + y < n && j + x < m)
            tile[y][x] = a[(i + y)*m + j + x];
    }
    __syncthreads();
    for (int y_round2 = 0; y_round2 < 4; ++y_round2) {
        const int y = threadIdx.y + 8*y_round2;
        const int x = threadIdx.x;
        if (i + x < n && j + y < m)
            b[(j + y)*n + i + x] = tile[x][y];
    }
}

// Launch for line 21: map the data, run the kernel, unmap.
extern "C" void transpose_L21(int n, int m, const float *a, float *b)
{
    accache_data_begin("transpose.c", 21);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(n*m) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPYOUT, b, (size_t)(n*m) * sizeof *b, "b", sizeof *b);
    const dim3 block(32, 8);
    const long long j_count = (m + 31) / 32;
    const long long i_count = (n + 31) / 32;
    const dim3 grid(j_count, i_count);
    if (j_count > 0 && i_count > 0) {
        for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
            const dim3 slice = accache_slice(grid, &dim3::y, y_start);
            transpose_L21_kernel<<<slice, block>>>(n, m, a_device, b_device, y_start);
            accache_launched("transpose_L21_kernel", slice, block, 0, "transpose.c", 21);
        }
    }
    accache_wait("transpose.c", 21);
    accache_data_end();
}

