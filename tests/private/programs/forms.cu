// Kernels and launches in forms that a rewriting could get wrong without a word: results are printed.
#include "forms.cuh"
#include <cstdio>
#include <vector>

static const int threads = 64, records = 21, n = threads * records;

struct pair {
    int x, y;
};
struct triple {
    int x[2];
    unsigned char c;
};
struct large {
    double x, y, z;
};
typedef volatile int told;

extern __shared__ int room[];
__device__ void put(int t, int v)
{
    extern __shared__ int room[];
    room[t] += v;
}
__device__ void inc(int &x) { x = x + 1; }
template <class T>
__device__ void forwarded(T &&x) { x = x + 1; }

__global__ void dynamic(int *__restrict__ a, const int *__restrict__ b, int m)
{
    int t = threadIdx.x;
    room[t] = 5 * t;
    put(t, 3);
    for (int i = t * m; i < (t + 1) * m; ++i) {
        room[t] += b[i];
        a[i] += room[t];
    }
}

void __global__ structures(pair *__restrict__ a, const int *__restrict__ b, int m = records)
{
    int t = threadIdx.x;
    for (int i = t * m; i < (t + 1) * m; ++i) {
        pair p = a[i];
        p.x += b[i];
        p.y = i;
        (a[i]) = p;
        if (b[i] > 50)
            a[i] = {b[i], i};
        if (b[i] > 55)
            a[i] = {};
    }
}

__global__ void arrays(triple *__restrict__ a, const int *__restrict__ b, int *__restrict__ out, int m)
{
    int t = threadIdx.x;
    for (int i = t * m; i < (t + 1) * m; ++i) {
        triple p = a[i];
        out[i] = p.x[1] + a[i].x[0] + a[i].c;
        a[i].x[1] = b[i];
    }
}

__global__ void references(int *__restrict__ a, int *__restrict__ out, const pair *__restrict__ p, int m)
{
    int t = threadIdx.x;
    p += t * m;
    for (int i = t * m; i + 1 < (t + 1) * m; ++i) {
        const int &one{a[i]};
        const int &two = i % 2 ? a[i] : a[i + 1];
        const int &three = p->x;
        const int *four = &p->y;
        a[i] = 7 * i;
        a[i + 1] += 3;
        out[i] = one + 2 * two + three + *four;
        p++;
    }
}

__global__ void changed(int *__restrict__ a, int *__restrict__ b, int m)
{
    int t = threadIdx.x;
    for (int i = t * m; i < (t + 1) * m; ++i) {
        inc(a[i]);
        forwarded(b[i]);
        a[i] += b[i];
    }
}

__global__ void elements(told *__restrict__ a, const large *__restrict__ b, const int *__restrict__ c, int m)
{
    int t = threadIdx.x;
    for (int i = t * m; i < (t + 1) * m; ++i)
        a[i] = int(b[i].x + b[i].z) + c[i];
}

__device__ int *table_of;
__global__ void keep(int *a) { table_of = a; }
__global__ void header(int *a, int m)
{
    int t = threadIdx.x;
    for (int i = t * m; i < (t + 1) * m; ++i) {
        a[i] += 2;
        int k = make_item(table_of, i);
        a[i] += k;
    }
}

struct view {
    int *p;
};
__global__ void views(int *a, view v, int *__restrict__ b, int m)
{
    int t = threadIdx.x;
    for (int i = t * m; i < (t + 1) * m; ++i) {
        a[i] += 2;
        v.p[i] += 3;
        a[i] *= 2;
        (table_of + i)[0] += 3;
        b[i] += a[i];
    }
}

static int calls;
template <class T>
static T *told_of(T *p)
{
    std::printf("call %d\n", ++calls);
    return p;
}

template <class T>
static T *made(int factor)
{
    T *device;
    std::vector<T> host(n);
    char *bytes = reinterpret_cast<char *>(host.data());
    for (size_t i = 0; i < n * sizeof(T); i += 4)
        bytes[i] = char(i / 4 * factor % 61);
    cudaMalloc(&device, n * sizeof(T));
    cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

template <class T>
static void show(const char *name, T *device)
{
    std::vector<T> host(n);
    cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
    unsigned sum = 7;
    for (size_t i = 0; i < n * sizeof(T); ++i)
        sum = sum * 31 + reinterpret_cast<unsigned char *>(host.data())[i];
    std::printf("%s %u\n", name, sum);
}

int main()
{
    int *a = made<int>(3), *b = made<int>(5), *c = made<int>(7);
    pair *p = made<pair>(3);
    triple *q = made<triple>(5);
    large *big = made<large>(0);
    dynamic<<<1, threads, 4 * threads>>>(told_of(a), told_of(b), records);
    show("dynamic", a);
    structures<<<1, threads>>>(p, b, records);
    show("structures", p);
    arrays<<<1, threads>>>(q, b, c, records);
    show("arrays", q);
    show("out", c);
    references<<<1, threads>>>(a, c, p, records);
    show("references", a);
    show("out", c);
    changed<<<1, threads>>>(a, b, records);
    show("changed", a);
    show("b", b);
    elements<<<1, threads>>>(a, big, b, records);
    show("elements", a);
    keep<<<1, 1>>>(a);
    header<<<1, threads>>>(a, records);
    show("header", a);
    views<<<1, threads>>>(a, view{a}, c, records);
    show("views", a);
    show("b", c);
    return cudaGetLastError() != cudaSuccess;
}
