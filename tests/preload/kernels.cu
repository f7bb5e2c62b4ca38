// Kernels in the forms in which programs write them; each is launched for several sizes, and its results are printed.
#include <cstdio>
#include <cstdlib>

#define COLUMNS 96

__global__ void guarded(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    const float first = a[i * n];
    float sum = first;
    for (int k = 0; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

__global__ void inside_condition(float *a, float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if ((i < n) && (j < n)) {
        int k;
        c[i * n + j] *= 0.5f;
        for (k = 0; k < n; k++)
        {
            c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
    }
}

__global__ void with_else(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i < n && j < n)
        if ((i + j) % 3)
            for (int k = 1; k <= n - 1; k += 2)
                c[i * n + j] += a[i * n + k];
        else
            c[i * n + j] = -1;
}

__global__ void branches(const float *a, const float *b, float *c, int n)
{
    const unsigned i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (j >= n) { return; }
    float sum = 0;
    if (i > j) {
        for (unsigned k = 0; k < (unsigned)n; ++k)
            sum += b[k * n + j];
    } else {
        sum = 1;
        for (int k = 0; k < n; ++k) {
            if (k % 5 == 2)
                continue;
            sum -= a[i * n + k];
        }
    }
    c[i * n + j] = sum;
}

__global__ void nested(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_inside = i < n && j < n;
    float sum = 0;
    for (int t = 0; t < 3; ++t) {
        float part = is_inside ? a[i * n + j] : 0;
        for (int k = t; k < n; ++k)
            if (is_inside)
                part += a[i * n + k] * b[k * n + j];
        sum += part;
    }
    if (is_inside)
        c[i * n + j] = sum;
}

__global__ void five_points(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1 || j < 1 || j >= n - 1)
        return;
    c[i * n + j] = a[(i - 1) * n + j] + a[i * n + j - 1] + a[i * n + j] + a[i * n + j + 1] + a[(i + 1) * n + j];
}

__global__ void window(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 || i >= n - 2 || j < 2 || j >= n - 2)
        return;
    float sum = 0;
    for (int y = -2; y <= 2; ++y)
        for (int x = -2; x <= 2; ++x)
            sum += a[(i + y) * n + j + x] * (y - x);
    c[i * n + j] = sum;
}

__global__ void constant_pitch(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n && n <= COLUMNS) {
        float sum = 0;
        for (int k = 0; k < n; ++k)
            sum += a[i * COLUMNS + k] * b[k * COLUMNS + j];
        c[i * COLUMNS + j] = sum;
    }
}

__global__ void mirrored(const float *a, const float *b, float *c, int n)
{
    size_t i = (size_t)blockIdx.y * blockDim.y + threadIdx.y, j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    c[i * n + j] = a[(n - 1 - i) * n + j] + a[(n - 1 - i) * n + n - 1 - j];
}

__global__ void planes(const float *a, const float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    int m = 5;
    if (i > 0 && i < m - 1 && j > 0 && j < m - 1)
        for (int k = 1; k < m - 1; ++k)
            c[(k * m + i) * m + j] = a[((k - 1) * m + i) * m + j] + a[(k * m + i) * m + j] + a[((k + 1) * m + i) * m + j]
                                   + a[(k * m + i - 1) * m + j] + a[(k * m + i) * m + j + 1];
}

__global__ void in_place(float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        float sum = 0;
        for (int k = 0; k < n; ++k)
            sum += b[k * n + j];
        a[i * n + j] += sum;
    }
}

__global__ void leaves_loop(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    for (int k = 0; k < n; ++k) {
        if (a[i * n + k] > 7)
            break;
        c[i * n + j] += b[k * n + j];
    }
}

#define AT(p, row, column) p[(row) * n + (column)]
#define EACH(k) for (int k = 0; k < n; ++k)

__global__ void declares(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    const float first = b[j], *row = &b[i], second = 2;
    int half = n / 2, position = (i * n + j) % (i + 1);
    float both[2] = {1, 2};
    for (int k = 0; k < half; ++k) {
        const float here = a[i * n + k], twice = here * 2;
        c[i * n + j] += here + twice + first * second + *row + both[k % 2];
    }
    c[i * n + j] += position;
}

__global__ void macros(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        for (int k = 0; k < n; ++k)
            c[i * n + j] += AT(a, i, k) * b[k * n + j];
        EACH(k)
            c[i * n + j] -= b[k * n + j];
    }
}

__global__ void divides(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    int part = 64 / n;
    for (int k = 0; k < part; ++k)
        c[i * n + j] += a[k % 3] + b[k];
}

template <class T, int SIDE, bool TWICE> __global__ void instance(const T *a, const T *b, T *c, int n)
{
    int i = blockIdx.y * SIDE + threadIdx.y, j = blockIdx.x * SIDE + threadIdx.x;
    if (i >= n || j >= n)
        return;
    T sum = T(0);
    for (int k = 0; k < n; ++k)
        sum += static_cast<T>(a[i * n + k]) * b[k * n + j];
    c[i * n + j] = TWICE ? sum * 2 : sum;
}

__global__ void chain(const float *a, const float *b, float *c, int n)
{
    if (threadIdx.x > 0 || threadIdx.y > 0)
        return;
    for (int k = 0; k < n - 1; ++k)
        c[k + 1] = a[k] + b[k];
}

static void show(const char *name, float *device, int count)
{
    float *host = (float *)malloc(count * sizeof(float));
    cudaMemcpy(host, device, count * sizeof(float), cudaMemcpyDeviceToHost);
    unsigned hash = 2166136261u;
    for (int i = 0; i < count * 4; ++i)
        hash = (hash ^ ((unsigned char *)host)[i]) * 16777619u;
    printf("%s %08x\n", name, hash);
    free(host);
}

int main()
{
    const int sizes[] = {1, 5, 16, 37, 64}, most = COLUMNS * COLUMNS;
    float *host = (float *)malloc(most * sizeof(float)), *a, *b, *c;
    for (int n : sizes)
        for (int side : {16, 8}) {
            int count = n < 5 ? 25 * 5 : n == 5 ? 125 : n * n;
            const int whole = COLUMNS * n > count ? COLUMNS * n : count;
            for (int i = 0; i < most; ++i)
                host[i] = (i * 7 % 23 - 11) / 3.0f;
            cudaMalloc(&a, whole * sizeof(float));
            cudaMalloc(&b, whole * sizeof(float));
            cudaMalloc(&c, whole * sizeof(float));
            cudaMemcpy(a, host, whole * sizeof(float), cudaMemcpyHostToDevice);
            cudaMemcpy(b, host, whole * sizeof(float), cudaMemcpyHostToDevice);
            cudaMemcpy(c, host, whole * sizeof(float), cudaMemcpyHostToDevice);
            dim3 grid((n + side - 1) / side, (n + side - 1) / side), block(side, side);
            guarded<<<grid, block>>>(a, b, c, n);
            show("guarded", c, whole);
            inside_condition<<<grid, block>>>(a, b, c, n);
            show("inside_condition", c, whole);
            if (side == 16)
                with_else<<<grid, block>>>(a, b, c, n);
            show("with_else", c, whole);
            branches<<<grid, block, 0>>>(a, b, c, n);
            show("branches", c, whole);
            nested<<<grid, block, 0, 0>>>(a, b, c, n);
            show("nested", c, whole);
            five_points<<<grid, block>>>(a, b, c, n);
            show("five_points", c, whole);
            window<<<grid, block>>>(a, b, c, n);
            show("window", c, whole);
            constant_pitch<<<grid, block>>>(a, b, c, n);
            show("constant_pitch", c, whole);
            mirrored<<<grid, block>>>(a, b, c, n);
            show("mirrored", c, whole);
            planes<<<1, block>>>(a, b, c, n);
            show("planes", c, whole);
            in_place<<<grid, block>>>(a, b, c, n);
            show("in_place", a, whole);
            leaves_loop<<<grid, block>>>(a, b, c, n);
            show("leaves_loop", c, whole);
            declares<<<grid, block>>>(a, b, c, n);
            show("declares", c, whole);
            macros<<<grid, block>>>(a, b, c, n);
            show("macros", c, whole);
            divides<<<grid, block>>>(a, b, c, n);
            show("divides", c, whole);
            if (side == 16)
                instance<float, 16, true><<<grid, block>>>(a, b, c, n);
            show("instance", c, whole);
            chain<<<1, block>>>(a, b, c, n);
            show("chain", c, whole);
            chain<<<1, block>>>(c, b, c, n);
            show("aliased", c, whole);
            cudaFree(a), cudaFree(b), cudaFree(c);
        }
    return 0;
}
