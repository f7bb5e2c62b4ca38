// Forms that public kernels have often: each kernel is launched for several sizes, and what it leaves is printed.
#include <cstdio>
#include <cstdlib>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SQUARE(x) ((x) * (x))
#define CLAMPED(x, lo, hi) MAX(lo, (x) < (hi) ? (x) : (hi))

struct Step {
    int stride, first;
    float scale;
};
namespace fixed {
__constant__ Step step;
__constant__ int bound, unused;
__global__ void bounded(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < bound; ++k)
        sum += a[k * step.stride + step.first] * step.scale;
    c[i] = sum + i;
}
}  // namespace fixed
struct Weights {
    float scale = 0.5f;
    int stride{1}, count = 4 * (2 + 1), of[2]{3, 4};
    struct Unused {
        int x;
    } unused;
};

__global__ void greatest(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = -1e30f;
    for (int k = 0; k < n; ++k)
        best = max(max(best, a[k]), b[k] - i) - min(a[k], 0.5f);
    c[i] = best;
}

__global__ void greatest_by_macro(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = -1e30f;
    for (int k = 0; k < n; ++k) {
        best = MAX(best, a[k]) + SQUARE(b[k] - i);
        best -= CLAMPED(b[k], -0.5f, 0.5f);
    }
    c[i] = best;
}

__global__ void read_only(const float *__restrict__ a, const float4 *__restrict__ b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += __ldg(&a[k]) * __ldg(&b[k / 4].y) + __ldg(a + k);
    for (int k = 0; k < n / 4; ++k)
        sum += __ldg(&b[k]).x - __ldg(&b[k].w);
    c[i] = sum;
}

__global__ void with_borders(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i == 0 || i >= n - 2) {
        c[i] = i ? -1 : a[n - 1];
        return;
    }
    if (i % 7 == 3) {
        float own = c[i];
        for (int k = 0; k < 3; ++k)
            own += a[i] * k;
        c[i] = own;
        return;
    }
    float sum = a[i - 1] + a[i + 1];
    for (int k = 0; k < n; ++k)
        sum += a[k] * i;
    c[i] = sum;
}

__global__ void weighted(const float *a, float *c, int n, Weights weights)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < weights.count; ++k)
        sum += a[k * weights.stride] * weights.scale;
    if (i < n)
        c[i] = sum;
}

#define A(i, j) a[(i) * n + (j)]
#define AT(matrix, i, j) (matrix[(i) * (n) + (j)])
__global__ void product(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += A(0, k) * AT(b, 1, k);
        sum -= AT(a, 0, k);
    }
    c[i] = sum + AT(b, (0), i);
}

template <class T> __global__ void scaled(const T *a, T *c, int n, T factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[k] * factor;
    if (i < n)
        c[i] = sum;
}

int main()
{
    for (int n : {1, 15, 16, 17, 63, 64, 65, 200}) {
        const int blocks = (n + 63) / 64, room = 2 * n + 16;
        float *host = (float *)malloc(4 * room * sizeof(float)), *a, *b, *c, *vectors;
        cudaMalloc(&a, room * sizeof(float)), cudaMalloc(&b, room * sizeof(float));
        cudaMalloc(&c, n * sizeof(float)), cudaMalloc(&vectors, 4 * room * sizeof(float));
        for (int i = 0; i < 4 * room; ++i)
            host[i] = i * 7 % 23 - 11;
        cudaMemcpy(a, host, room * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(b, host + 5, room * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(c, host, n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(vectors, host, 4 * room * sizeof(float), cudaMemcpyHostToDevice);
        Step step;
        step.stride = 1 + n % 2, step.first = 2, step.scale = 3;
        cudaMemcpyToSymbol(fixed::step, &step, sizeof step);
        cudaMemcpyToSymbol(fixed::bound, &n, sizeof n);
        Weights weights;
        auto print = [&](const char *kernel) {
            double sum = 0;
            cudaMemcpy(host, c, n * sizeof(float), cudaMemcpyDeviceToHost);
            for (int i = 0; i < n; ++i)
                sum += host[i] * (i % 13 + 1);
            printf("%s %d: %.9g %.9g\n", kernel, n, host[n / 2], sum);
        };
        fixed::bounded<<<blocks, 64>>>(a, c, n), print("bounded");
        greatest<<<blocks, 64>>>(a, b, c, n), print("greatest");
        greatest_by_macro<<<blocks, 64>>>(a, b, c, n), print("greatest_by_macro");
        read_only<<<blocks, 64>>>(a, (const float4 *)vectors, c, n), print("read_only");
        with_borders<<<blocks, 64>>>(a, c, n), print("with_borders");
        product<<<blocks, 64>>>(a, b, c, n), print("product");
        weighted<<<blocks, 64>>>(a, c, n, weights), print("weighted");
        scaled<<<blocks, 64>>>(static_cast<const float *>(a), c, n, 0.5f), print("scaled");
        scaled<<<1, 64>>>(&a[1], (float *)b, n / 2, 2.0f), print("scaled");
        cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(vectors), free(host);
    }
    return 0;
}
