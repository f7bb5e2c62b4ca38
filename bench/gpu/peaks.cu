// What this GPU reaches at most: bytes a second of a copy in memory, and fused multiply-adds of floats a second.
#include <cstdio>

constexpr int CHAINS = 8, STEPS = 4096, THREADS = 256, BLOCKS = 8192, TRIES = 10;
constexpr size_t WORDS = size_t(1) << 28; // floats: 1 GiB, much more than L2 holds

__global__ void copy(const float4 *from, float4 *to, size_t count)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        to[i] = from[i];
}

__global__ void multiply_add(float *out, float a, float b)
{
    float value[CHAINS];
    for (int c = 0; c < CHAINS; ++c)
        value[c] = threadIdx.x + c;
    for (int step = 0; step < STEPS; ++step)
#pragma unroll
        for (int c = 0; c < CHAINS; ++c)
            value[c] = fmaf(value[c], a, b);
    float sum = 0;
    for (int c = 0; c < CHAINS; ++c)
        sum += value[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <typename Launch> double fastest(Launch launch)
{
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    float best = 1e30f;
    for (int i = 0; i < TRIES; ++i) {
        float found;
        cudaEventRecord(start);
        launch();
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&found, start, stop);
        best = found < best ? found : best;
    }
    return best * 1e-3;
}

int main()
{
    float4 *from, *to;
    cudaMalloc(&from, WORDS * sizeof(float));
    cudaMalloc(&to, WORDS * sizeof(float));
    cudaMemset(from, 0, WORDS * sizeof(float));
    double copied = fastest([=] { copy<<<BLOCKS, THREADS>>>(from, to, WORDS / 4); });
    double added = fastest([=] { multiply_add<<<BLOCKS, THREADS>>>((float *)to, 0.5f, 1.0f); });
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        return 1;
    }
    std::printf("copy_bytes_per_second %.6g\n", 2.0 * WORDS * sizeof(float) / copied);
    std::printf("fma_per_second %.6g\n", double(BLOCKS) * THREADS * CHAINS * STEPS / added);
    return 0;
}
