// The N-body simulation of samples/nbody.c, written by hand in CUDA.
#define BLOCK 256
#define SOFTENING 0.01f
#define TIME_STEP 0.001f

__global__ void attract(const float *x, const float *y, const float *z, float *u, float *v, float *w,
                        const float *m, int n)
{
    __shared__ float tile_x[BLOCK], tile_y[BLOCK], tile_z[BLOCK], tile_m[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float xi = i < n ? x[i] : 0, yi = i < n ? y[i] : 0, zi = i < n ? z[i] : 0;
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += BLOCK) {
        int j = t + threadIdx.x;
        if (j < n) {
            tile_x[threadIdx.x] = x[j];
            tile_y[threadIdx.x] = y[j];
            tile_z[threadIdx.x] = z[j];
            tile_m[threadIdx.x] = m[j];
        }
        __syncthreads();
        int count = min(BLOCK, n - t);
        for (int k = 0; k < count; ++k) {
            float dx = tile_x[k] - xi, dy = tile_y[k] - yi, dz = tile_z[k] - zi;
            float inverse = 1 / sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFTENING))));
            float pull = tile_m[k] * inverse * inverse * inverse;
            ax = fmaf(pull, dx, ax);
            ay = fmaf(pull, dy, ay);
            az = fmaf(pull, dz, az);
        }
        __syncthreads();
    }
    if (i < n) {
        u[i] = fmaf(ax, TIME_STEP, u[i]);
        v[i] = fmaf(ay, TIME_STEP, v[i]);
        w[i] = fmaf(az, TIME_STEP, w[i]);
    }
}

__global__ void move(float *x, float *y, float *z, const float *u, const float *v, const float *w, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        x[i] = fmaf(u[i], TIME_STEP, x[i]);
        y[i] = fmaf(v[i], TIME_STEP, y[i]);
        z[i] = fmaf(w[i], TIME_STEP, z[i]);
    }
}

extern "C" void nbody(float *x, float *y, float *z, float *u, float *v, float *w, const float *m, int n, int steps)
{
    size_t bytes = n * sizeof(float);
    float *host[6] = {x, y, z, u, v, w};
    float *device[6], *device_m;
    for (int k = 0; k < 6; ++k) {
        cudaMalloc(&device[k], bytes);
        cudaMemcpy(device[k], host[k], bytes, cudaMemcpyHostToDevice);
    }
    cudaMalloc(&device_m, bytes);
    cudaMemcpy(device_m, m, bytes, cudaMemcpyHostToDevice);
    int blocks = (n + BLOCK - 1) / BLOCK;
    for (int step = 0; step < steps; ++step) {
        attract<<<blocks, BLOCK>>>(device[0], device[1], device[2], device[3], device[4], device[5], device_m, n);
        move<<<blocks, BLOCK>>>(device[0], device[1], device[2], device[3], device[4], device[5], n);
    }
    for (int k = 0; k < 6; ++k) {
        cudaMemcpy(host[k], device[k], bytes, cudaMemcpyDeviceToHost);
        cudaFree(device[k]);
    }
    cudaFree(device_m);
}
