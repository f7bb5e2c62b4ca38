// Kernels and launches where a rewriter may put its text in a wrong place: what they print is compared.
#define N 512
#define line 16
#define A 5
/* Usage:
#include "nowhere.h"
*/
#include <cstdio>
extern "C" {
#include <stdlib.h>
}

const char *const text = R"(
#include "nowhere.h"
)";

namespace space {
struct duo {
    int x, y;
};
__global__ static void turned(space::duo *__restrict__ p, const int // factors
                                                              *__restrict__ b, int n)
{
    for (int i = threadIdx.x * n; i < (int(threadIdx.x) + 1) * n; ++i)
        p[i] = {p[i].y * b[i], i};
}

__global__ void doubled(int *__restrict__ a, int n)
{
    for (int i = threadIdx.x * n; i < (int(threadIdx.x) + 1) * n; ++i)
        a[i] *= 2;
}
} // namespace space
using space::turned;
using space::doubled;

inline namespace inner {
__global__ void added(int *__restrict__ a, const int *__restrict__ b, int *c, int n = 9);
}

void first(int *a, int *b) { added<<<1, 16>>>(a, b, nullptr, 3); }

#ifdef NEVER
#else
inline namespace inner {
__global__ void added(int *__restrict__ a, const int *__restrict__ b, int *c, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = t * n;
    do a[i] += sizeof*a * b[i];
    while (++i < (t + 1) * n);
}
}
#endif

static int next(int *count) { return ++*count; }

int main()
{
    int host[N], *a, *b, count = 0;
    for (int i = 0; i < N; ++i)
        host[i] = i % 37;
    cudaMalloc((void **)&a, sizeof host);
    cudaMalloc((void **)&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    first(a, b);
    (void)added<<<count < 3 ? 1 : 2, 16>>>(a, b, a, count > 2 ? 3 : 7);
    added<<<next(&count), 8 * next(&count)>>>(a + next(&count), b, a, next(&count)
#ifdef NEVER
        + 4
#endif
    );
    turned<<<1, 16, 8>>>((space::duo *)a, b, A);
    doubled<<<1, 16>>>(a, N / 16);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    unsigned sum = line;
    for (int value : host)
        sum = sum * 31 + value;
    printf("%u %d %s", sum, count, text);
    return cudaGetLastError() != cudaSuccess;
}
