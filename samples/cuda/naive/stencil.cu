// b = the mean of five points of a: each element is read by five threads.
// usage: stencil [n]
#include <cstdio>
#include <cstdlib>

__global__ void stencil(const float *a, float *b, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1 || j < 1 || j >= n - 1)
        return;
    b[i * n + j] =
        0.2f * (a[(i - 1) * n + j] + a[i * n + j - 1] + a[i * n + j] + a[i * n + j + 1] + a[(i + 1) * n + j]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256;
    size_t bytes = (size_t)n * n * sizeof(float);
    float *host = (float *)malloc(bytes), *a, *b;
    for (int i = 0; i < n * n; ++i)
        host[i] = i % 17 - 8;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, bytes);
    stencil<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, n);
    cudaMemcpy(host, b, bytes, cudaMemcpyDeviceToHost);
    printf("b[n + 1] = %g\n", host[n + 1]);
    return 0;
}
