
// histogram(), line 26: parallel over chunk, bin, 64 threads a block.
static __global__ void __launch_bounds__(64) histogram_L26_kernel(int n, const int *data, int *partial)
{
    __shared__ int local[64];

    const int chunk = blockIdx.x;
    int start = chunk*1024;
    int end = start + 1024 < n ? start + 1024 : n;
    {
        const int bin = threadIdx.x;
        local[bin] = 0;
    }
    {
        const int bin = threadIdx.x;
        for (int i = start; i < end; ++i) {
            if (data[i] == bin)
                ++local[bin];
        }
    }
    __syncthreads();
    {
        const int bin = threadIdx.x;
        int sum = 0;
        for (int lower = 0; lower <= bin; ++lower)
            sum += local[lower];
        partial[chunk*64 + bin] = sum;
    }
}

// Launch for line 26: map the data, run the kernel, unmap.
extern "C" void histogram_L26(int chunks, int n, const int *data, int *partial)
{
    accache_data_begin("histogram.c", 26);
    const int *data_device = (const int *)accache_device_pointer(data, "data");
    int *partial_device = (int *)accache_device_pointer(partial, "partial");
    const dim3 block(64);
    const long long chunk_count = chunks;
    const dim3 grid(chunk_count);
    if (chunk_count > 0) {
        histogram_L26_kernel<<<grid, block>>>(n, data_device, partial_device);
        accache_launched("histogram_L26_kernel", grid, block, 0, "histogram.c", 26);
    }
    accache_wait("histogram.c", 26);
    accache_data_end();
}

// histogram(), line 48: parallel over bin, 64 threads a block.
static __global__ void __launch_bounds__(64) histogram_L48_kernel(int chunks, const int *partial, int *cumulative)
{
    const int bin = threadIdx.x;
    int sum = 0;
    for (int chunk = 0; chunk < chunks; ++chunk)
        sum += partial[chunk*64 + bin];
    cumulative[bin] = sum;
}

// Launch for line 48: map the data, run the kernel, unmap.
extern "C" void histogram_L48(int chunks, int *partial, int *cumulative)
{
    accache_data_begin("histogram.c", 48);
    int *partial_device = (int *)accache_device_pointer(partial, "partial");
    int *cumulative_device = (int *)accache_device_pointer(cumulative, "cumulative");
    const dim3 block(64);
    const dim3 grid(1);
    histogram_L48_kernel<<<grid, block>>>(chunks, partial_device, cumulative_device);
    accache_launched("histogram_L48_kernel", grid, block, 0, "histogram.c", 48);
    accache_wait("histogram.c", 48);
    accache_data_end();
}

