// One template with pointers of the language, and with those of accache_private.cuh: all that pointers do.
#include "../../../templates/runtime/accache_private.cuh"
#include <cstdio>

#define COUNT 45
#define ARRAYS 2

template <class In, class Out>
__device__ int compared(In in, Out out, Out end, ptrdiff_t n)
{
    int found = in ? 1 : 0;
    found += out != nullptr && !(end == nullptr) && bool(end) ? 2 : 0;
    found += out < end && end > out && out <= end && end >= out && !(end <= out) ? 4 : 0;
    In same = out;
    found += same == out && out == same && same - out == 0 && end - same == n && same != end ? 8 : 0;
    for (In last = end - 1; last >= out; last -= 3)
        found += *last + *(1 + last - 1);
    return found;
}

template <class In, class Out>
__device__ void transform(In in, Out out, int n)
{
    const Out end = n + out;
    const int before = compared(In(out), out, end, n);
    for (Out at = out; at < end; ++at)
        *at += *in++ * 2;
    out[0] += before + compared(in - n, out, end, n);
}

__global__ void with_lines(const int *in, int *out, int n, int lines)
{
    extern __shared__ unsigned words[];
    using cache = accache_private::cache<ARRAYS, 16, false, 0>;
    cache mine(words, lines, threadIdx.x, blockDim.x);
    mine.bind<0>(in, size_t(n) * sizeof(int), true);
    mine.bind<1>(out, size_t(n) * sizeof(int), false);
    using Out = accache_private::pointer<cache, 1, int>;
    using In = accache_private::pointer<cache, 1, const int>; // `out` becomes one
    transform(In(mine, in), Out(mine, out), n);
    mine.flush();
}

__global__ void plain(const int *in, int *out, int n) { transform(in, out, n); }

int main()
{
    int in[COUNT], results[2][COUNT], *device_in, *device_out;
    for (int i = 0; i < COUNT; ++i)
        in[i] = 3 * i % 17;
    cudaMalloc(&device_in, sizeof in);
    cudaMalloc(&device_out, sizeof in);
    cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
    for (int(&result)[COUNT] : results) {
        cudaMemcpy(device_out, in, sizeof in, cudaMemcpyHostToDevice);
        if (&result == results)
            plain<<<1, 1>>>(device_in, device_out, COUNT);
        else
            with_lines<<<1, 1, accache_private::words_needed(ARRAYS, ARRAYS, 1, 16, false) * 4>>>(
                device_in, device_out, COUNT, ARRAYS);
        cudaMemcpy(result, device_out, sizeof in, cudaMemcpyDeviceToHost);
    }
    for (int i = 0; i < COUNT; ++i)
        if (results[0][i] != results[1][i]) {
            std::printf("element %d: %d, not %d\n", i, results[1][i], results[0][i]);
            return 1;
        }
    std::puts("right");
    cudaFree(device_in);
    cudaFree(device_out);
    return cudaGetLastError() != cudaSuccess;
}
