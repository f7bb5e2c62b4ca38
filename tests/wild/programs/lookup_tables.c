/* Lookup tables: whole and small, or in parts whose place is data. */
#include "show.h"

#define ENTRIES 60
#define TAPS 8

void whole_table(const float *restrict table, const int *restrict in, float *restrict out, int n)
{
#pragma acc parallel loop copyin(table[0:ENTRIES], in[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(table[0:ENTRIES]) /* auto: rbc block ACC409 */
        out[i] = table[in[i] % ENTRIES];
    }
}

void whole_table_read_in_order(const float *restrict table, float *restrict out, int n)
{
#pragma acc parallel loop copyin(table[0:ENTRIES]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(table[0:ENTRIES]) /* auto: rbi block */
        for (int k = 0; k < ENTRIES; ++k)
            sum += table[k] * k;
        out[i] = sum - i;
    }
}

void declared_table(const int *restrict in, float *restrict out, int n)
{
    float table[ENTRIES];
    for (int k = 0; k < ENTRIES; ++k)
        table[k] = noise(k, 9);
#pragma acc parallel loop copyin(in[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(table) /* auto: rbc block ACC409 */
        out[i] = table[in[i] % ENTRIES];
    }
}

/* The length is known when the program runs. */
void run_time_length(const float *restrict omegas, float *restrict u, int n, int maxiter)
{
#pragma acc parallel loop copyin(omegas[0:maxiter]) copy(u[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(omegas[0:maxiter]) /* auto: rbc block ACC409 */
        for (int k = 0; k < maxiter; ++k)
            u[i] = u[i] * 0.5f + omegas[k];
    }
}

/* A neighbour table, rows of eight. */
void neighbours(const int *restrict nn, const float *restrict u, float *restrict out, int n)
{
#pragma acc parallel loop copyin(nn[0:n*TAPS], u[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        int idx = i * TAPS;
        float sum = 0;
#pragma acc cache(nn[idx:TAPS]) /* auto: none ACC419 2048 with one */
        for (int k = 0; k < TAPS; ++k)
            sum += u[nn[idx + k] % n];
        out[i] = sum;
    }
}

void table_of_rows(int (*restrict nn)[2][4], const float *restrict u, float *restrict out, int n)
{
#pragma acc parallel loop copyin(nn[0:n], u[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(nn[i:1][0:2][0:4]) /* auto: none ACC419 2048 with one */
        for (int parity = 0; parity < 2; ++parity)
            for (int mu = 0; mu < 4; ++mu)
                sum += u[nn[i][parity][mu] % n] * (mu + 1);
        out[i] = sum;
    }
}

/* Each thread's place comes from memory. */
void place_from_memory(const int *restrict where, const float *restrict table, float *restrict out, int n)
{
#pragma acc parallel loop copyin(where[0:n], table[0:1000+TAPS]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        int start = where[i];
        float sum = 0;
#pragma acc cache(table[start:TAPS]) /* auto: none ACC419 cannot be shared */
        for (int k = start; k < start + TAPS; ++k)
            sum += table[k];
        out[i] = sum;
    }
}

/* One place a gang: all its threads agree, but it still comes from memory. */
void place_of_the_gang(const int *restrict where, const float *restrict table, float *restrict out, int n)
{
#pragma acc parallel loop gang copyin(where[0:n], table[0:1000+TAPS]) copyout(out[0:n*TAPS])
    for (int i = 0; i < n; ++i) {
        int start = where[i];
#pragma acc loop vector
        for (int j = 0; j < TAPS; ++j) {
            float sum = 0;
#pragma acc cache(table[start:TAPS]) /* auto: rbc block ACC409 */
            for (int k = 0; k < TAPS; ++k)
                sum += table[start + (k + j) % TAPS];
            out[i * TAPS + j] = sum;
        }
    }
}

/* The region holds the vector loop, and the gang's place and count are computed right in front of it. */
void row_of_the_gang(const int *restrict where, const float *restrict table, float *restrict out, int n)
{
#pragma acc parallel loop gang copyin(where[0:n], table[0:1000+TAPS]) copyout(out[0:n*TAPS])
    for (int i = 0; i < n; ++i) {
        int start = where[i];
        int count = TAPS - where[i] % 3;
#pragma acc cache(table[start:TAPS]) /* auto: rbi block */
#pragma acc loop vector
        for (int j = 0; j < TAPS; ++j) {
            float sum = 0;
            for (int k = start; k < start + TAPS; ++k)
                sum += table[k] * j;
            out[i * TAPS + j] = sum;
        }
#pragma acc loop vector
        for (int j = 0; j < TAPS; ++j) {
#pragma acc cache(where[start:count]) /* auto: none ACC402 refer */
            out[i * TAPS + j] += count;
        }
    }
}

/* The second place is read from the array cached first. */
void place_from_a_cached_array(const int *restrict first, const int *restrict second, int *restrict out, int n)
{
#pragma acc parallel loop copyin(first[0:n+1], second[0:1000+TAPS]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        int sum = 0;
#pragma acc cache(first[i:2]) /* auto: rbi block */
        for (int side = 0; side < 2; ++side) {
            int start = first[i + side];
#pragma acc cache(second[start:4]) /* auto: any */
            for (int k = 0; k < 4; ++k)
                sum = sum * 3 + second[start + k];
        }
        out[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 600);
    float *table = new_floats(1000 + TAPS, 1), *u = new_floats(n, 2), *out = new_floats(n * TAPS, 3);
    int *in = new_ints(n * TAPS + 1, 4), *second = new_ints(1000 + TAPS, 5), *sums = new_ints(n, 6);
    whole_table(table, in, out, n);
    SHOW("whole_table", out, n);
    whole_table_read_in_order(table, out, n);
    SHOW("whole_table_read_in_order", out, n);
    declared_table(in, out, n);
    SHOW("declared_table", out, n);
    run_time_length(table, out, n, 20);
    SHOW("run_time_length", out, n);
    run_time_length(table, out, n, 0);
    SHOW("run_time_length 0", out, n);
    float *many = new_floats(100000, 7);
    run_time_length(many, out, n < 10 ? n : 10, 100000);
    SHOW("run_time_length that does not fit", out, n);
    neighbours(in, u, out, n);
    SHOW("neighbours", out, n);
    table_of_rows((int(*)[2][4])in, u, out, n);
    SHOW("table_of_rows", out, n);
    place_from_memory(in, table, out, n);
    SHOW("place_from_memory", out, n);
    place_of_the_gang(in, table, out, n);
    SHOW("place_of_the_gang", out, n * TAPS);
    row_of_the_gang(in, table, out, n);
    SHOW("row_of_the_gang", out, n * TAPS);
    place_from_a_cached_array(in, second, sums, n);
    SHOW("place_from_a_cached_array", sums, n);
    return 0;
}
