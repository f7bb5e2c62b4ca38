// x1 += a * y1 and x2 += transpose(a) * y2: one kernel reads a row a thread, the other a column a thread.
// usage: mvt [n]
#include <cstdio>
#include <cstdlib>

__global__ void rows(const float *a, const float *y, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = x[i];
    for (int j = 0; j < n; ++j)
        sum += a[i * n + j] * y[j];
    x[i] = sum;
}

__global__ void columns(const float *a, const float *y, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = x[i];
    for (int j = 0; j < n; ++j)
        sum += a[j * n + i] * y[j];
    x[i] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 512;
    size_t bytes = (size_t)n * n * sizeof(float), length = n * sizeof(float);
    float *host = (float *)malloc(bytes), *a, *y, *x;
    for (int i = 0; i < n * n; ++i)
        host[i] = i % 17 - 8;
    cudaMalloc(&a, bytes);
    cudaMalloc(&y, length);
    cudaMalloc(&x, length);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(y, host, length, cudaMemcpyHostToDevice);
    cudaMemset(x, 0, length);
    rows<<<(n + 255) / 256, 256>>>(a, y, x, n);
    columns<<<(n + 255) / 256, 256>>>(a, y, x, n);
    cudaMemcpy(host, x, length, cudaMemcpyDeviceToHost);
    printf("x[0] = %g\n", host[0]);
    return 0;
}
