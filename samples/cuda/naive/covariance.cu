// Covariance of m columns of n centred samples: a thread a column, against all columns from its own on.
// usage: covariance [m] [n]
#include <cstdio>
#include <cstdlib>

__global__ void covariance(const float *data, float *result, int m, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= m)
        return;
    for (int other = column; other < m; ++other) {
        float sum = 0;
        for (int i = 0; i < n; ++i)
            sum += data[i * m + column] * data[i * m + other];
        result[column * m + other] = sum;
        result[other * m + column] = sum;
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 256, n = argc > 2 ? atoi(argv[2]) : 16;
    size_t samples = (size_t)m * n, results = (size_t)m * m;
    float *host = (float *)malloc(samples * sizeof(float)), *data, *result, one;
    for (size_t i = 0; i < samples; ++i)
        host[i] = (int)(i % 17) - 8;
    cudaMalloc(&data, samples * sizeof(float));
    cudaMalloc(&result, results * sizeof(float));
    cudaMemcpy(data, host, samples * sizeof(float), cudaMemcpyHostToDevice);
    covariance<<<(m + 255) / 256, 256>>>(data, result, m, n);
    cudaMemcpy(&one, result, sizeof(float), cudaMemcpyDeviceToHost);
    printf("variance of column 0: %g\n", one);
    return 0;
}
