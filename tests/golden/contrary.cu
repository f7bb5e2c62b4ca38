
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void contrary_L8_kernel_a_fetch(float (&a_tile)[16][16], const float *a, int a_row, int a_column, long long pitch, int rows, long long begin, long long end)
{
    const int k = threadIdx.y*16 + threadIdx.x;
    const int row = k/16;
    const int column = k%16;
    if (row < rows && (a_row + row)*pitch + a_column + column >= begin && (a_row + row)*pitch + a_column + column < end)
        a_tile[row][column] = a[(a_row + row)*pitch + a_column + column];
}

// All threads of the block copy the part of b they need, neighbouring elements side by side.
static __device__ __forceinline__ void contrary_L8_kernel_b_fetch(float (&b_tile)[16][16 + 1], const float *b, int b_row, int b_column, long long pitch, int rows, long long begin, long long end)
{
    const int k = threadIdx.y*16 + threadIdx.x;
    const int row = k/16;
    const int column = k%16;
    if (row < rows && (b_row + row)*pitch + b_column + column >= begin && (b_row + row)*pitch + b_column + column < end)
        b_tile[row][column] = b[(b_row + row)*pitch + b_column + column];
}

// contrary(), line 8: parallel over i, j, 16 x 16 threads a block.
// cache(c[j:1][i:1]): rbi, one tile a block, write-back.
// cache(a[i:1][l:TILE]): rbi, one tile a block.
// cache(b[j:1][l:TILE]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) contrary_L8_kernel(int n, float *c, int m, const float *__restrict__ a, const float *__restrict__ b, long long a_begin, long long a_end, long long b_begin, long long b_end, unsigned y_start)
{
    __shared__ float c_tile[16][16 + 1];
    __shared__ __align__(16) float a_tile[16][16];
    __shared__ float b_tile[16][16 + 1];

    const int i_first = 16*(y_start + blockIdx.y);
    const int i = i_first + threadIdx.y;
    const int j_first = 16*blockIdx.x;
    const int j = j_first + threadIdx.x;
    const bool active = i < n && j < n;
    const int i_width = min(16, n - i_first);
    const int j_width = min(16, n - j_first);
    if (active)
        c_tile[threadIdx.x][threadIdx.y] = 1;
    for (int l = 0; l < m; l += 16) {
        const int a_row = i_first;
        const int a_column = l;
        const int b_row = j_first;
        const int b_column = l;
        contrary_L8_kernel_a_fetch(a_tile, a, a_row, a_column, m, i_width, a_begin, a_end);
        contrary_L8_kernel_b_fetch(b_tile, b, b_row, b_column, m, j_width, b_begin, b_end);
        __syncthreads();
        if (active) {
            if (l + 16 <= m) {
                for (int t = 0; t < 16; ++t)
                    c_tile[threadIdx.x][threadIdx.y] += a_tile[threadIdx.y][t] - b_tile[threadIdx.x][t];
            } else {
                for (int k = l; k < l + 16 && k < m; ++k)
                    c_tile[threadIdx.x][threadIdx.y] += a_tile[threadIdx.y][k - l] - b_tile[threadIdx.x][k - l];
            }
        }
        __syncthreads();
    }
    if (active)
        c[j*n + i] = c_tile[threadIdx.x][threadIdx.y];
}

// contrary(), line 8: parallel over i, j, 16 x 16 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) contrary_L8_kernel_uncached(int n, float *c, int m, const float *a, const float *b, unsigned y_start)
{
    const int i = 16*(y_start + blockIdx.y) + threadIdx.y;
    const int j = 16*blockIdx.x + threadIdx.x;
    if (i < n && j < n) {
        c[j*n + i] = 1;
        for (int l = 0; l < m; l += 16) {
            if (l + 16 <= m) {
                for (int t = 0; t < 16; ++t) {
                    const int k = l + t;
                    c[j*n + i] += a[i*m + k] - b[j*m + k];
                }
            } else {
                for (int k = l; k < l + 16 && k < m; ++k)
                    c[j*n + i] += a[i*m + k] - b[j*m + k];
            }
        }
    }
}

// Launch for line 8: map the data, run the kernel, unmap.
extern "C" void contrary_L8(int n, float *c, int m, const float *a, const float *b)
{
    accache_data_begin("contrary.c", 8);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(n*m) * sizeof *a, "a", sizeof *a);
    const float *b_device = (const float *)accache_map(ACCACHE_COPYIN, b, (size_t)(n*m) * sizeof *b, "b", sizeof *b);
    float *c_device = (float *)accache_map(ACCACHE_COPY, c, (size_t)(n*n) * sizeof *c, "c", sizeof *c);
    const dim3 block(16, 16);
    const long long j_count = n;
    const long long i_count = n;
    const dim3 grid((j_count + 15) / 16, (i_count + 15) / 16);
    if (j_count > 0 && i_count > 0) {
        if (accache_disjoint(c, {a, b})) {
            const accache_extent a_extent = accache_extent_of(a, sizeof(float));
            const accache_extent b_extent = accache_extent_of(b, sizeof(float));
            for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::y, y_start);
                contrary_L8_kernel<<<slice, block>>>(n, c_device, m, a_device, b_device, a_extent.first, a_extent.end, b_extent.first, b_extent.end, y_start);
                accache_launched("contrary_L8_kernel", slice, block, 0, "contrary.c", 8);
            }
        } else {
            for (unsigned y_start = 0; y_start < grid.y; y_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::y, y_start);
                contrary_L8_kernel_uncached<<<slice, block>>>(n, c_device, m, a_device, b_device, y_start);
                accache_launched("contrary_L8_kernel_uncached", slice, block, 0, "contrary.c", 8);
            }
        }
    }
    accache_wait("contrary.c", 8);
    accache_data_end();
}

