
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void solid_L6_kernel_a_fetch(float (&a_tile)[5][5][18], const float *a, int a_start0, int a_start1, int a_start2, long long pitch, long long pitch1, int count0, int count1, int count2)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.z*64 + threadIdx.y*16 + threadIdx.x + 256*round;
        const int position0 = k/90;
        const int position1 = k%90/18;
        const int position2 = k%18;
        if (position0 < count0 && position1 < count1 && position2 < count2)
            a_tile[position0][position1][position2] = a[(a_start0 + position0)*pitch + (a_start1 + position1)*pitch1 + a_start2 + position2];
    }
}

// solid(), line 6: parallel over i, j, k, 16 x 4 x 4 threads a block.
// cache(a[i-1:2][j:2][k-1:3]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) solid_L6_kernel(int n, int m, int l, const float *__restrict__ a, float *b, unsigned z_start)
{
    __shared__ float a_tile[5][5][18];

    const int i_first = 4*(z_start + blockIdx.z) + 1;
    const int i = i_first + threadIdx.z;
    const int j_first = 4*blockIdx.y;
    const int j = j_first + threadIdx.y;
    const int k_first = 16*blockIdx.x + 1;
    const int k = k_first + threadIdx.x;
    const bool active = i < n && j < m - 1 && k < l - 1;
    const int i_width = min(4, n - i_first);
    const int j_width = min(4, m - 1 - j_first);
    const int k_width = min(16, l - 1 - k_first);
    const int a_start0 = i_first - 1;
    const int a_start1 = j_first;
    const int a_start2 = k_first - 1;
    solid_L6_kernel_a_fetch(a_tile, a, a_start0, a_start1, a_start2, (long long)m*l, l, i_width + 1, j_width + 1, k_width + 2);
    __syncthreads();
    if (active)
        b[((long long)i*m + j)*l + k] = a_tile[threadIdx.z][threadIdx.y][threadIdx.x + 1] + 2*a_tile[threadIdx.z + 1][threadIdx.y + 1][threadIdx.x + 1] + 3*a_tile[threadIdx.z + 1][threadIdx.y][threadIdx.x] + 4*a_tile[threadIdx.z + 1][threadIdx.y][threadIdx.x + 2];
}

// solid(), line 6: parallel over i, j, k, 16 x 4 x 4 threads a block.
// The same without caches, for launches where arrays overlap.
static __global__ void __launch_bounds__(256) solid_L6_kernel_uncached(int n, int m, int l, const float *a, float *b, unsigned z_start)
{
    const int i = 4*(z_start + blockIdx.z) + threadIdx.z + 1;
    const int j = 4*blockIdx.y + threadIdx.y;
    const int k = 16*blockIdx.x + threadIdx.x + 1;
    if (i < n && j < m - 1 && k < l - 1)
        b[((long long)i*m + j)*l + k] = a[((long long)(i - 1)*m + j)*l + k] + 2*a[((long long)i*m + (j + 1))*l + k] + 3*a[((long long)i*m + j)*l + (k - 1)] + 4*a[((long long)i*m + j)*l + (k + 1)];
}

// Launch for line 6: map the data, run the kernel, unmap.
extern "C" void solid_L6(int n, int m, int l, const float *a, float *b)
{
    accache_data_begin("solid.c", 6);
    const float *a_device = (const float *)accache_map(ACCACHE_COPYIN, a, (size_t)n * (size_t)m * l * sizeof *a, "a", sizeof *a);
    float *b_device = (float *)accache_map(ACCACHE_COPY, b, (size_t)n * (size_t)m * l * sizeof *b, "b", sizeof *b);
    const dim3 block(16, 4, 4);
    const long long k_count = l - 2;
    const long long j_count = m - 1;
    const long long i_count = n - 1;
    const dim3 grid((k_count + 15) / 16, (j_count + 3) / 4, (i_count + 3) / 4);
    if (k_count > 0 && j_count > 0 && i_count > 0) {
        if (accache_disjoint(a, {b})) {
            for (unsigned z_start = 0; z_start < grid.z; z_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::z, z_start);
                solid_L6_kernel<<<slice, block>>>(n, m, l, a_device, b_device, z_start);
                accache_launched("solid_L6_kernel", slice, block, 0, "solid.c", 6);
            }
        } else {
            for (unsigned z_start = 0; z_start < grid.z; z_start += 65535) {
                const dim3 slice = accache_slice(grid, &dim3::z, z_start);
                solid_L6_kernel_uncached<<<slice, block>>>(n, m, l, a_device, b_device, z_start);
                accache_launched("solid_L6_kernel_uncached", slice, block, 0, "solid.c", 6);
            }
        }
    }
    accache_wait("solid.c", 6);
    accache_data_end();
}

