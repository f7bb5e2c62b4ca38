// The stencil of samples/stencil.c, written by hand in CUDA: compare what the two ask of their author.
#ifndef RADIUS
#define RADIUS 1
#endif
#define BLOCK 256

__global__ void smooth(const float *a, float *b, int n)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int start = blockIdx.x * BLOCK;
    for (int t = threadIdx.x; t < BLOCK + 2 * RADIUS; t += BLOCK)
        if (start + t < n)
            tile[t] = a[start + t];
    __syncthreads();

    int i = start + RADIUS + threadIdx.x;
    if (i < n - RADIUS) {
        float sum = 0;
        for (int j = 0; j <= 2 * RADIUS; ++j)
            sum += tile[threadIdx.x + j];
        b[i] = sum / (2 * RADIUS + 1);
    }
}

extern "C" void stencil(float *a, float *b, int n, int iterations)
{
    size_t bytes = n * sizeof(float);
    float *device_a, *device_b;
    cudaMalloc(&device_a, bytes);
    cudaMalloc(&device_b, bytes);
    cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
    float *from = device_a, *to = device_b;
    int inner = n - 2 * RADIUS;
    for (int k = 0; k < iterations && inner > 0; ++k) {
        smooth<<<(inner + BLOCK - 1) / BLOCK, BLOCK>>>(from, to, n);
        float *swap = from;
        from = to;
        to = swap;
    }
    cudaMemcpy(a, device_a, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, device_b, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_a);
    cudaFree(device_b);
}
