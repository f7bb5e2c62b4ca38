
// All threads of the block copy the part of a they need, neighbouring elements side by side.
static __device__ __forceinline__ void assumed_L11_kernel_a_fetch(float (&a_tile)[258], const float *a, int a_start, int count)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        const int k = threadIdx.x + 256*round;
        if (k < count)
            a_tile[k] = a[a_start + k];
    }
}

// assumed(), line 11: parallel over i, 256 threads a block.
// cache(a[i-1:3]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) assumed_L11_kernel(int n, const float *__restrict__ a, float *c, int have)
{
    __shared__ __align__(16) float a_tile[258];

    const int i_first = 256*blockIdx.x + 1;
    const int i = i_first + threadIdx.x;
    const bool active = i < n - 1;
    const int i_width = min(256, n - 1 - i_first);
    const int a_start = i_first - 1;
    assumed_L11_kernel_a_fetch(a_tile, a, a_start, i_width + 2);
    __syncthreads();
    if (active) {
        c[i] += a_tile[threadIdx.x];
        if (i + 1 < have)
            c[i] -= 2*a_tile[threadIdx.x + 2];
    }
}

// assumed(), line 11: parallel over i, 256 threads a block.
// The same without caches, for launches where arrays overlap or an array is shorter than assumed.
static __global__ void __launch_bounds__(256) assumed_L11_kernel_uncached(int n, const float *a, float *c, int have)
{
    const int i = 256*blockIdx.x + threadIdx.x + 1;
    if (i < n - 1) {
        c[i] += a[i - 1];
        if (i + 1 < have)
            c[i] -= 2*a[i + 1];
    }
}

// Launch for line 11: map the data, run the kernel, unmap.
extern "C" void assumed_L11(int n, const float *a, float *c, int have)
{
    accache_data_begin("assumed.c", 11);
    const float *a_device = (const float *)accache_device_pointer(a, "a");
    float *c_device = (float *)accache_device_pointer(c, "c");
    const dim3 block(256);
    const long long i_count = n - 2;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (accache_disjoint(a, {c}) && accache_holds(a, sizeof(float), 0, n)) {
            assumed_L11_kernel<<<grid, block>>>(n, a_device, c_device, have);
            accache_launched("assumed_L11_kernel", grid, block, 0, "assumed.c", 11);
        } else {
            assumed_L11_kernel_uncached<<<grid, block>>>(n, a_device, c_device, have);
            accache_launched("assumed_L11_kernel_uncached", grid, block, 0, "assumed.c", 11);
        }
    }
    accache_wait("assumed.c", 11);
    accache_data_end();
}

