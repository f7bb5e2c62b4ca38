"""A CUDA program that asks for the number of multiprocessors, and launches two blocks of a warp for each."""

ASKING = """\
__global__ void copy(const float *a, float *b) { b[32 * blockIdx.x + threadIdx.x] = a[32 * blockIdx.x + threadIdx.x]; }
int main()
{
    int count;
    float *p;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    cudaMalloc(&p, 128 * count * sizeof(float));
    copy<<<2 * count, 32>>>(p, p + 64 * count);
    return 0;
}
"""
