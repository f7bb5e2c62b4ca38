
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void products_L7_kernel_a_fetch(float (&a_tile)[8][12], const float *a, int a_row, int a_column, long long pitch, long long begin, long long end)
{
    if (pitch >= 0 && a_row*pitch + a_column >= begin && (a_row + 7)*pitch + a_column + 11 < end) {
        const int k = threadIdx.y*32 + threadIdx.x;
        const int row = k/3;
        const int column = 4*(k%3);
        if (k < 24) {
            #pragma unroll
            for (int next = 0; next < 4; ++next)
                a_tile[row][column + next] = (&a[(a_row + row)*pitch + a_column + column])[next];
        }
    } else {
        const int k = threadIdx.y*32 + threadIdx.x;
        const int row = k/12;
        const int column = k%12;
        if (k < 96 && (a_row + row)*pitch + a_column + column >= begin && (a_row + row)*pitch + a_column + column < end)
            a_tile[row][column] = a[(a_row + row)*pitch + a_column + column];
    }
}

// All threads of the block copy the part of b they need, neighbouring elements side by side.
static __device__ __forceinline__ void products_L7_kernel_b_fetch(float (&b_tile)[12][64], const float *b, int b_row, int b_column, long long pitch, long long begin, long long end)
{
    if (pitch >= 0 && b_row*pitch + b_column >= begin && (b_row + 11)*pitch + b_column + 63 < end) {
        #pragma unroll
        for (int round = 0; round < 2; ++round) {
            const int k = threadIdx.y*32 + threadIdx.x + 128*round;
            const int row = k/16;
            const int column = 4*(k%16);
            if (k < 192) {
                #pragma unroll
                for (int next = 0; next < 4; ++next)
                    b_tile[row][column + next] = (&b[(b_row + row)*pitch + b_column + column])[next];
            }
        }
    } else {
        #pragma unroll 1
        for (int round = 0; round < 6; ++round) {
            const int k = threadIdx.y*32 + threadIdx.x + 128*round;
            const int row = k/64;
            const int column = k%64;
            if ((b_row + row)*pitch + b_column + column >= begin && (b_row + row)*pitch + b_column + column < end)
                b_tile[row][column] = b[(b_row + row)*pitch + b_column + column];
        }
    }
}

// products(), line 7: parallel over i_base, j_base, 32 x 4 threads a block.
// cache(a[i:1][l:12]): rbi, one tile a block.
// cache(b[l:12][j:1]): rbi, one tile a block.
static __global__ void __launch_bounds__(128) products_L7_kernel(int n, const float *__restrict__ a, const float *__restrict__ b, float *c, long long a_begin, long long a_end, long long b_begin, long long b_end)
{
    // The launch has made sure of this, so that neighbouring elements are loaded and stored at once:
    a = accache_aligned(a);
    b = accache_aligned(b);
    n = accache_multiple<4>(n);

    __shared__ __align__(16) float a_tile[8][12];
    __shared__ __align__(16) float b_tile[12][64];

    const int i_first = 8*blockIdx.y;
    const int i_base = i_first + 2*threadIdx.y;
    const int j_first = 64*blockIdx.x;
    const int j_base = j_first + threadIdx.x;
    const bool active = i_base < n && j_base < n;
    if (i_first + 7 < n && j_first + 63 < n) {
        float sum[2][2];
        #pragma unroll
        for (int di = 0; di < 2; ++di) {
            #pragma unroll
            for (int dj = 0; dj < 2; ++dj)
                sum[di][dj] = 0;
        }
        for (int l = 0; l < n; l += 12) {
            const int a_row = i_first;
            const int a_column = l;
            const int b_row = l;
            const int b_column = j_first;
            products_L7_kernel_a_fetch(a_tile, a, a_row, a_column, n, a_begin, a_end);
            products_L7_kernel_b_fetch(b_tile, b, b_row, b_column, n, b_begin, b_end);
            __syncthreads();
            if (l + 12 <= n) {
                #pragma unroll
                for (int t = 0; t < 12; ++t) {
                    #pragma unroll
                    for (int di = 0; di < 2; ++di) {
                        #pragma unroll
                        for (int dj = 0; dj < 2; ++dj)
                            sum[di][dj] += a_tile[2*threadIdx.y + di][t]*b_tile[t][threadIdx.x + 32*dj];
                    }
                }
            } else {
                for (int k = l; k < l + 12 && k < n; ++k) {
                    #pragma unroll
                    for (int di = 0; di < 2; ++di) {
                        #pragma unroll
                        for (int dj = 0; dj < 2; ++dj)
                            sum[di][dj] += a_tile[2*threadIdx.y + di][k - l]*b_tile[k - l][threadIdx.x + 32*dj];
                    }
                }
            }
            __syncthreads();
        }
        #pragma unroll
        for (int di = 0; di < 2; ++di) {
            #pragma unroll
            for (int dj = 0; dj < 2; ++dj) {
                const int i = i_base + di;
                const int j = j_base + 32*dj;
                c[i*n + j] = sum[di][dj];
            }
        }
    } else if (active) {
        if (i_base + 1 < n && j_base + 32 < n) {
            float sum[2][2];
            #pragma unroll
            for (int di = 0; di < 2; ++di) {
                #pragma unroll
                for (int dj = 0; dj < 2; ++dj)
                    sum[di][dj] = 0;
            }
            for (int l = 0; l < n; l += 12) {
                if (l + 12 <= n) {
                    #pragma unroll
                    for (int t = 0; t < 12; ++t) {
                        const int k = l + t;
                        #pragma unroll
                        for (int di = 0; di < 2; ++di) {
                            #pragma unroll
                            for (int dj = 0; dj < 2; ++dj) {
                                const int i = i_base + di;
                                const int j = j_base + 32*dj;
                                sum[di][dj] += a[i*n + k]*b[k*n + j];
                            }
                        }
                    }
                } else {
                    for (int k = l; k < l + 12 && k < n; ++k) {
                        #pragma unroll
                        for (int di = 0; di < 2; ++di) {
                            #pragma unroll
                            for (int dj = 0; dj < 2; ++dj) {
                                const int i = i_base + di;
                                const int j = j_base + 32*dj;
                                sum[di][dj] += a[i*n + k]*b[k*n + j];
                            }
                        }
                    }
                }
            }
            #pragma unroll
            for (int di = 0; di < 2; ++di) {
                #pragma unroll
                for (int dj = 0; dj < 2; ++dj) {
                    const int i = i_base + di;
                    const int j = j_base + 32*dj;
                    c[i*n + j] = sum[di][dj];
                }
            }
        } else {
            for (int i = i_base; i < i_base + 2 && i < n; ++i) {
                for (int j = j_base; j < j_base + 64 && j < n; j += 32) {
                    float sum = 0;
                    for (int l = 0; l < n; l += 12) {
                        for (int k = l; k < l + 12 && k < n; ++k)
                            sum += a[i*n + k]*b[k*n + j];
                    }
                    c[i*n + j] = sum;
                }
            }
        }
    }
}

// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void products_L7_kernel_unaligned_a_fetch(float (&a_tile)[8][12], const float *a, int a_row, int a_column, long long pitch, long long begin, long long end)
{
    const int k = threadIdx.y*32 + threadIdx.x;
    const int row = k/12;
    const int column = k%12;
    if (k < 96 && (a_row + row)*pitch + a_column + column >= begin && (a_row + row)*pitch + a_column + column < end)
        a_tile[row][column] = a[(a_row + row)*pitch + a_column + column];
}

// All threads of the block copy the part of b they need, neighbouring elements side by side.
static __device__ __forceinline__ void products_L7_kernel_unaligned_b_fetch(float (&b_tile)[12][64], const float *b, int b_row, int b_column, long long pitch, long long begin, long long end)
{
    if (pitch >= 0 && b_row*pitch + b_column >= begin && (b_row + 11)*pitch + b_column + 63 < end) {
        #pragma unroll
        for (int round = 0; round < 6; ++round) {
            const int k = threadIdx.y*32 + threadIdx.x + 128*round;
            const int row = k/64;
            const int column = k%64;
            b_tile[row][column] = b[(b_row + row)*pitch + b_column + column];
        }
    } else {
        #pragma unroll 1
        for (int round = 0; round < 6; ++round) {
            const int k = threadIdx.y*32 + threadIdx.x + 128*round;
            const int row = k/64;
            const int column = k%64;
            if ((b_row + row)*pitch + b_column + column >= begin && (b_row + row)*pitch + b_column + column < end)
                b_tile[row][column] = b[(b_row + row)*pitch + b_column + column];
        }
    }
}

// products(), line 7: parallel over i_base, j_base, 32 x 4 threads a block.
// cache(a[i:1][l:12]): rbi, one tile a block.
// cache(b[l:12][j:1]): rbi, one tile a block.
// The same without wide accesses of rows, for launches where these are not aligned.
static __global__ void __launch_bounds__(128) products_L7_kernel_unaligned(int n, const float *__restrict__ a, const float *__restrict__ b, float *c, long long a_begin, long long a_end, long long b_begin, long long b_end)
{
    __shared__ __align__(16) float a_tile[8][12];
    __shared__ __align__(16) float b_tile[12][64];

    const int i_first = 8*blockIdx.y;
    const int i_base = i_first + 2*threadIdx.y;
    const int j_first = 64*blockIdx.x;
    const int j_base = j_first + threadIdx.x;
    const bool active = i_base < n && j_base < n;
    if (i_first + 7 < n && j_first + 63 < n) {
        float sum[2][2];
        #pragma unroll
        for (int di = 0; di < 2; ++di) {
            #pragma unroll
            for (int dj = 0; dj < 2; ++dj)
                sum[di][dj] = 0;
        }
        for (int l = 0; l < n; l += 12) {
            const int a_row = i_first;
            const int a_column = l;
            const int b_row = l;
            const int b_column = j_first;
            products_L7_kernel_unaligned_a_fetch(a_tile, a, a_row, a_column, n, a_begin, a_end);
            products_L7_kernel_unaligned_b_fetch(b_tile, b, b_row, b_column, n, b_begin, b_end);
            __syncthreads();
            if (l + 12 <= n) {
                #pragma unroll
                for (int t = 0; t < 12; ++t) {
                    #pragma unroll
                    for (int di = 0; di < 2; ++di) {
                        #pragma unroll
                        for (int dj = 0; dj < 2; ++dj)
                            sum[di][dj] += a_tile[2*threadIdx.y + di][t]*b_tile[t][threadIdx.x + 32*dj];
                    }
                }
            } else {
                for (int k = l; k < l + 12 && k < n; ++k) {
                    #pragma unroll
                    for (int di = 0; di < 2; ++di) {
                        #pragma unroll
                        for (int dj = 0; dj < 2; ++dj)
                            sum[di][dj] += a_tile[2*threadIdx.y + di][k - l]*b_tile[k - l][threadIdx.x + 32*dj];
                    }
                }
            }
            __syncthreads();
        }
        #pragma unroll
        for (int di = 0; di < 2; ++di) {
            #pragma unroll
            for (int dj = 0; dj < 2; ++dj) {
                const int i = i_base + di;
                const int j = j_base + 32*dj;
                c[i*n + j] = sum[di][dj];
            }
        }
    } else if (active) {
        if (i_base + 1 < n && j_base + 32 < n) {
            float sum[2][2];
            #pragma unroll
            for (int di = 0; di < 2; ++di) {
                #pragma unroll
                for (int dj = 0; dj < 2; ++dj)
                    sum[di][dj] = 0;
            }
            for (int l = 0; l < n; l += 12) {
                if (l + 12 <= n) {
                    #pragma unroll
                    for (int t = 0; t < 12; ++t) {
                        const int k = l + t;
                        #pragma unroll
                        for (int di = 0; di < 2; ++di) {
                            #pragma unroll
                            for (int dj = 0; dj < 2; ++dj) {
                                const int i = i_base + di;
                                const int j = j_base + 32*dj;
                                sum[di][dj] += a[i*n + k]*b[k*n + j];
                            }
                        }
                    }
                } else {
                    for (int k = l; k < l + 12 && k < n; ++k) {
                        #pragma unroll
                        for (int di = 0; di < 2; ++di) {
                            #pragma unroll
                            for (int dj = 0; dj < 2; ++dj) {
                                const int i = i_base + di;
                                const int j = j_base + 32*dj;
                                sum[di][dj] += a[i*n + k]*b[k*n + j];
                            }
                        }
                    }
                }
            }
            #pragma unroll
            for (int di = 0; di < 2; ++di) {
                #pragma unroll
                for (int dj = 0; dj < 2; ++dj) {
                    const int i = i_base + di;
                    const int j = j_base + 32*dj;
                    c[i*n + j] = sum[di][dj];
                }
            }
        } else {
            for (int i = i_base; i < i_base + 2 && i < n; ++i) {
                for (int j = j_base; j < j_base + 64 && j < n; j += 32) {
                    float sum = 0;
                    for (int l = 0; l < n; l += 12) {
                        for (int k = l; k < l + 12 && k < n; ++k)
                            sum += a[i*n + k]*b[k*n + j];
                    }
                    c[i*n + j] = sum;
                }
            }
        }
    }
}

// Launch for line 7: map the data, run the kernel, unmap.
extern "C" void products_L7(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    accache_data_begin("products.c", 7);
    const float *__restrict__ a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)(n*n) * sizeof *a, "a", sizeof *a);
    const float *__restrict__ b_device = (const float *)accache_map(ACCACHE_COPYIN, b, (size_t)(n*n) * sizeof *b, "b", sizeof *b);
    float *__restrict__ c_device = (float *)accache_map(ACCACHE_COPYOUT, c, (size_t)(n*n) * sizeof *c, "c", sizeof *c);
    const dim3 block(32, 4);
    const long long j_count = n;
    const long long i_count = n;
    const dim3 grid((j_count + 63) / 64, (i_count + 7) / 8);
    if (j_count > 0 && i_count > 0) {
        if (accache_aligned({a_device, b_device}) && n % 4 == 0) {
            const accache_extent a_extent = accache_extent_of(a, sizeof(float));
            const accache_extent b_extent = accache_extent_of(b, sizeof(float));
            products_L7_kernel<<<grid, block>>>(n, a_device, b_device, c_device, a_extent.first, a_extent.end, b_extent.first, b_extent.end);
            accache_launched("products_L7_kernel", grid, block, 0, "products.c", 7);
        } else {
            const accache_extent a_extent = accache_extent_of(a, sizeof(float));
            const accache_extent b_extent = accache_extent_of(b, sizeof(float));
            products_L7_kernel_unaligned<<<grid, block>>>(n, a_device, b_device, c_device, a_extent.first, a_extent.end, b_extent.first, b_extent.end);
            accache_launched("products_L7_kernel_unaligned", grid, block, 0, "products.c", 7);
        }
    }
    accache_wait("products.c", 7);
    accache_data_end();
}

