// Templates with deduced arguments, an error macro, events, pinned memory.
#include <vector>

#include "check.h"

template <class T> __global__ void add(const T *a, const T *b, T *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

template <class T> static bool run(int n) {
    const size_t bytes = n * sizeof(T);
    T *a, *b, *c;
    CHECK(cudaMallocHost(&a, bytes));
    std::vector<T> host_b(n), host_c(n);
    for (int i = 0; i < n; ++i) a[i] = T(i) / 2, host_b[i] = T(3 * i);
    T *device_a;
    CHECK(cudaMalloc((void **)&device_a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc<T>(&c, bytes));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host_b.data(), bytes, cudaMemcpyDefault));
    CHECK(cudaEventRecord(start, 0));
    add<<<(n + 127) / 128, 128>>>(device_a, b, c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(cudaMemcpy(host_c.data(), c, bytes, cudaMemcpyDeviceToHost));
    bool right = milliseconds >= 0;
    for (int i = 0; i < n; ++i) right = right && host_c[i] == a[i] + host_b[i];
    cudaFree(device_a), cudaFree(b), cudaFree(c), cudaFreeHost(a);
    return right;
}

int main() {
    bool right = run<float>(1000) && run<double>(77) && run<int>(256);
    add<float><<<1, 2048>>>(nullptr, nullptr, nullptr, 0);
    const cudaError_t error = cudaGetLastError(); // CUDA 13 says the latter
    right = right && (error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue);
    right = right && cudaGetLastError() == cudaSuccess;
    return verdict(right);
}
