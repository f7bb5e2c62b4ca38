/* samples/gemm.c by cuBLAS, which may add in another order; the sums of these whole numbers are exact. */
#include <cublas_v2.h>

#include "../peers/peer.h"
#include "launch_timer.h"

static int random_below(unsigned *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (unsigned)below);
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 100);
    const size_t count = (size_t)n * n;
    unsigned seed = 1;
    ALLOCATE(float, a, count);
    ALLOCATE(float, b, count);
    ALLOCATE(float, c, count);
    for (size_t i = 0; i < count; ++i) {
        a[i] = random_below(&seed, 17) - 8;
        b[i] = random_below(&seed, 17) - 8;
    }
    float *device_a = on_device(a, count), *device_b = on_device(b, count), *device_c = on_device<float>(nullptr, count);
    const float one = 1, zero = 0;
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return 1;
    // cuBLAS takes matrices column by column: the product of the transposed ones in the other order is c, row by row
    auto multiply = [&] {
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, device_b, n, device_a, n, &zero, device_c, n);
        return cudaGetLastError();
    };
    launch_timer::measure("cublasSgemm", dim3(1), dim3(1), nullptr, multiply);
    multiply();
    to_host(c, device_c, count);
    cublasDestroy(handle);
    return report_mean(c, count);
}
