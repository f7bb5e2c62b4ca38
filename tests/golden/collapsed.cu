
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void collapsed_L6_kernel_a_fetch(float (&a_tile)[17][32], const float *a, int a_row, int a_column, long long pitch, int rows, int columns)
{
    #pragma unroll
    for (int round = 0; round < 3; ++round) {
        const int k = threadIdx.y*16 + threadIdx.x + 256*round;
        const int row = k/32;
        const int column = k%32;
        if (row < rows && column < columns)
            a_tile[row][column] = a[(a_row + row)*pitch + a_column + column];
    }
}

// collapsed(), line 6: parallel over i, j, 16 x 16 threads a block.
// cache(a[i-1:2][j-1:2]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) collapsed_L6_kernel(int n, int m, const float *__restrict__ a, float *b, unsigned y_start)
{
    __shared__ __align__(16) float a_tile[17][32];

    const int i_first = 16*(y_start + blockIdx.y) + 1;
    const int i = i_first + threadIdx.y;
    const int j_first = m - 1 - 32*blockIdx.x;
    const int j = j_first - 2*threadIdx.x;
    const bool active = i < n && j > 0;
    const int i_width = min(16, n - i_first);
    const int j_width = min(16, (j_first + 1)/2);
    const int a_row = i_first - 1;
    const int a_column = j_first - 2*j_width + 1;
    collapsed_L6_kernel_a_fetch(a_tile, a, a_row, a_column, m, i_width + 1, 2*j_width);
    __syncthreads();
    if (active)
        b[i*m + j] = a_tile[threadIdx.y][j - a_column] - a_tile[threadIdx.y + 1][j - a_column - 1];
}

// collapsed(), line 6: parallel over i, j, 16 x 16 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) collapsed_L6_kernel_uncached(int n, int m, const float *a, float *b, unsigned y_start)
{
    const int i = 16*(y_start + blockIdx.y) + threadIdx.y + 1;
    const int j = m - 1 - (32*blockIdx.x + 2*threadIdx.x);
    if (i < n && j > 0)
        b[i*m + j] = a[(i - 1)*m + j] - a[i*m + j - 1];
}

// Launch for line 6: map the data, run the kernel, unmap.
extern "C" void collapsed_L6(int n, int m, const float *a, float *b)
{
    accache_data_begin("collapsed.c", 6);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)((n + 3)*m) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)(n*m) * sizeof *b, "b", sizeof *b);
    const dim3 block(16, 16);
    const long long j_count = m / 2;
    const long long i_count = n - 1;
    const dim3 grid((j_count + 15) / 16, (i_count + 15) / 16);
    if (j_count > 0 && i_count > 0) {
        if (accache_disjoint(a, {b})) {
            for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::y, y_start);
                collapsed_L6_kernel<<<slice, block>>>(n, m, a_device, b_device, y_start);
                accache_launched("collapsed_L6_kernel", slice, block, 0, "collapsed.c", 6);
            }
        } else {
            for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::y, y_start);
                collapsed_L6_kernel_uncached<<<slice, block>>>(n, m, a_device, b_device, y_start);
                accache_launched("collapsed_L6_kernel_uncached", slice, block, 0, "collapsed.c", 6);
            }
        }
    }
    accache_wait("collapsed.c", 6);
    accache_data_end();
}

