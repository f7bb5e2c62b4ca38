// Why registers matter: the paper's Figure 3. Each thread of a block copies a row of a matrix, so that lanes share no line.
//
// In turns that are fair, either all rows have a line in the cache, or none finds its line again.
#include "micro.cuh"

constexpr int WIDTH = 1024;

__global__ void copy_rows(const char *in, unsigned *out, unsigned limit, unsigned *slow)
{
    __shared__ volatile unsigned sink[1024];
    unsigned row = threadIdx.x, late = 0;
    for (unsigned k = 0; k < WIDTH; ++k) {
        late += cycles_of(in + (row * WIDTH + k) * sizeof(unsigned), &sink[row]) > limit;
        out[row * WIDTH + k] = sink[row];
    }
    slow[row] = late;
}

int main()
{
    prefer_l1(copy_rows);
    unsigned limit = measure_latencies().limit();
    std::printf("\nrows  slow loads [%%]  (loads wait for each other too: compare rows, not with the model's misses)\n");
    for (int rows = 32; rows <= 1024; rows *= 2) {
        Buffer<char> in(size_t(rows) * WIDTH * sizeof(unsigned));
        Buffer<unsigned> out(size_t(rows) * WIDTH), slow(rows);
        for (int run = 0; run < 2; ++run)
            launch(copy_rows, rows, in.data, out.data, limit, slow.data);
        CHECK(cudaDeviceSynchronize());
        double late = 0;
        for (unsigned each : slow.host())
            late += each;
        std::printf("%4d  %14.1f\n", rows, 100 * late / (double(rows) * WIDTH));
    }
    return 0;
}
