// b = a convolved with 3 x 3 weights: neighbouring threads read the same elements, on three rows.
// usage: convolution [n]
#include <cstdio>
#include <cstdlib>

__global__ void convolution(const float *a, float *b, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1 || j < 1 || j >= n - 1)
        return;
    b[i * n + j] = 0.2f * a[(i - 1) * n + j - 1] + 0.5f * a[(i - 1) * n + j] - 0.8f * a[(i - 1) * n + j + 1]
                 - 0.3f * a[i * n + j - 1] + 0.6f * a[i * n + j] - 0.9f * a[i * n + j + 1]
                 + 0.4f * a[(i + 1) * n + j - 1] + 0.7f * a[(i + 1) * n + j] + 0.1f * a[(i + 1) * n + j + 1];
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
    convolution<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(a, b, n);
    cudaMemcpy(host, b, bytes, cudaMemcpyDeviceToHost);
    printf("b[n + 1] = %g\n", host[n + 1]);
    return 0;
}
