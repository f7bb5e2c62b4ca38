// Kernels in the forms that may have lines: each run's sums are printed, so that versions can be compared.
#include <cstdio>
#include <vector>
#define TWICE(x) ((x) * 2)

struct item {
    short x, y;
};

__device__ int half(int x) { return x / 2; }

// Writes memory: what the lines hold goes there before, and is fetched again behind.
__device__ void bump(int *to) { *to += 5; }

__global__ void moved(const char *__restrict__ a, const item *__restrict__ p, int *__restrict__ out, int records)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    a += t * records;
    out += t * records;
    for (int i = 0; i < records; ++i) {
        *out = TWICE(*a++) + p[t * records + i].x;
        *out += p->y + p[t * records].y;
        out++;
    }
}

__global__ void shared_bytes(int *a, int *b, int records, int shift)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * records; i < (t + 1) * records - shift; ++i) {
        if (i % 3 == 0)
            continue;
        b[i] = a[i + shift] + half(b[i]);
        ++a[i];
        a[i] ^= b[i] & 7;
    }
}

__global__ void fenced(int *__restrict__ a, int *__restrict__ sums, int records)
{
    int t = threadIdx.x, first = blockIdx.x * blockDim.x * records;
    int i = 0;
    do {
        a[first + t * records + i] = t + i;
    } while (++i < records);
    __syncthreads();
    int other = (t + 1) % blockDim.x, sum = 0;
    for (int k = 0; k < records; k++) {
        auto value = a[first + other * records + k] + 0;
        sum += value;
    }
    sums[blockIdx.x * blockDim.x + t] = sum;
}

__global__ void called(int *__restrict__ a, int *log, int records)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (!a || a == nullptr)
        return;
    for (int i = t * records; i < (t + 1) * records; ++i)
        a[i] = a != nullptr && a + 1 ? i - a[i] : 0;
    bump(log + t);
    if (t & 1) return;
    while (a[t * records] > 3)
        a[t * records] -= 3;
}

__global__ void counted(const char *__restrict__ text, unsigned *bins, int records)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 2
    for (int i = t * records; i < (t + 1) * records; ++i)
        atomicAdd(&bins[text[i] & 7], 1u);
}

__device__ int *everything;
__device__ int grown(int i, int more) { return (everything[i] += more) & 3; }
__global__ void keep(int *a) { everything = a; }

// The function reaches what the lines hold, and its value is used.
__global__ void touched(int *a, int records)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t * records; i < (t + 1) * records; ++i) {
        a[i] += 3;
        int got = grown(i, a[i]);
        if (got > 1)
            got = grown(i, a[i]);
        a[i] -= got;
    }
}

static void print(const char *name, const int *device, int count)
{
    std::vector<int> host(count);
    cudaMemcpy(host.data(), device, 4 * count, cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int value : host)
        sum = sum * 31 + value;
    std::printf("%s %u\n", name, sum);
}

int main()
{
    const int threads = 96, records = 21, n = threads * records;
    std::vector<char> text(n);
    std::vector<int> numbers(n);
    for (int i = 0; i < n; ++i) {
        text[i] = char(i * 7 % 61);
        numbers[i] = i * 13 % 97;
    }
    char *a;
    int *b, *out;
    cudaMalloc(&a, n);
    cudaMalloc(&b, 4 * n);
    cudaMalloc(&out, 4 * n);
    cudaMemcpy(a, text.data(), n, cudaMemcpyHostToDevice);
    cudaMemcpy(b, numbers.data(), 4 * n, cudaMemcpyHostToDevice);
    moved<<<threads / 32, 32>>>(a, reinterpret_cast<const item *>(b), out, records);
    print("moved", out, n);
    for (int shift = 0; shift < 3; ++shift)
        shared_bytes<<<dim3(threads / 32), dim3(32)>>>(out, out, records, shift);
    print("shared", out, n);
    if (threads > 1)
        shared_bytes<<<3, 32>>>(out, b, records, 1);
    else
        return 1;
    print("apart", b, n);
    fenced<<<3, 32, 0, 0>>>(out, b, records);
    print("fenced", b, threads);
    called<<<3, 32>>>(out, b, records);
    print("called", out, n);
    print("log", b, threads);
    keep<<<1, 1>>>(out);
    touched<<<3, 32>>>(out, records);
    print("touched", out, n);
    cudaMemset(b, 0, 32);
    counted<<<3, 32>>>(a, reinterpret_cast<unsigned *>(b), records);
    print("counted", b, 8);
    return cudaGetLastError() != cudaSuccess;
}
