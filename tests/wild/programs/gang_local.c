/* Arrays of a gang: declared in the body of the gang loop, or private to it, and named by a cache directive. */
#include "show.h"

#define BINS 48
#define CHUNK 200
#define WIDTH 64
#define SIDE 12

typedef struct {
    float density, speed[3];
} Cell;

/* Fill, count, accumulate: each vector loop uses what the one before it left. */
void histogram(const int *restrict data, int *restrict out, int chunks)
{
#pragma acc parallel loop gang copyin(data[0:chunks*CHUNK]) copyout(out[0:chunks*BINS])
    for (int chunk = 0; chunk < chunks; ++chunk) {
        int local[BINS];
#pragma acc cache(local[0:BINS]) /* auto: scratch */
#pragma acc loop vector
        for (int bin = 0; bin < BINS; ++bin)
            local[bin] = 0;
#pragma acc loop vector
        for (int bin = 0; bin < BINS; ++bin)
            for (int i = 0; i < CHUNK; ++i)
                if (data[chunk * CHUNK + i] % BINS == bin)
                    local[bin]++;
#pragma acc loop vector
        for (int bin = 0; bin < BINS; ++bin) {
            int sum = 0;
            for (int lower = 0; lower <= bin; ++lower)
                sum += local[lower];
            out[chunk * BINS + bin] = sum;
        }
    }
}

/* Hillis and Steele's scan between two arrays of the gang. */
void scan(const int *restrict data, int *restrict out, int chunks)
{
#pragma acc parallel loop gang vector_length(WIDTH) copyin(data[0:chunks*WIDTH]) copyout(out[0:chunks*WIDTH])
    for (int chunk = 0; chunk < chunks; ++chunk) {
        int now[WIDTH], next[WIDTH];
#pragma acc cache(now[0:WIDTH], next[0:WIDTH]) /* auto: scratch, scratch */
#pragma acc loop vector
        for (int k = 0; k < WIDTH; ++k)
            now[k] = data[chunk * WIDTH + k];
#pragma acc loop seq
        for (int distance = 1; distance < WIDTH; distance *= 2) {
#pragma acc loop vector
            for (int k = 0; k < WIDTH; ++k)
                next[k] = k >= distance ? now[k] + now[k - distance] : now[k];
#pragma acc loop vector
            for (int k = 0; k < WIDTH; ++k)
                now[k] = next[k];
        }
#pragma acc loop vector
        for (int k = 0; k < WIDTH; ++k)
            out[chunk * WIDTH + k] = now[k];
    }
}

/* Thomas' algorithm: the sweeps are one thread's work, filling and storing is everyone's. */
void tridiagonal(const float *restrict right, float *restrict out, int systems)
{
    float upper[WIDTH], value[WIDTH];
#pragma acc parallel loop gang private(upper, value) copyin(right[0:systems*WIDTH]) copyout(out[0:systems*WIDTH])
    for (int s = 0; s < systems; ++s) {
#pragma acc cache(upper[0:WIDTH], value) /* auto: scratch, scratch */
#pragma acc loop vector
        for (int k = 0; k < WIDTH; ++k) {
            upper[k] = -1.0f;
            value[k] = right[s * WIDTH + k];
        }
        upper[0] = upper[0] / 4;
        value[0] = value[0] / 4;
#pragma acc loop seq
        for (int k = 1; k < WIDTH; ++k) {
            float pivot = 4.0f + upper[k - 1];
            upper[k] = upper[k] / pivot;
            value[k] = (value[k] + value[k - 1]) / pivot;
        }
#pragma acc loop seq
        for (int k = WIDTH - 2; k >= 0; --k)
            value[k] = value[k] - upper[k] * value[k + 1];
#pragma acc loop vector
        for (int k = 0; k < WIDTH; ++k)
            out[s * WIDTH + k] = value[k];
    }
}

void array_of_structures(const Cell *restrict cells, float *restrict out, int chunks)
{
#pragma acc parallel loop gang copyin(cells[0:chunks*WIDTH]) copyout(out[0:chunks*WIDTH])
    for (int chunk = 0; chunk < chunks; ++chunk) {
        Cell local[WIDTH];
#pragma acc cache(local[0:WIDTH]) /* auto: scratch */
#pragma acc loop vector
        for (int k = 0; k < WIDTH; ++k) {
            local[k] = cells[chunk * WIDTH + k];
            local[k].density *= 2;
        }
#pragma acc loop vector
        for (int k = 0; k < WIDTH; ++k) {
            int mirror = WIDTH - 1 - k;
            out[chunk * WIDTH + k] = local[mirror].density + local[mirror].speed[k % 3];
        }
    }
}

/* Only the fields one needs, each in an array of its own. */
void fields_of_structures(const Cell *restrict cells, float *restrict out, int chunks)
{
#pragma acc parallel loop gang copyin(cells[0:chunks*WIDTH]) copyout(out[0:chunks*WIDTH])
    for (int chunk = 0; chunk < chunks; ++chunk) {
        float density[WIDTH], speed[WIDTH];
#pragma acc cache(density, speed) /* auto: scratch, scratch */
#pragma acc loop vector
        for (int k = 0; k < WIDTH; ++k) {
            density[k] = cells[chunk * WIDTH + k].density;
            speed[k] = cells[chunk * WIDTH + k].speed[1];
        }
#pragma acc loop vector
        for (int k = 0; k < WIDTH; ++k)
            out[chunk * WIDTH + k] = density[k] * speed[WIDTH - 1 - k];
    }
}

void whole_matrix(const float *restrict in, float *restrict out, int tiles)
{
#pragma acc parallel loop gang copyin(in[0:tiles*SIDE*SIDE]) copyout(out[0:tiles*SIDE*SIDE])
    for (int t = 0; t < tiles; ++t) {
        float xc[SIDE][SIDE];
#pragma acc cache(xc) /* auto: scratch */
#pragma acc loop vector collapse(2)
        for (int i = 0; i < SIDE; ++i)
            for (int j = 0; j < SIDE; ++j)
                xc[i][j] = in[t * SIDE * SIDE + i * SIDE + j];
#pragma acc loop vector collapse(2)
        for (int i = 0; i < SIDE; ++i)
            for (int j = 0; j < SIDE; ++j)
                out[t * SIDE * SIDE + i * SIDE + j] = xc[j][i];
    }
}

/* The directive may stand inside of each vector loop, too. */
void named_in_each_loop(const float *restrict in, float *restrict out, int chunks)
{
#pragma acc parallel copyin(in[0:chunks*WIDTH]) copyout(out[0:chunks*WIDTH])
    {
#pragma acc loop gang
        for (int chunk = 0; chunk < chunks; ++chunk) {
            float tmp[WIDTH];
#pragma acc loop vector
            for (int k = 0; k < WIDTH; ++k) {
#pragma acc cache(tmp[0:WIDTH]) /* auto: scratch */
                tmp[k] = in[chunk * WIDTH + k];
            }
#pragma acc loop vector
            for (int k = 0; k < WIDTH; ++k) {
#pragma acc cache(tmp[0:WIDTH]) /* auto: scratch */
                out[chunk * WIDTH + k] = tmp[WIDTH - 1 - k] - tmp[k];
            }
        }
    }
}

/* One query a gang, read by all its threads. */
void broadcast_row(const float *restrict query, const float *restrict points, float *restrict out, int n, int m)
{
#pragma acc parallel loop gang copyin(query[0:n*BINS], points[0:m*BINS]) copyout(out[0:n*m])
    for (int i = 0; i < n; ++i) {
        float row[BINS];
#pragma acc cache(row[0:BINS]) /* auto: scratch */
#pragma acc loop vector
        for (int d = 0; d < BINS; ++d)
            row[d] = query[i * BINS + d];
#pragma acc loop vector
        for (int j = 0; j < m; ++j) {
            float distance = 0;
            for (int d = 0; d < BINS; ++d)
                distance += (row[d] - points[j * BINS + d]) * (row[d] - points[j * BINS + d]);
            out[i * m + j] = distance;
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 5);
    int *data = new_ints(n * CHUNK, 1), *counts = new_ints(n * CHUNK, 2);
    float *in = new_floats(n * CHUNK, 3), *out = new_floats(n * CHUNK, 4);
    Cell *cells = malloc(n * WIDTH * sizeof(Cell));
    for (int i = 0; i < n * WIDTH; ++i)
        cells[i] = (Cell){noise(i, 5), {noise(i, 6), noise(i, 7), noise(i, 8)}};
    histogram(data, counts, n);
    SHOW("histogram", counts, n * BINS);
    scan(data, counts, n);
    SHOW("scan", counts, n * WIDTH);
    tridiagonal(in, out, n);
    SHOW("tridiagonal", out, n * WIDTH);
    array_of_structures(cells, out, n);
    SHOW("array_of_structures", out, n * WIDTH);
    fields_of_structures(cells, out, n);
    SHOW("fields_of_structures", out, n * WIDTH);
    whole_matrix(in, out, n);
    SHOW("whole_matrix", out, n * SIDE * SIDE);
    named_in_each_loop(in, out, n);
    SHOW("named_in_each_loop", out, n * WIDTH);
    broadcast_row(in, in, out, n, n);
    SHOW("broadcast_row", out, n * n);
    return 0;
}
