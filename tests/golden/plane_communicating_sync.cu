
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void plane_L9_kernel_a_fetch(float (&a_tile)[18][18], const float *a, int a_row, int a_column, long long pitch, int rows, int columns)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.y*16 + threadIdx.x + 256*round;
        const int row = k/18;
        const int column = k%18;
        if (row < rows && column < columns)
            a_tile[row][column] = a[(a_row + row)*pitch + a_column + column];
    }
}

// All threads of the block copy the part of b they need, each what it uses itself.
static __device__ __forceinline__ void plane_L9_kernel_b_fetch(float (&b_tile)[16][16], const float *b, int b_row, int b_column, long long pitch, int rows, int columns)
{
    const int k = threadIdx.y*16 + threadIdx.x;
    const int row = k/16;
    const int column = k%16;
    if (row < rows && column < columns)
        b_tile[row][column] = b[(b_row + row)*pitch + b_column + column];
}

// plane(), line 9: parallel over i, j, 16 x 16 threads a block.
// cache(a[i-1:3][j:3]): rbi, one tile a block.
// cache(b[i:1][j:1]): rbi, one tile a block, write-back.
static __global__ void __launch_bounds__(256) plane_L9_kernel(int n, int m, const float *__restrict__ a, float *b, unsigned y_start)
{
    __shared__ float a_tile[18][18];
    __shared__ __align__(16) float b_tile[16][16];
    __shared__ int a_row;
    __shared__ int a_column;
    __shared__ int b_row;
    __shared__ int b_column;

    const int i_first = 16*(y_start + blockIdx.y) + 1;
    const int i = i_first + threadIdx.y;
    const int j_first = 16*blockIdx.x;
    const int j = j_first + threadIdx.x;
    const bool active = i < n - 1 && j < m - 2;
    const int i_width = __syncthreads_count(active && threadIdx.x == 0);
    const int j_width = __syncthreads_count(active && threadIdx.y == 0);
    if (threadIdx.y == 0 && threadIdx.x == 0)
        a_row = i - 1;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        a_column = j;
    if (threadIdx.y == 0 && threadIdx.x == 0)
        b_row = i;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        b_column = j;
    __syncthreads();
    plane_L9_kernel_a_fetch(a_tile, a, a_row, a_column, m, i_width + 2, j_width + 2);
    plane_L9_kernel_b_fetch(b_tile, b, b_row, b_column, m, i_width, j_width);
    __syncthreads();
    if (active) {
        b_tile[threadIdx.y][threadIdx.x] += a_tile[threadIdx.y][threadIdx.x] + a_tile[threadIdx.y + 1][threadIdx.x + 1];
        if (b_tile[threadIdx.y][threadIdx.x] > 0)
            b_tile[threadIdx.y][threadIdx.x] = a_tile[threadIdx.y + 2][threadIdx.x + 2];
        b[i*m + j] = b_tile[threadIdx.y][threadIdx.x];
    }
}

// plane(), line 9: parallel over i, j, 16 x 16 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) plane_L9_kernel_uncached(int n, int m, const float *a, float *b, unsigned y_start)
{
    const int i = 16*(y_start + blockIdx.y) + threadIdx.y + 1;
    const int j = 16*blockIdx.x + threadIdx.x;
    if (i < n - 1 && j < m - 2) {
        b[i*m + j] += a[(i - 1)*m + j] + a[i*m + j + 1];
        if (b[i*m + j] > 0)
            b[i*m + j] = a[(i + 1)*m + j + 2];
    }
}

// Launch for line 9: map the data, run the kernel, unmap.
extern "C" void plane_L9(int n, int m, const float *a, float *b)
{
    accache_data_begin("plane.c", 9);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)((n + 3)*m) * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)(n*m) * sizeof *b, "b", sizeof *b);
    const dim3 block(16, 16);
    const long long j_count = m - 2;
    const long long i_count = n - 2;
    const dim3 grid((j_count + 15) / 16, (i_count + 15) / 16);
    if (j_count > 0 && i_count > 0) {
        if (accache_disjoint(a, {b})) {
            for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::y, y_start);
                plane_L9_kernel<<<slice, block>>>(n, m, a_device, b_device, y_start);
                accache_launched("plane_L9_kernel", slice, block, 0, "plane.c", 9);
            }
        } else {
            for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::y, y_start);
                plane_L9_kernel_uncached<<<slice, block>>>(n, m, a_device, b_device, y_start);
                accache_launched("plane_L9_kernel_uncached", slice, block, 0, "plane.c", 9);
            }
        }
    }
    accache_wait("plane.c", 9);
    accache_data_end();
}

