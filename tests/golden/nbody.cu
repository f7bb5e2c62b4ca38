
// All threads of the block copy the part of x they need, neighbouring elements side by side.
static __device__ __forceinline__ void nbody_L28_kernel_x_fetch(float (&x_tile)[256], const float *x, int x_start, long long begin, long long end)
{
    #pragma unroll
    for (int k = threadIdx.x; k < 256; k += 256) {
        if (x_start + k >= begin && x_start + k < end)
            x_tile[k] = x[x_start + k];
    }
}

// All threads of the block copy the part of y they need, neighbouring elements side by side.
static __device__ __forceinline__ void nbody_L28_kernel_y_fetch(float (&y_tile)[256], const float *y, int y_start, long long begin, long long end)
{
    #pragma unroll
    for (int k = threadIdx.x; k < 256; k += 256) {
        if (y_start + k >= begin && y_start + k < end)
            y_tile[k] = y[y_start + k];
    }
}

// All threads of the block copy the part of z they need, neighbouring elements side by side.
static __device__ __forceinline__ void nbody_L28_kernel_z_fetch(float (&z_tile)[256], const float *z, int z_start, long long begin, long long end)
{
    #pragma unroll
    for (int k = threadIdx.x; k < 256; k += 256) {
        if (z_start + k >= begin && z_start + k < end)
            z_tile[k] = z[z_start + k];
    }
}

// All threads of the block copy the part of m they need, neighbouring elements side by side.
static __device__ __forceinline__ void nbody_L28_kernel_m_fetch(float (&m_tile)[256], const float *m, int m_start, long long begin, long long end)
{
    #pragma unroll
    for (int k = threadIdx.x; k < 256; k += 256) {
        if (m_start + k >= begin && m_start + k < end)
            m_tile[k] = m[m_start + k];
    }
}

// nbody(), line 28: parallel over i, 256 threads a block.
// cache(x[t:CHUNK]): rbi, one tile a block.
// cache(y[t:CHUNK]): rbi, one tile a block.
// cache(z[t:CHUNK]): rbi, one tile a block.
// cache(m[t:CHUNK]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) nbody_L28_kernel(int n, const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z, const float *__restrict__ m, float *__restrict__ u, float *__restrict__ v, float *__restrict__ w, long long x_begin, long long x_end, long long y_begin, long long y_end, long long z_begin, long long z_end, long long m_begin, long long m_end)
{
    __shared__ float x_tile[256];
    __shared__ float y_tile[256];
    __shared__ float z_tile[256];
    __shared__ float m_tile[256];

    const int i = 256*blockIdx.x + threadIdx.x;
    const bool active = i < n;
    float xi;
    float yi;
    float zi;
    float ax = 0;
    float ay = 0;
    float az = 0;
    if (active) {
        xi = x[i];
        yi = y[i];
        zi = z[i];
    }
    for (int t = 0; t < n; t += 256) {
        const int x_start = t;
        const int y_start = t;
        const int z_start = t;
        const int m_start = t;
        nbody_L28_kernel_x_fetch(x_tile, x, x_start, x_begin, x_end);
        nbody_L28_kernel_y_fetch(y_tile, y, y_start, y_begin, y_end);
        nbody_L28_kernel_z_fetch(z_tile, z, z_start, z_begin, z_end);
        nbody_L28_kernel_m_fetch(m_tile, m, m_start, m_begin, m_end);
        __syncthreads();
        if (active) {
            int end = t + 256 < n ? t + 256 : n;
            for (int j = t; j < end; ++j) {
                float dx = x_tile[j - t] - xi;
                float dy = y_tile[j - t] - yi;
                float dz = z_tile[j - t] - zi;
                float inverse = 1/sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f))));
                float pull = m_tile[j - t]*inverse*inverse*inverse;
                ax = fmaf(pull, dx, ax);
                ay = fmaf(pull, dy, ay);
                az = fmaf(pull, dz, az);
            }
        }
        __syncthreads();
    }
    if (active) {
        u[i] = fmaf(ax, 0.001f, u[i]);
        v[i] = fmaf(ay, 0.001f, v[i]);
        w[i] = fmaf(az, 0.001f, w[i]);
    }
}

// nbody(), line 28: parallel over i, 256 threads a block.
static __global__ void __launch_bounds__(256) nbody_L28_kernel_uncached(int n, const float *x, const float *y, const float *z, const float *m, float *u, float *v, float *w)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        float xi = x[i];
        float yi = y[i];
        float zi = z[i];
        float ax = 0;
        float ay = 0;
        float az = 0;
        for (int t = 0; t < n; t += 256) {
            int end = t + 256 < n ? t + 256 : n;
            for (int j = t; j < end; ++j) {
                float dx = x[j] - xi;
                float dy = y[j] - yi;
                float dz = z[j] - zi;
                float inverse = 1/sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f))));
                float pull = m[j]*inverse*inverse*inverse;
                ax = fmaf(pull, dx, ax);
                ay = fmaf(pull, dy, ay);
                az = fmaf(pull, dz, az);
            }
        }
        u[i] = fmaf(ax, 0.001f, u[i]);
        v[i] = fmaf(ay, 0.001f, v[i]);
        w[i] = fmaf(az, 0.001f, w[i]);
    }
}

// Launch for line 28: map the data, run the kernel, unmap.
extern "C" void nbody_L28(int n, float *x, float *y, float *z, const float *m, float *u, float *v, float *w)
{
    accache_data_begin("nbody.c", 28);
    float *x_device = (float *)accache_device_pointer(x, "x");
    float *y_device = (float *)accache_device_pointer(y, "y");
    float *z_device = (float *)accache_device_pointer(z, "z");
    const float *m_device = (const float *)accache_device_pointer(m, "m");
    float *u_device = (float *)accache_device_pointer(u, "u");
    float *v_device = (float *)accache_device_pointer(v, "v");
    float *w_device = (float *)accache_device_pointer(w, "w");
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        if (!accache_overlap(x_device, u_device) && !accache_overlap(x_device, v_device) && !accache_overlap(x_device, w_device) && !accache_overlap(y_device, u_device) && !accache_overlap(y_device, v_device) && !accache_overlap(y_device, w_device) && !accache_overlap(z_device, u_device) && !accache_overlap(z_device, v_device) && !accache_overlap(z_device, w_device) && !accache_overlap(m_device, u_device) && !accache_overlap(m_device, v_device) && !accache_overlap(m_device, w_device) && !accache_overlap(u_device, v_device) && !accache_overlap(u_device, w_device) && !accache_overlap(v_device, w_device)) {
            const accache_extent x_extent = accache_extent_of(x_device, sizeof(float));
            const accache_extent y_extent = accache_extent_of(y_device, sizeof(float));
            const accache_extent z_extent = accache_extent_of(z_device, sizeof(float));
            const accache_extent m_extent = accache_extent_of(m_device, sizeof(float));
            nbody_L28_kernel<<<grid, block>>>(n, x_device, y_device, z_device, m_device, u_device, v_device, w_device, x_extent.first, x_extent.end, y_extent.first, y_extent.end, z_extent.first, z_extent.end, m_extent.first, m_extent.end);
            accache_launched("nbody_L28_kernel", grid, block, 0, "nbody.c", 28);
        } else {
            nbody_L28_kernel_uncached<<<grid, block>>>(n, x_device, y_device, z_device, m_device, u_device, v_device, w_device);
            accache_launched("nbody_L28_kernel_uncached", grid, block, 0, "nbody.c", 28);
        }
    }
    accache_wait("nbody.c", 28);
    accache_data_end();
}

// nbody(), line 48: parallel over i, 256 threads a block.
static __global__ void __launch_bounds__(256) nbody_L48_kernel(int n, float *x, const float *u, float *y, const float *v, float *z, const float *w)
{
    const int i = 256*blockIdx.x + threadIdx.x;
    if (i < n) {
        x[i] = fmaf(u[i], 0.001f, x[i]);
        y[i] = fmaf(v[i], 0.001f, y[i]);
        z[i] = fmaf(w[i], 0.001f, z[i]);
    }
}

// Launch for line 48: map the data, run the kernel, unmap.
extern "C" void nbody_L48(int n, float *x, float *u, float *y, float *v, float *z, float *w)
{
    accache_data_begin("nbody.c", 48);
    float *x_device = (float *)accache_device_pointer(x, "x");
    float *u_device = (float *)accache_device_pointer(u, "u");
    float *y_device = (float *)accache_device_pointer(y, "y");
    float *v_device = (float *)accache_device_pointer(v, "v");
    float *z_device = (float *)accache_device_pointer(z, "z");
    float *w_device = (float *)accache_device_pointer(w, "w");
    const dim3 block(256);
    const long long i_count = n;
    const dim3 grid((i_count + 255) / 256);
    if (i_count > 0) {
        nbody_L48_kernel<<<grid, block>>>(n, x_device, u_device, y_device, v_device, z_device, w_device);
        accache_launched("nbody_L48_kernel", grid, block, 0, "nbody.c", 48);
    }
    accache_wait("nbody.c", 48);
    accache_data_end();
}

