// The microbenchmark of paper 004, its Listing 6, in all forms: blocks of 16 x 16 threads relax tiles in shared memory.
// Called with the extent of the square (16) and rounds (4). The barrier behind the fetch is missing in the paper.
#include <cstdio>
#include <cstdlib>

template <class T, bool Flat, bool XY, int Pad>
__global__ void relax(T *global, int size, int rounds)
{
    __shared__ T rows_of[Flat ? 1 : 16 + Pad][Flat ? (16 + Pad) * (16 + Pad) : 16 + Pad];
    const int row = XY ? threadIdx.x : threadIdx.y, rows = XY ? blockDim.x : blockDim.y;
    const int col = XY ? threadIdx.y : threadIdx.x, cols = XY ? blockDim.y : blockDim.x;
    const int index = (threadIdx.x + blockIdx.x * blockDim.x) * size + threadIdx.y + blockIdx.y * blockDim.y;
    auto at = [&](int r, int c) -> T & { return Flat ? rows_of[0][r * (16 + Pad) + c] : rows_of[Flat ? 0 : r][c]; };
    at(row, col) = global[index];
    const int s = row == rows - 1 ? row : row + 1, n = row == 0 ? 0 : row - 1;
    const int w = col == cols - 1 ? col : col + 1, e = col == 0 ? 0 : col - 1;
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        T sum = (at(row, col) + at(s, col) + at(n, col) + at(row, e) + at(row, w)) * 0.8;
        __syncthreads();
        at(row, col) = sum;
        __syncthreads();
    }
    global[index] = at(row, col);
}

template <class T, bool Flat, bool XY, int Pad>
void launch(void *memory, int size, int rounds)
{
    relax<T, Flat, XY, Pad><<<dim3(size / 16, size / 16), dim3(16, 16)>>>(static_cast<T *>(memory), size, rounds);
}

// As settings() of banks.py has them.
template <class T, bool Flat>
void launch_orders(void *memory, int size, int rounds)
{
    launch<T, Flat, true, 0>(memory, size, rounds);
    launch<T, Flat, true, 1>(memory, size, rounds);
    launch<T, Flat, false, 0>(memory, size, rounds);
    launch<T, Flat, false, 1>(memory, size, rounds);
}

int main(int argc, char **argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 16, rounds = argc > 2 ? std::atoi(argv[2]) : 4;
    void *memory;
    cudaMalloc(&memory, sizeof(double) * size * size);
    cudaMemset(memory, 0, sizeof(double) * size * size);
    launch_orders<int, false>(memory, size, rounds);
    launch_orders<int, true>(memory, size, rounds);
    launch_orders<double, false>(memory, size, rounds);
    launch_orders<double, true>(memory, size, rounds);
    std::puts("mean 0");
    return cudaDeviceSynchronize() != cudaSuccess;
}
