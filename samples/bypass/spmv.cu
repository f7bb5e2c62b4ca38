// A sparse matrix times a vector: which loads should bypass L1?
//
// Each row has WIDTH elements, kept column by column, so that neighbouring threads read neighbouring addresses. Every
// element of the matrix is read once; those of the vector again and again, by rows far apart. What the matrix takes of L1,
// the vector lacks.
//
//     accache bypass samples/bypass/spmv.cu -o spmv -- -O3 -arch=sm_90
//
// usage: spmv [rows]

#include <cstdio>
#include <cstdlib>
#include <vector>

const int WIDTH = 24;

__global__ void spmv(const float *values, const int *columns, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < WIDTH; ++k) {
        float value = values[k * rows + row];
        int column = columns[k * rows + row];
        sum += value * x[column];
    }
    y[row] = sum;
}

template <class T> T *on_device(const std::vector<T> &host)
{
    T *device;
    cudaMalloc(&device, host.size() * sizeof(T));
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? std::atoi(argv[1]) : 40000;
    std::vector<float> values(WIDTH * rows), x(rows), y(rows);
    std::vector<int> columns(WIDTH * rows);
    unsigned random = 1;
    for (int row = 0; row < rows; ++row) {
        x[row] = row % 8;
        for (int k = 0; k < WIDTH; ++k) {
            random = random * 1664525 + 1013904223;
            values[k * rows + row] = k % 4;
            columns[k * rows + row] = (random >> 8) % rows;
        }
    }
    float *device = on_device(y);
    spmv<<<(rows + 255) / 256, 256>>>(on_device(values), on_device(columns), on_device(x), device, rows);
    cudaMemcpy(y.data(), device, rows * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < rows; ++row) {
        float sum = 0; // small whole numbers: exact in any order
        for (int k = 0; k < WIDTH; ++k)
            sum += values[k * rows + row] * x[columns[k * rows + row]];
        wrong += y[row] != sum;
    }
    std::printf("%d rows, %d wrong\n", rows, wrong);
    return wrong != 0;
}
