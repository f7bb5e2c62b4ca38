// The Jacobi iteration of samples/jacobi.c, written by hand in CUDA.
#define WIDTH 32
#define HEIGHT 8

__global__ void smooth(float *a, const float *b, int n, int m)
{
    __shared__ float tile[HEIGHT + 2][WIDTH + 2];
    int row = blockIdx.y * HEIGHT;
    int column = blockIdx.x * WIDTH;
    for (int y = threadIdx.y; y < HEIGHT + 2; y += HEIGHT)
        for (int x = threadIdx.x; x < WIDTH + 2; x += WIDTH)
            if (row + y < n && column + x < m)
                tile[y][x] = b[(row + y) * m + column + x];
    __syncthreads();

    int i = row + 1 + threadIdx.y;
    int j = column + 1 + threadIdx.x;
    if (i < n - 1 && j < m - 1) {
        float sum = 0;
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 3; ++x)
                sum += tile[threadIdx.y + y][threadIdx.x + x];
        a[i * m + j] = sum / 9;
    }
}

extern "C" void jacobi(float *a, float *b, int n, int m, int iterations)
{
    size_t bytes = (size_t)n * m * sizeof(float);
    float *device_a, *device_b;
    cudaMalloc(&device_a, bytes);
    cudaMalloc(&device_b, bytes);
    cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
    float *to = device_a, *from = device_b;
    dim3 block(WIDTH, HEIGHT);
    dim3 grid((m - 2 + WIDTH - 1) / WIDTH, (n - 2 + HEIGHT - 1) / HEIGHT);
    for (int k = 0; k < iterations && n > 2 && m > 2; ++k) {
        smooth<<<grid, block>>>(to, from, n, m);
        float *swap = from;
        from = to;
        to = swap;
    }
    cudaMemcpy(a, device_a, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, device_b, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_a);
    cudaFree(device_b);
}
