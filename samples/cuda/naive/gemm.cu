// c = a * b of n x n matrices, an element of c a thread: rows of a and columns of b are read again by each thread.
// usage: gemm [n]
#include <cstdio>
#include <cstdlib>

__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 128;
    size_t bytes = (size_t)n * n * sizeof(float);
    float *host = (float *)malloc(bytes), *a, *b, *c;
    for (int i = 0; i < n * n; ++i)
        host[i] = i % 17 - 8;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    gemm<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
    cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost);
    printf("c[1] = %g\n", host[1]);
    return 0;
}
