
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void gemm_L24_kernel_a_fetch(float (&a_tile)[16][16], const float *a, int a_row, int a_column, long long pitch, int rows, long long begin, long long end)
{
    const int k = threadIdx.y*16 + threadIdx.x;
    const int row = k/16;
    const int column = k%16;
    if (row < rows && (a_row + row)*pitch + a_column + column >= begin && (a_row + row)*pitch + a_column + column < end)
        a_tile[row][column] = a[(a_row + row)*pitch + a_column + column];
}

// All threads of the block copy the part of b they need, neighbouring elements side by side.
static __device__ __forceinline__ void gemm_L24_kernel_b_fetch(float (&b_tile)[16][16], const float *b, int b_row, int b_column, long long pitch, int columns, long long begin, long long end)
{
    const int k = threadIdx.y*16 + threadIdx.x;
    const int row = k/16;
    const int column = k%16;
    if (column < columns && (b_row + row)*pitch + b_column + column >= begin && (b_row + row)*pitch + b_column + column < end)
        b_tile[row][column] = b[(b_row + row)*pitch + b_column + column];
}

// gemm(), line 24: parallel over i, j, 16 x 16 threads a block.
// cache(a[i:1][l:TILE]): rbi, one tile a block.
// cache(b[l:TILE][j:1]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) gemm_L24_kernel(int n, const float *__restrict__ a, const float *__restrict__ b, float *c, long long a_begin, long long a_end, long long b_begin, long long b_end)
{
    __shared__ __align__(16) float a_tile[16][16];
    __shared__ __align__(16) float b_tile[16][16];

    const int i_first = 16*blockIdx.y;
    const int i = i_first + threadIdx.y;
    const int j_first = 16*blockIdx.x;
    const int j = j_first + threadIdx.x;
    const bool active = i < n && j < n;
    const int i_width = min(16, n - i_first);
    const int j_width = min(16, n - j_first);
    float sum = 0;
    for (int l = 0; l < n; l += 16) {
        const int a_row = i_first;
        const int a_column = l;
        const int b_row = l;
        const int b_column = j_first;
        gemm_L24_kernel_a_fetch(a_tile, a, a_row, a_column, n, i_width, a_begin, a_end);
        gemm_L24_kernel_b_fetch(b_tile, b, b_row, b_column, n, j_width, b_begin, b_end);
        __syncthreads();
        if (active) {
            if (l + 16 <= n) {
                for (int t = 0; t < 16; ++t)
                    sum += a_tile[threadIdx.y][t]*b_tile[t][threadIdx.x];
            } else {
                for (int k = l; k < l + 16 && k < n; ++k)
                    sum += a_tile[threadIdx.y][k - l]*b_tile[k - l][threadIdx.x];
            }
        }
        __syncthreads();
    }
    if (active)
        c[i*n + j] = sum;
}

// gemm(), line 24: parallel over i, j, 16 x 16 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) gemm_L24_kernel_uncached(int n, const float *a, const float *b, float *c)
{
    const int i = 16*blockIdx.y + threadIdx.y;
    const int j = 16*blockIdx.x + threadIdx.x;
    if (i < n && j < n) {
        float sum = 0;
        for (int l = 0; l < n; l += 16) {
            if (l + 16 <= n) {
                for (int t = 0; t < 16; ++t) {
                    const int k = l + t;
                    sum += a[i*n + k]*b[k*n + j];
                }
            } else {
                for (int k = l; k < l + 16 && k < n; ++k)
                    sum += a[i*n + k]*b[k*n + j];
            }
        }
        c[i*n + j] = sum;
    }
}

// Launch for line 24: map the data, run the kernel, unmap.
extern "C" void gemm_L24(int n, const float *a, const float *b, float *c)
{
    accache_data_begin("gemm.c", 24);
    const float *a_device = (const float *)accache_device_pointer(a, "a");
    const float *b_device = (const float *)accache_device_pointer(b, "b");
    float *c_device = (float *)accache_device_pointer(c, "c");
    const dim3 block(16, 16);
    const long long j_count = n;
    const long long i_count = n;
    const dim3 grid((j_count + 15) / 16, (i_count + 15) / 16);
    if (j_count > 0 && i_count > 0) {
        if (accache_disjoint(c, {a, b})) {
            const accache_extent a_extent = accache_extent_of(a, sizeof(float));
            const accache_extent b_extent = accache_extent_of(b, sizeof(float));
            gemm_L24_kernel<<<grid, block>>>(n, a_device, b_device, c_device, a_extent.first, a_extent.end, b_extent.first, b_extent.end);
            accache_launched("gemm_L24_kernel", grid, block, 0, "gemm.c", 24);
        } else {
            gemm_L24_kernel_uncached<<<grid, block>>>(n, a_device, b_device, c_device);
            accache_launched("gemm_L24_kernel_uncached", grid, block, 0, "gemm.c", 24);
        }
    }
    accache_wait("gemm.c", 24);
    accache_data_end();
}

