
// All threads of the block copy the parts of x, y, z and m they need, neighbouring elements side by side.
static __device__ __forceinline__ void nbody_L28_kernel_x_y_z_m_fetch(float (&x_tile)[256], float (&y_tile)[256], float (&z_tile)[256], float (&m_tile)[256], const float *x, const float *y, const float *z, const float *m, int tile_start, long long x_begin, long long x_end, long long y_begin, long long y_end, long long z_begin, long long z_end, long long m_begin, long long m_end)
{
    const int k = threadIdx.x;
    if (tile_start + k >= x_begin && tile_start + k < x_end)
        x_tile[k] = x[tile_start + k];
    if (tile_start + k >= y_begin && tile_start + k < y_end)
        y_tile[k] = y[tile_start + k];
    if (tile_start + k >= z_begin && tile_start + k < z_end)
        z_tile[k] = z[tile_start + k];
    if (tile_start + k >= m_begin && tile_start + k < m_end)
        m_tile[k] = m[tile_start + k];
}

// nbody(), line 28: parallel over i, 256 threads a block.
// cache(x[t:CHUNK]): rbi, one tile a block.
// cache(y[t:CHUNK]): rbi, one tile a block.
// cache(z[t:CHUNK]): rbi, one tile a block.
// cache(m[t:CHUNK]): rbi, one tile a block.
static __global__ void __launch_bounds__(256) nbody_L28_kernel(int n, const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z, const float *__restrict__ m, float *u, float *v, float *w, long long x_begin, long long x_end, long long y_begin, long long y_end, long long z_begin, long long z_end, long long m_begin, long long m_end)
{
    __shared__ __align__(16) float x_tile[256];
    __shared__ __align__(16) float y_tile[256];
    __shared__ __align__(16) float z_tile[256];
    __shared__ __align__(16) float m_tile[256];

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
        const int tile_start = t;
        nbody_L28_kernel_x_y_z_m_fetch(x_tile, y_tile, z_tile, m_tile, x, y, z, m, tile_start, x_begin, x_end, y_begin, y_end, z_begin, z_end, m_begin, m_end);
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
// The same without caches, for launches where arrays overlap.
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
        if (accache_disjoint({{u, {x, y, z, m, v, w}}, {v, {x, y, z, m, w}}, {w, {x, y, z, m}}})) {
            const accache_extent x_extent = accache_extent_of(x, sizeof(float));
            const accache_extent y_extent = accache_extent_of(y, sizeof(float));
            const accache_extent z_extent = accache_extent_of(z, sizeof(float));
            const accache_extent m_extent = accache_extent_of(m, sizeof(float));
            accache_fetches(x_extent, 0, 0, (long long)n - 1, "x");
            accache_fetches(y_extent, 0, 0, (long long)n - 1, "y");
            accache_fetches(z_extent, 0, 0, (long long)n - 1, "z");
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

