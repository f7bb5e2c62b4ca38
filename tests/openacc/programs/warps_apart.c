/* Workers of one warp each, which take ways of their own between vector loops: conditions, rounds, early ends. */
#include "show.h"

enum { ROWS = 45, LENGTH = 90, SHORT = 40 };

/* Rows of a sparse matrix, some of them empty. */
static void sums_of_rows(const int *start, const int *v, int *out, int *most, int n)
{
#pragma acc parallel loop gang worker vector_length(32) copyin(start[0:n + 1], v[0:start[n]]) copyout(out[0:n], most[0:n])
    for (int r = 0; r < n; ++r) {
        int sum = 0, largest = -1;
        if (start[r] < start[r + 1]) {
#pragma acc loop vector reduction(+:sum)
            for (int k = start[r]; k < start[r + 1]; ++k) sum += v[k];
            if (sum > 3) {
#pragma acc loop vector reduction(max:largest)
                for (int k = start[r]; k < start[r + 1]; ++k) largest = v[k] > largest ? v[k] : largest;
            }
        }
        out[r] = sum;
        most[r] = largest;
    }
}

/* A row that ends early, and what it had stored. */
static void skips_rows(const int *start, const int *v, int *out, int *most, int n)
{
#pragma acc parallel loop gang worker copyin(start[0:n + 1], v[0:start[n]]) copy(out[0:n], most[0:n])
    for (int r = 0; r < n; ++r) {
        most[r] = out[r];
        if (start[r] == start[r + 1]) continue;
        int sum = 0;
#pragma acc loop vector reduction(+:sum)
        for (int k = start[r]; k < start[r + 1]; ++k) sum += v[k] * out[r];
        if (sum % 3 == 0) continue;
        out[r] = sum;
#pragma acc loop vector reduction(^:sum)
        for (int k = start[r]; k < start[r + 1]; ++k) sum ^= v[k] + out[r];
        most[r] += sum;
    }
}

/* A row has as many rounds as it takes; lanes pass elements to each other in each. */
static void rounds_of_a_row(int (*a)[LENGTH], int *rounds, int n)
{
#pragma acc parallel loop gang worker vector_length(32) copy(a[0:n]) copyout(rounds[0:n])
    for (int r = 0; r < n; ++r) {
        int count = 0, left = a[r][0] % 7;
        while (left > 0) {
            int other[LENGTH];
#pragma acc loop vector
            for (int j = 0; j < LENGTH; ++j) other[j] = a[r][LENGTH - 1 - j] + 1;
            if (other[5] % 11 == 0) break;
#pragma acc loop vector
            for (int j = 0; j < LENGTH; ++j) a[r][j] = other[(j * 7) % LENGTH];
            ++count;
            left -= 1 + a[r][3] % 2;
        }
        rounds[r] = count;
    }
}

/* Workers of a gang, which read what all of them have written before, and count together. */
static void workers_of_a_gang(int (*a)[LENGTH], int *counted, int n)
{
#pragma acc parallel loop gang copy(a[0:n], counted[0:n])
    for (int g = 0; g < n; ++g) {
        int row[LENGTH];
#pragma acc loop vector
        for (int j = 0; j < LENGTH; ++j) row[j] = a[g][j] % 13;
        int largest = 0;
        for (int pass = 0; pass < 3; ++pass) {
#pragma acc loop worker reduction(max:largest)
            for (int w = 0; w < LENGTH / 4; ++w) {
                int own[SHORT];
                int count = 0, sum = 0;
                if (row[(w + 1) % LENGTH] < 2) continue;
#pragma acc loop vector
                for (int i = 0; i < SHORT; ++i) own[i] = i * row[w] + g;
                for (int d = 0; d < row[w] % 5; ++d) {
                    int part = 0;
#pragma acc loop vector reduction(+:part)
                    for (int i = 0; i < SHORT; ++i) part += own[SHORT - 1 - i] * d;
                    count += part % 7;
#pragma acc loop vector
                    for (int i = 0; i < SHORT; ++i) own[i] += d;
                    if (count > 9) break;
                }
                if (count > 3) {
                    int before;
#pragma acc atomic capture
                    { before = counted[g]; counted[g] += 1; }
#pragma acc loop vector reduction(+:sum)
                    for (int i = 0; i < SHORT; ++i) sum += own[i] + 0 * before;
                    a[g][w] += sum % 101;
                }
                if (sum > largest) largest = sum;
            }
#pragma acc loop vector
            for (int j = 0; j < LENGTH; ++j) row[j] += pass;
        }
        a[g][LENGTH - 1] = largest;
    }
}

/* A loop over workers and vectors together takes no more lanes than are asked for. */
static void joined_and_apart(int (*a)[LENGTH], int *counted, int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copy(a[0:n], counted[0:n])
    for (int g = 0; g < n; ++g) {
#pragma acc loop worker vector
        for (int j = 0; j < LENGTH; ++j) a[g][j] = a[g][j] % 29 + g;
        int sums = 0;
#pragma acc loop worker reduction(+:sums)
        for (int w = 0; w < 9; ++w) {
            int sum = 0;
            if (a[g][w] % 2) {
#pragma acc loop vector reduction(+:sum)
                for (int j = 10 + w; j < LENGTH; ++j) sum += a[g][j] * w;
            }
            sums += sum;
        }
        counted[g] = sums;
    }
}

int main(void)
{
    static int start[ROWS + 1], v[ROWS * 60], out[ROWS], most[ROWS], a[ROWS][LENGTH], counted[ROWS];
    for (int r = 0; r < ROWS; ++r) start[r + 1] = start[r] + (r % 5 == 2 ? 0 : r * 7 % 60);
    for (int k = 0; k < start[ROWS]; ++k) v[k] = k * 11 % 17 - 6;
    for (int r = 0; r < ROWS; ++r)
        for (int j = 0; j < LENGTH; ++j) a[r][j] = (r * 31 + j * 17) % 43;
    sums_of_rows(start, v, out, most, ROWS);
    SHOW("1: out", out, ROWS);
    SHOW("2: most", most, ROWS);
    skips_rows(start, v, out, most, ROWS);
    SHOW("3: out", out, ROWS);
    SHOW("4: most", most, ROWS);
    rounds_of_a_row(a, counted, ROWS);
    SHOW("5: counted", counted, ROWS);
    workers_of_a_gang(a, counted, ROWS);
    SHOW("6: counted", counted, ROWS);
    SHOW("7: a", a[0], ROWS * LENGTH);
    joined_and_apart(a, counted, ROWS);
    SHOW("8: counted", counted, ROWS);
    SHOW("9: a", a[0], ROWS * LENGTH);
    return 0;
}
