// Kernels whose variables are declared as C does not declare them; what they leave in memory is printed.
#include <cstdio>

struct alignas(16) Four {
    float x, y, z, w;
};
__device__ float weight(const float *a, int i)
{
    const auto v = a[i];
    auto twice{2 * v};
    return twice / 3;
}

__global__ void positions(const float *a, float *c, int n)
{
    const auto i = blockIdx.x * blockDim.x + threadIdx.x;
    const auto left = i - 40;  // wraps
    if (i < n)
        c[i] = a[i] + (left > 40 ? 1 : 0);
}

__global__ void pointers(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto p = a + i;
    auto *q = c + i;
    const auto own = q;
    for (auto j = 0; j < n; ++j, ++p)
        *own += *p;
    const auto *const first = a;
    q[0] += first[1];
}

__global__ void small(const unsigned char *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto byte = a[i];
    byte += 200;
    auto sum = a[i] + 200;
    auto truth = a[i] < n;
    truth = 5;
    auto flag = false;
    flag |= 6;
    auto whole = 7 / 2, half = 7 % 2;
    auto real = 7 / 2.f;
    auto many = 1u - 2;
    c[i] = byte + sum + truth + flag + whole + half + real + (many > 5 ? 1 : 0);
}

__global__ void chosen(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto j = i % 3 == 0 ? i : 0u;
    auto in = i < n ? a[i] > 0 : a[i] < 4;
    auto four = make_float4(a[i], a[i + 1], 2, 3);
    four.x += four.w;
    const auto last = min(i, n - 1);
    if (true) {
        auto loaded = __ldg(&a[last]);
        c[i] = four.x + four.y + loaded + (j - 1 > 5 ? 1 : 0);
    } else
        for (auto k = 0.5; k < 2; ++k)
            c[i] += k;
    c[i] += in + weight(a, i);
}

__global__ void references(float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto &own = c[i];
    const auto &source = a[i];
    float &other = a[i + 64];
    own = source;
    other = own + 1;
    a[i] = 3;
    own += source + other;
}

__global__ void braces(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x{1}, y{};
    float s(0.5f), t[4]{}, u[2]{a[i], 2};
    Four four{1, 2, 3, a[i]}, none{};
    [[maybe_unused]] constexpr int length{4};
    for (int j{0}; j < length; ++j) {
        t[j] += a[j];
        x++;
    }
    if constexpr (length > 2)
        s += t[3] + u[1] * u[0];
    c[i] = x + y + s + four.w + four.y + none.z;
}

template <class T> __global__ void instances(const T *a, T *c, int n)
{
    auto i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum{};
    for (auto j = 0; j < n; ++j) {
        auto term = a[j] / 7;
        sum += term;
    }
    c[i] = sum;
}

static void print(const char *name, const float *c)
{
    float found[64];
    cudaMemcpy(found, c, sizeof found, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < 64; ++i)
        sum += (i + 1) * found[i];
    std::printf("%s %.9g\n", name, sum);
}

int main()
{
    float values[256], *a, *c;
    for (int i = 0; i < 256; ++i)
        values[i] = (i * 37) % 11 - 3;
    cudaMalloc(&a, sizeof values);
    cudaMalloc(&c, sizeof values);
    cudaMemset(c, 0, sizeof values);
    auto fresh = [&] { cudaMemcpy(a, values, sizeof values, cudaMemcpyHostToDevice); };
    fresh();
    positions<<<2, 32>>>(a, c, 60);
    print("positions", c);
    pointers<<<2, 32>>>(a, c, 9);
    print("pointers", c);
    small<<<2, 32>>>((const unsigned char *)a, c, 60);
    print("small", c);
    chosen<<<2, 32>>>(a, c, 60);
    print("chosen", c);
    references<<<2, 32>>>(a, c, 60);
    print("references", c);
    fresh();
    braces<<<2, 32>>>(a, c, 60);
    print("braces", c);
    instances<<<2, 32>>>(a, c, 60);
    print("instances", c);
    instances<int><<<2, 32>>>((const int *)a, (int *)c, 60);
    return cudaDeviceSynchronize() != cudaSuccess;
}
