/* Compute constructs and levels of parallelism: every case gives what the sequential program gives. */
#include "show.h"

#define ROWS 11
#define COLUMNS 140

int matrix[ROWS][COLUMNS];

void gang_worker_vector(int n)
{
#pragma acc parallel loop gang worker vector copy(matrix)
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            matrix[i][j] = matrix[i][j] * 3 + i * j + n;
}

void three_loops(int *restrict a, int n)
{
#pragma acc parallel num_gangs(4) num_workers(3) vector_length(32) copy(a[0:n*n*n])
    {
#pragma acc loop gang
        for (int i = 0; i < n; ++i) {
#pragma acc loop worker
            for (int j = 0; j < n; ++j) {
#pragma acc loop vector
                for (int k = 0; k < n; ++k)
                    a[(i * n + j) * n + k] += i * 100 + j * 10 + k;
            }
        }
    }
}

void sizes_on_the_loops(int *restrict a, int n)
{
#pragma acc kernels copy(a[0:n*n])
    {
#pragma acc loop independent gang(3)
        for (int i = 0; i < n; ++i) {
#pragma acc loop independent vector(64)
            for (int j = 0; j < n; ++j)
                a[i * n + j] += i - j;
        }
    }
}

void sizes_known_at_run_time(int *restrict a, int n, int gangs)
{
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(64) copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += i;
}

void more_iterations_than_threads(int *restrict a, int n)
{
#pragma acc parallel loop gang num_gangs(2) vector_length(32) copy(a[0:n])
    for (int i = 0; i < n / 100; ++i) {
#pragma acc loop vector
        for (int j = 0; j < 100; ++j)
            a[i * 100 + j] = a[i * 100 + j] * 5 + i;
    }
}

void sequential_inside(int *restrict a, int n)
{
#pragma acc parallel loop gang vector copy(a[0:n])
    for (int i = 0; i < n / 10; ++i) {
#pragma acc loop seq
        for (int j = 1; j < 10; ++j)
            a[i * 10 + j] += a[i * 10 + j - 1];
    }
}

void sequential_outside(int *restrict a, int n)
{
#pragma acc parallel copy(a[0:n]) num_gangs(1)
    {
#pragma acc loop seq
        for (int step = 1; step < 5; ++step) {
#pragma acc loop vector
            for (int i = 0; i < n; ++i)
                a[i] = a[i] * 3 + step;
        }
    }
}

/* A loop that says auto is parallel only if it can be. */
void automatic(int *restrict a, int n)
{
#pragma acc parallel loop auto copy(a[0:n]) /* one thread */
    for (int i = 1; i < n; ++i)
        a[i] += a[i - 1];
#pragma acc parallel loop auto copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = a[i] * 3 + i;
}

void collapsed(int *restrict a, int n)
{
#pragma acc parallel loop collapse(3) copy(a[0:n*n*n])
    for (int i = 0; i < n; ++i)
        for (int j = n - 1; j >= 0; --j)
            for (int k = 1; k < n; k += 2)
                a[(i * n + j) * n + k] += i * 100 + j * 10 + k;
}

void private_scalar(const int *restrict a, int *restrict b, int n)
{
    int twice = -1, temporary[4] = {9, 9, 9, 9};
#pragma acc parallel loop private(twice, temporary) copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        twice = a[i] * 2;
        for (int k = 0; k < 4; ++k)
            temporary[k] = twice + k;
        b[i] = temporary[i % 4];
    }
}

void firstprivate_scalar(int *restrict b, int n)
{
    int base = 40, weights[3] = {1, 10, 100};
#pragma acc parallel loop gang vector firstprivate(base, weights) copyout(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] = base + weights[i % 3] * i;
}

/* Between gang and vector loops one thread acts, and all threads learn what it found. */
void between_the_loops(const int *restrict a, int *restrict b, int *restrict rows, int n)
{
#pragma acc parallel loop gang vector_length(64) copyin(a[0:n*n]) copy(b[0:n*n], rows[0:n])
    for (int i = 0; i < n; ++i) {
        int scale = a[i * n] % 7 + 1;
        int offset = 0;
        rows[i] += 1;
        for (int k = 0; k < scale; ++k)
            offset += k;
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            b[i * n + j] = a[i * n + j] * scale + offset + rows[i];
        rows[i] *= 2;
        if (scale > 3)
            rows[i] += offset;
        scale = rows[i] % 5;
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            b[i * n + j] += scale;
    }
}

void between_gang_and_worker(int *restrict b, int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copy(b[0:n*n*2])
    for (int i = 0; i < n; ++i) {
        int first = b[i * n] & 15;
#pragma acc loop worker
        for (int j = 0; j < n; ++j) {
            int second = first + j;
            b[n * n + i * n + j] = second;
#pragma acc loop vector
            for (int k = 0; k < 1; ++k)
                b[i * n + j] += second * 2;
        }
    }
}

/* Only the first worker runs the first loop, since it changes memory; all of them need what it sums up. */
void one_worker_sums(int *restrict b, int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copy(b[0:n*n*2])
    for (int i = 0; i < n; ++i) {
        int sum = 0;
#pragma acc loop vector reduction(+: sum)
        for (int j = 0; j < n; ++j) {
            sum += b[i * n + j];
            b[i * n + j] = j;
        }
#pragma acc loop worker
        for (int j = 0; j < n; ++j) {
            b[n * n + i * n + j] = sum + j;
#pragma acc loop vector
            for (int k = 0; k < 1; ++k)
                b[i * n + j] += sum;
        }
    }
}

/* The condition is the same for the whole gang. */
void loops_under_a_condition(int *restrict b, int n)
{
#pragma acc parallel loop gang copy(b[0:n*n])
    for (int i = 0; i < n; ++i) {
        if (i % 3 == 1) {
#pragma acc loop vector
            for (int j = 0; j < n; ++j)
                b[i * n + j] += 7;
        } else {
            b[i * n] = -1;
        }
    }
}

void whole_construct(int *restrict b, int n)
{
#pragma acc parallel num_gangs(1) copy(b[0:n])
    {
        int last = b[n - 1];
        b[0] = last + 1;
#pragma acc loop gang vector
        for (int i = 1; i < n; ++i)
            b[i] = b[i] + last;
    }
}

void serial_construct(int *restrict b, int n)
{
#pragma acc serial copy(b[0:n]) /* one thread */
    {
        for (int i = 1; i < n; ++i)
            b[i] += b[i - 1] & 255;
#pragma acc loop gang vector
        for (int i = 0; i < n; ++i)
            b[i] *= 2;
    }
#pragma acc serial loop copy(b[0:n]) /* one thread */
    for (int i = n - 2; i >= 0; --i)
        b[i] += b[i + 1] & 15;
}

void several_nests(int *restrict a, int *restrict b, int n)
{
    int last = 0;
#pragma acc kernels copy(a[0:n], b[0:n])
    {
        for (int i = 0; i < n; ++i)
            a[i] = a[i] * 2 + 1;
        for (int i = 0; i < n; ++i)
            b[i] = a[n - 1 - i];
        last = b[0]; /* one thread */
        for (int i = 1; i < n; ++i) /* one thread */
            b[i] += b[i - 1] & 255;
        for (int i = 0; i < n / 10; ++i)
            for (int j = 0; j < 10; ++j)
                a[i * 10 + j] += b[j] + last;
    }
    a[0] += last;
}

void triangle(int *restrict a, int n)
{
#pragma acc parallel loop gang copy(a[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = i; j < n; ++j)
            a[i * n + j] += i * j;
    }
}

void level_for_a_loop_inside(int *restrict a, int n)
{
#pragma acc parallel num_workers(3) vector_length(32) copy(a[0:n*n*n])
    {
#pragma acc loop gang worker
        for (int i = 0; i < n; ++i) {
#pragma acc loop
            for (int j = 0; j < n; ++j) {
#pragma acc loop vector
                for (int k = 0; k < n; ++k)
                    a[(i * n + j) * n + k] += i * 7 + j * 5 - k;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 13);
    int cube = n * n * n, *a = new_ints(cube + 400, 1), *b = new_ints(cube + 400, 2), *rows = new_ints(n, 3);
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        matrix[0][i] = noise(i, 4);
    gang_worker_vector(n);
    SHOW("gang_worker_vector", &matrix[0][0], ROWS * COLUMNS);
    three_loops(a, n);
    SHOW("three_loops", a, cube);
    level_for_a_loop_inside(a, n);
    SHOW("level_for_a_loop_inside", a, cube);
    sizes_on_the_loops(a, n);
    SHOW("sizes_on_the_loops", a, cube);
    sizes_known_at_run_time(a, cube, 3);
    SHOW("sizes_known_at_run_time", a, cube);
    more_iterations_than_threads(a, cube + 400);
    SHOW("more_iterations_than_threads", a, cube);
    sequential_inside(a, cube);
    SHOW("sequential_inside", a, cube);
    sequential_outside(a, cube);
    SHOW("sequential_outside", a, cube);
    automatic(a, cube);
    SHOW("automatic", a, cube);
    collapsed(a, n);
    SHOW("collapsed", a, cube);
    private_scalar(a, b, cube);
    SHOW("private_scalar", b, cube);
    firstprivate_scalar(b, cube);
    SHOW("firstprivate_scalar", b, cube);
    between_the_loops(a, b, rows, n);
    SHOW("between_the_loops", b, cube);
    SHOW("rows", rows, n);
    between_gang_and_worker(b, n);
    SHOW("between_gang_and_worker", b, cube);
    one_worker_sums(b, n);
    SHOW("one_worker_sums", b, cube);
    loops_under_a_condition(b, n);
    SHOW("loops_under_a_condition", b, cube);
    whole_construct(b, cube);
    SHOW("whole_construct", b, cube);
    serial_construct(b, cube);
    SHOW("serial_construct", b, cube);
    several_nests(a, b, cube);
    SHOW("several_nests a", a, cube);
    SHOW("several_nests b", b, cube);
    triangle(a, n);
    SHOW("triangle", a, cube);
    return 0;
}
