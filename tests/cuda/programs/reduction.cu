// Shuffles, votes, block reductions with a functor, overloads, atomics on float and double, several streams.
#include <numeric>
#include <vector>

#include "check.h"

struct Sum {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Most {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

template <typename T, typename Op> __device__ __forceinline__ T reduce_warp(T value, Op op) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value = op(value, __shfl_down_sync(0xffffffff, value, offset));
    return value;
}

template <unsigned int threads, typename T, typename Op = Sum>
__global__ void reduce(const T *in, T *out, size_t n, T neutral, Op op = Op{}) {
    __shared__ T parts[threads / 32];
    T value = neutral;
    for (size_t i = blockIdx.x * threads + threadIdx.x; i < n; i += size_t(threads) * gridDim.x) value = op(value, in[i]);
    value = reduce_warp(value, op);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < threads / 32 ? parts[threadIdx.x] : neutral;
        value = reduce_warp(value, op);
        if (threadIdx.x == 0) out[blockIdx.x] = value;
    }
}

__global__ void add_up(const float *in, int n, float *sum) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) atomicAdd(sum, in[i]);
}
__global__ void add_up(const double *in, int n, double *sum) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) atomicAdd(sum, in[i]);
}

__global__ void count_odd(const int *in, int n, unsigned *count) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned odd = __ballot_sync(~0u, i < n && in[i] % 2);
    if (threadIdx.x % warpSize == 0) atomicAdd(count, __popc(odd));
    if (__syncthreads_or(i == 5) && threadIdx.x == 0) atomicOr(count + 1, 1u << blockIdx.x);
}

int main() {
    const int n = 5000;
    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = (i * 37) % 1001 - 200;
    int *in, *out;
    cudaStream_t streams[2];
    for (cudaStream_t &stream : streams) CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, 18 * sizeof(int)));
    CHECK(cudaMemcpyAsync(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    reduce<256><<<8, 256, 0, streams[0]>>>(in, out, (size_t)n, 0, Sum{});
    reduce<256, int, Sum><<<1, 256, 0, streams[0]>>>(out, out + 16, 8, 0);
    reduce<128><<<8, 128, 0, streams[1]>>>(in, out + 8, (size_t)n, -1000, Most{});
    CHECK(cudaStreamSynchronize(streams[1]));
    reduce<128><<<1, 128, 0, streams[1]>>>(out + 8, out + 17, (size_t)8, -1000, Most());
    CHECK(cudaDeviceSynchronize());
    int results[2];
    CHECK(cudaMemcpy(results, out + 16, sizeof results, cudaMemcpyDeviceToHost));
    bool right = results[0] == std::accumulate(host.begin(), host.end(), 0) && results[1] == 800;

    float *quarters, *sum;
    double *halves, *double_sum;
    CHECK(cudaMallocManaged(&quarters, n * sizeof(float)));
    CHECK(cudaMallocManaged(&halves, n * sizeof(double)));
    CHECK(cudaMallocManaged(&sum, sizeof(float)));
    CHECK(cudaMallocManaged(&double_sum, sizeof(double)));
    for (int i = 0; i < n; ++i) quarters[i] = 0.25f, halves[i] = 0.5;
    *sum = 0, *double_sum = 0;
    add_up<<<(n + 99) / 100, 100>>>(quarters, n, sum);
    add_up<<<(n + 99) / 100, 100>>>(halves, n, double_sum);
    CHECK(cudaDeviceSynchronize());
    right = right && *sum == n / 4 && *double_sum == n / 2;

    unsigned *count, counts[2];
    CHECK(cudaMalloc(&count, sizeof counts));
    CHECK(cudaMemset(count, 0, sizeof counts));
    count_odd<<<(n + 255) / 256, 256>>>(in, n, count);
    CHECK(cudaMemcpy(counts, count, sizeof counts, cudaMemcpyDeviceToHost));
    unsigned odd = 0;
    for (int value : host) odd += value % 2 != 0;
    for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
    return verdict(right && counts[0] == odd && counts[1] == 1);
}
