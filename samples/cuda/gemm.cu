// The matrix product of samples/gemm.c, written by hand in CUDA.
#define TILE 16

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * TILE + y;
    int j = blockIdx.x * TILE + x;
    float sum = 0;
    for (int l = 0; l < n; l += TILE) {
        tile_a[y][x] = i < n && l + x < n ? a[i * n + l + x] : 0;
        tile_b[y][x] = l + y < n && j < n ? b[(l + y) * n + j] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (i < n && j < n)
        c[i * n + j] = sum;
}

extern "C" void gemm(const float *a, const float *b, float *c, int n)
{
    size_t bytes = (size_t)n * n * sizeof(float);
    float *device_a, *device_b, *device_c;
    cudaMalloc(&device_a, bytes);
    cudaMalloc(&device_b, bytes);
    cudaMalloc(&device_c, bytes);
    cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
    int blocks = (n + TILE - 1) / TILE;
    multiply<<<dim3(blocks, blocks), dim3(TILE, TILE)>>>(device_a, device_b, device_c, n);
    cudaMemcpy(c, device_c, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_a);
    cudaFree(device_b);
    cudaFree(device_c);
}
