
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void edges_plane_L6_kernel_a_fetch(float (&a_tile)[18][18], const float *a, int a_row, int a_column, long long pitch, int rows, int columns, long long begin, long long end)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.y*16 + threadIdx.x + 256*round;
        const int row = k/18;
        const int column = k%18;
        if (row < rows && column < columns && (a_row + row)*pitch + a_column + column >= begin && (a_row + row)*pitch + a_column + column < end)
            a_tile[row][column] = a[(a_row + row)*pitch + a_column + column];
    }
}

// edges_plane(), line 6: parallel over i, j, 16 x 16 threads a block.
// cache(a[i-1:3][j-1:3]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) edges_plane_L6_kernel(int n, int m, const float *__restrict__ a, int width, int height, float *b, long long a_begin, long long a_end, unsigned y_start)
{
    __shared__ float a_tile[18][18];

    const int i_first = 16*(y_start + blockIdx.y);
    const int i = i_first + threadIdx.y;
    const int j_first = 16*blockIdx.x;
    const int j = j_first + threadIdx.x;
    const bool active = i < n && j < m;
    const int i_width = min(16, n - i_first);
    const int j_width = min(16, m - j_first);
    const int a_row = i_first - 1;
    const int a_column = j_first - 1;
    edges_plane_L6_kernel_a_fetch(a_tile, a, a_row, a_column, width, i_width + 2, j_width + 2, a_begin, a_end);
    __syncthreads();
    if (active) {
        float sum = a_tile[threadIdx.y + 1][threadIdx.x + 1];
        if (i > 0)
            sum += 2*a_tile[threadIdx.y][threadIdx.x + 1];
        if (i < height - 1 && j < width - 1)
            sum += 3*a_tile[threadIdx.y + 2][threadIdx.x + 2];
        b[i*m + j] = sum;
    }
}

// edges_plane(), line 6: parallel over i, j, 16 x 16 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) edges_plane_L6_kernel_uncached(int n, int m, const float *a, int width, int height, float *b, unsigned y_start)
{
    const int i = 16*(y_start + blockIdx.y) + threadIdx.y;
    const int j = 16*blockIdx.x + threadIdx.x;
    if (i < n && j < m) {
        float sum = a[i*width + j];
        if (i > 0)
            sum += 2*a[(i - 1)*width + j];
        if (i < height - 1 && j < width - 1)
            sum += 3*a[(i + 1)*width + j + 1];
        b[i*m + j] = sum;
    }
}

// Launch for line 6: map the data, run the kernel, unmap.
extern "C" void edges_plane_L6(int n, int m, const float *a, int width, int height, float *b)
{
    accache_data_begin("edges_plane.c", 6);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(height*width) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)(n*m) * sizeof *b, "b", sizeof *b);
    const dim3 block(16, 16);
    const long long j_count = m;
    const long long i_count = n;
    const dim3 grid((j_count + 15) / 16, (i_count + 15) / 16);
    if (j_count > 0 && i_count > 0) {
        if (accache_disjoint(a, {b})) {
            const accache_extent a_extent = accache_extent_of(a, sizeof(float));
            for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::y, y_start);
                edges_plane_L6_kernel<<<slice, block>>>(n, m, a_device, width, height, b_device, a_extent.first, a_extent.end, y_start);
                accache_launched("edges_plane_L6_kernel", slice, block, 0, "edges_plane.c", 6);
            }
        } else {
            for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::y, y_start);
                edges_plane_L6_kernel_uncached<<<slice, block>>>(n, m, a_device, width, height, b_device, y_start);
                accache_launched("edges_plane_L6_kernel_uncached", slice, block, 0, "edges_plane.c", 6);
            }
        }
    }
    accache_wait("edges_plane.c", 6);
    accache_data_end();
}

