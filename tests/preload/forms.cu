// Kernels in forms that C has not, with arrays that blocks share; what they leave in memory is printed.
#include <cstdio>

namespace shapes {
using Real = float;
struct Pair {
    Real x, y;
};
__device__ Real weight(Real x) { return 0.5f * x; }
}  // namespace shapes

__host__ __device__ inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__host__ __device__ inline void operator+=(float2 &a, float2 b) { a.x += b.x, a.y += b.y; }
inline __device__ int halved(int x) { return x / 2; }
inline __device__ int halved(float x) { return (int)x / 2; }
template <int S> __device__ void exchange(float &x, float &y)
{
    float t = x;
    x = S * y, y = t;
}

template <class T, int STEP = 1> __global__ void sums(const T *a, T *c, int n, bool negative = false)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int j = 0; j < n; j += STEP)
        sum += a[j];
    c[i] = negative ? -sum : sum + static_cast<T>(i);
}

template <class T> __global__ void products(const T *__restrict__ a, T *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T product = 1;
    for (int j = 0; j < n; ++j)
        product = product * a[j] / 7;
    c[i] = product;
}

template <class T> void run_sums(const T *a, T *c, int n)
{
    sums<T><<<2, 32>>>(a, c, n);
    sums<T, 2><<<1, 32>>>(a, c + 64, n, true);
    products<<<1, 32>>>(a, c + 96, n);
}

__global__ void named(const shapes::Real *a, float *c, int n)
{
    using shapes::Pair;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pair pair = {0, 1};
    for (int j = 0; j < n; ++j)
        pair.x += shapes::weight(a[j]);
    c[i] = pair.x + pair.y;
}

__global__ void operators(const float2 *a, float2 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 sum = make_float2(0, i);
    for (int j = 0; j < n; ++j)
        sum += a[j] + a[j + 1];
    c[i] = sum + a[0];
}

__global__ void overloaded(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        c[i] += a[j] * halved(j) + halved(a[j]);
}

__global__ void swapped(float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    exchange<3>(a[2 * i], a[2 * i + 1]);
    c[i] = sqrt(a[2 * i]) + n;
}

__global__ void gathered(const float *a, float *c, int n)
{
    int i = threadIdx.x;
    int other = __shfl_xor_sync(0xffffffff, i, 5), any = __any_sync(0xffffffff, i == n);
    c[blockIdx.x * 32 + i] = a[other] + a[other + 1] + a[other + 2] + a[any];
}

__global__ void waiting(const float *a, float *c, int n)
{
    __shared__ volatile float row[32], last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    row[threadIdx.x] = a[i] + a[i + 1] + a[i + 2];
    if (threadIdx.x == 31)
        last = max(a[31], a[n - 1]);
    int count = __syncthreads_count(row[threadIdx.x] > 3);
    c[i] = row[31 - threadIdx.x] + last + count;
    atomicAdd(c + 100, 1.0f);
}

int main()
{
    const int n = 66;
    float host[2 * n], *a, *c;
    double *b, *d;
    for (int i = 0; i < 2 * n; ++i)
        host[i] = i * 7 % 23 + 1;
    cudaMalloc(&a, sizeof host), cudaMalloc(&c, sizeof host);
    cudaMalloc(&b, sizeof host), cudaMalloc(&d, 2 * sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    run_sums(a, c, 64);
    run_sums<double>(b, d, 64);
    named<<<2, 32>>>(a, c, 40);
    operators<<<1, 32>>>((const float2 *)a, (float2 *)c, 40);
    overloaded<<<2, 32>>>(a, c, 40);
    swapped<<<2, 32>>>(a, c + 64, 3);
    waiting<<<2, 32>>>(a, c, 40);
    cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * n; ++i)
        printf("%g ", host[i]);
    gathered<<<2, 32>>>(a, c, 3);
    cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; ++i)
        printf("%g ", host[i]);
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        printf("%g\n", ((double *)host)[i]);
    return 0;
}
