/* Variables with names that kernels and launches use themselves. */
#include "show.h"

struct place {
    int x, y, z;
};

#pragma acc routine vector
static void routine(int *threadIdx, int blockDim, int min)
{
#pragma acc loop vector
    for (int j = 0; j < 40; ++j)
        threadIdx[j] += blockDim * j - min;
}

void positions(int *restrict gridDim, int n, int blockIdx)
{
#pragma acc parallel loop gang copy(gridDim[0:n*40])
    for (int i = 0; i < n; ++i) {
        struct place threadIdx = { 5, i, 0 }, blockDim = { 1, 0, 3 };
#pragma acc loop vector
        for (int j = 0; j < 40; ++j)
            gridDim[i * 40 + j] += i * threadIdx.x + j * blockDim.z - threadIdx.y + blockIdx;
        routine(gridDim + i * 40, i, blockIdx);
    }
}

int least_and_greatest(const int *restrict a, int *restrict b, int n, int min, int max)
{
    int fmax = -1, dim3 = n - 1, dim3_ = 3;
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n]) reduction(max: fmax)
    for (int i = 1; i < dim3; ++i) {
#pragma acc cache(a[i - 1:3])
        int v = a[i - 1] + a[i] + a[i + 1];
        if (v < min)
            v = min;
        if (v > max)
            v = max;
        fmax = v > fmax ? v : fmax;
        b[i] += v + dim3_;
    }
    return fmax;
}

void atomics(const int *restrict a, int *restrict counts, int n, int atomicMax)
{
#pragma acc parallel loop gang copyin(a[0:n]) copy(counts[0:10]) num_gangs(3)
    for (int i = 0; i < n; ++i) {
        int atomicAdd = a[i] % 9;
#pragma acc atomic
        counts[atomicAdd] += 1;
#pragma acc atomic
        counts[9] ^= atomicMax * i;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), counts[10] = { 0 };
    int *a = (int *)malloc(n * 40 * sizeof(int)), *b = (int *)calloc(n, sizeof(int));
    for (int i = 0; i < n * 40; ++i)
        a[i] = noise(i, 1);
    positions(a, n, 7);
    SHOW("positions", a, n * 40);
    int greatest = least_and_greatest(a, b, n, 100, 2000);
    SHOW("least_and_greatest", b, n);
    SHOW("greatest", &greatest, 1);
    atomics(a, counts, n, 5);
    SHOW("atomics", counts, 10);
    return 0;
}
