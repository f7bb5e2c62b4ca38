/* Loops of kernels constructs, which nobody called independent, with dependences that are easy to overlook. */
#include "show.h"

/* The two inner loops have one counter, each with a range of its own. */
void one_counter_for_two_loops(int *restrict a, int *restrict b, int n)
{
    int j;
#pragma acc kernels copy(a[0:10*n+15], b[0:10*n+15])
    for (int i = 0; i < n; i++) {
        for (j = 0; j < 15; j++)
            a[10 * i + j] = 1000 * i + j;
        for (j = 0; j < 5; j++)
            b[10 * i + j] = a[10 * i + j] + 1;
    }
#pragma acc kernels copy(a[0:10*n+15], b[0:10*n+15])
    for (int i = 0; i < n; i++) {
        for (j = 0; j < 10; j++)
            a[10 * i + j] = 1000 * i + j;
        for (j = 0; j < 5; j++)
            b[10 * i + j] = a[10 * i + j] + 1;
    }
}

/* After its loop a counter is past its range; a loop whose counter others use keeps its order. */
void counter_after_its_loop(int *restrict a, int *restrict b, int n)
{
    int j;
#pragma acc kernels loop private(j) copy(a[0:5*n+20], b[0:15*n])
    for (int i = 0; i < n; i++) {
        for (j = 0; j < 15; j++)
            b[15 * i + j] = i;
        a[5 * i + j] = i;
        a[5 * i + j - 15] += 1;
    }
    int k = 0;
#pragma acc kernels copy(a[0:5*n+20], b[0:15*n])
    {
        for (k = 0; k < n; k++) /* one thread */
            b[k] = k;
        a[k] = 4;
    }
    a[0] += k;
}

/* The start of the inner loop changes within it. */
void start_changes_inside(int *restrict a, int n)
{
    int t;
#pragma acc kernels loop private(t) copy(a[0:10*n+30])
    for (int i = 0; i < n; i++) { /* one thread */
        t = 3;
        for (int k = t; k < 10; k++) {
            t = 20;
            a[10 * i + k] += i;
            a[10 * i + k + t] += i;
        }
    }
}

/* An inner loop that may be empty says nothing of what stands beside it. */
void empty_inner_loop(int *restrict a, int *restrict b, int n, int m)
{
#pragma acc kernels copy(a[0:n*m+1], b[0:n*m+1])
    for (int i = 0; i < n; i++) {
        a[i * m] = i;
        for (int j = 0; j < m; j++)
            b[i * m + j] = i + j;
    }
#pragma acc kernels copy(a[0:n*m+1], b[0:n*m+1])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i * m] = i;
            b[i * m + j] = i + j;
        }
    }
}

/* The elements that the loops end and start at change within them. */
void ends_in_memory(int *restrict a, const int *restrict b, int n)
{
    int longest = n;
    a[0] = n / 2;
#pragma acc kernels copy(a[0:n])
    for (int i = 0; i < a[0]; i++) /* one thread */
        a[i] = 3;
    a[0] = 1;
#pragma acc kernels copy(a[0:n])
    for (int i = 0; i < (a[0] < longest ? a[0] : longest); i++) /* one thread */
        a[i] = longest / 2;
    a[0] = 0;
#pragma acc kernels copy(a[0:n])
    for (int i = a[0]; i < n; i++) /* one thread */
        a[i] = 7;
#pragma acc kernels copy(a[0:n]) copyin(b[0:1])
    for (int i = 0; i < b[0] % n; i++)
        a[i] = 5;
}

/* Of the loops that one directive is for, an inner one depends. */
void collapsed(int *restrict a, int n, int m)
{
    int sum = 0;
#pragma acc kernels loop collapse(2) copy(a[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            a[i * m + j] += a[i * m + j - 1];
#pragma acc kernels loop tile(2, 8) copy(a[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++)
            a[i * m + j] = a[i * m + j - 1] % 1000 + 1;
#pragma acc parallel loop auto collapse(2) num_gangs(1) reduction(+:sum) copy(a[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++) {
            a[i * m + j] += a[i * m + j - 1] + 1;
            sum += a[i * m + j] % 10;
        }
#pragma acc kernels loop collapse(force: 2) copy(a[0:n*m])
    for (int i = 0; i < n; i++) {
        a[i * m] += 3;
        for (int j = 1; j < m; j++)
            a[i * m + j] += i;
    }
#pragma acc kernels loop collapse(2) copy(a[0:n*m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] += i - j;
    a[0] += sum;
}

void collapsed_far(int (*restrict a)[4][3][6], int n)
{
#pragma acc kernels loop collapse(4) copy(a[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 3; k++)
                for (int l = 1; l < 6; l++)
                    a[i][j][k][l] = a[i][j][k][l - 1] + l;
#pragma acc kernels loop collapse(4) copy(a[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 1; k < 3; k++)
                for (int l = 0; l < 6; l++)
                    a[i][j][k][l] = a[i][j][k - 1][l] + l;
}

/* Large unsigned numbers stand for negative ones, or make products of different counters the same. */
void unsigned_numbers(int *restrict a, unsigned n)
{
#pragma acc kernels copy(a[0:4*n+1])
    {
        for (unsigned i = 1; i < n; i++) /* one thread */
            a[i] = a[i + 4294967295u] + 1;
        for (size_t i = 1; i < n; i++) /* one thread */
            a[i] = a[i + SIZE_MAX] + 1;
        for (unsigned i = 0; i < n; i += 2) /* one thread */
            a[i * 2147483648u] += i;
        for (unsigned i = 0; i < 9 * n; i += 9) /* one thread */
            a[i * 954437177u + 1] = a[i * 954437177u] + 1;
        for (unsigned i = 0; i < n; i++) /* one thread */
            a[i * 134217728u / 134217728u] += i;
        for (unsigned i = 0; i < n / 4; i++)
            for (unsigned j = 0; j < 4; j++)
                a[i * 4 + j + 1] += i;
        for (size_t i = 0; i < n / 4; i++)
            a[4 * i + 3] = a[4 * i + 4 + SIZE_MAX] + 1;
    }
}

/* Pointers of the region lead to the memory of others, or move from one iteration to the next. */
#pragma acc routine seq
static int element(const int *p)
{
    return *p;
}

void pointers_to_one_array(int *restrict a, int *restrict b, int n)
{
#pragma acc kernels copy(a[0:4*n], b[0:4*n])
    {
        for (int i = 0; i < n; i++) { /* one thread */
            int *p = a + 1;
            p[i] = a[i] + 1;
        }
        for (int i = 0; i < n; i++) { /* one thread */
            int *p = a + (n - i);
            p[i] = p[i] * 2 + i % 3;
        }
        for (int i = 0; i < n; i++) { /* one thread */
            int *p = a + 1;
            p[i] = element(&a[i]) + 1;
        }
        for (int i = 0; i < n; i++) { /* one thread */
            int *p = i % 2 ? a + 1 : b;
            p[i] = a[i] + b[i];
        }
        for (int i = 0; i < n; i++) { /* one thread */
            int *p;
            p = a + i;
            p[1] = p[0] + 1;
        }
        for (int i = 0; i < n; i++) {
            int *p = a + 2 * i;
            p[1] = p[0] + 1;
        }
    }
#pragma acc kernels copy(a[0:4*n])
    {
        int *p = a + 2;
        for (int i = 0; i < n; i++) /* one thread */
            p[i] = a[i] + 1;
    }
#pragma acc kernels copy(a[0:4*n])
    {
        int *p = a + n;
        for (int i = 0; i < n; i++)
            p[i] = a[i] + 1;
    }
}

void pointers_to_rows(int *restrict a, int *restrict b, int n, int m)
{
#pragma acc kernels copy(a[0:n*m]) copyin(b[0:n*m])
    {
        for (int i = 0; i < n; i++) {
            int *row = a + i * m;
            const int *other = &b[i * m];
            for (int j = 0; j < m; j++)
                row[j] += other[j];
        }
        for (int i = 0; i < n; i++) {
            int *row = a + i * m;
            for (int j = 1; j < m; j++)
                row[j] += row[j - 1];
        }
        for (int i = 1; i < n; i++) {
            int *row = a + i * m, *above = row - m;
            for (int j = 0; j < m; j++)
                row[j] += above[j];
        }
    }
}

/* Through the address of a row all rows can be reached. */
void out_of_a_row(int (*restrict a)[20], int n)
{
#pragma acc kernels copy(a[0:n])
    {
        for (int i = 0; i < n; i++) {
            int *row = a[i];
            for (int j = 0; j < 20; j++)
                row[j] += i;
        }
        for (int i = 0; i < n - 1; i++) {
            int *row = a[i];
            for (int j = 0; j < 20; j++)
                row[j + 20] = a[i][j] % 1000 + 1;
        }
    }
#pragma acc kernels copy(a[0:n])
    {
        int *all = &a[0][0];
        for (int i = 1; i < 20 * n; i++) /* one thread */
            all[i] = all[i - 1] % 1000 + 1;
    }
}

/* Two pointers in memory may lead to one row. */
void rows_in_memory(int *restrict *own, int *x, int n)
{
    int *rows[3] = {x, x, x + n};
#pragma acc data copy(x[0:2*n])
    {
#pragma acc enter data copyin(rows[0:3][0:n])
#pragma acc kernels present(rows)
        for (int i = 1; i < n; i++) /* one thread */
            rows[1][i] += rows[0][i - 1] % 100;
#pragma acc kernels present(rows)
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < n; i++)
                rows[k][i] += i;
#pragma acc kernels present(rows, x)
        for (int i = 1; i < n; i++) /* one thread */
            x[i] = rows[0][i - 1] % 100 + 1;
#pragma acc kernels present(rows)
        for (int i = 1; i < n; i++) { /* one thread */
            int *row = rows[i % 3];
            row[0] = row[0] % 100 + i;
        }
#pragma acc kernels present(rows)
        for (int i = 0; i < n; i++)
            rows[2][i] += i;
#pragma acc exit data delete(rows[0:3][0:n])
    }
#pragma acc kernels copy(own[0:2][0:n])
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            own[k][i] += i;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *a = new_ints(40 * n + 40, 1), *b = new_ints(40 * n + 40, 2);
    one_counter_for_two_loops(a, b, n);
    SHOW("one_counter_for_two_loops a", a, 10 * n + 15);
    SHOW("one_counter_for_two_loops b", b, 10 * n + 15);
    counter_after_its_loop(a, b, n);
    SHOW("counter_after_its_loop a", a, 5 * n + 20);
    SHOW("counter_after_its_loop b", b, 15 * n);
    start_changes_inside(a, n);
    SHOW("start_changes_inside", a, 10 * n + 30);
    for (int m = 0; m < 4; m += 3) {
        empty_inner_loop(a, b, n, m);
        SHOW("empty_inner_loop a", a, n * m + 1);
        SHOW("empty_inner_loop b", b, n * m + 1);
    }
    ends_in_memory(a, b, n);
    SHOW("ends_in_memory", a, n);
    collapsed(a, n, 20);
    SHOW("collapsed", a, 20 * n);
    collapsed_far((int (*)[4][3][6])a, n / 3);
    SHOW("collapsed_far", a, n / 3 * 72);
    unsigned_numbers(a, n);
    SHOW("unsigned_numbers", a, 4 * n + 1);
    pointers_to_one_array(a, b, n);
    SHOW("pointers_to_one_array a", a, 4 * n);
    SHOW("pointers_to_one_array b", b, 4 * n);
    pointers_to_rows(a, b, n, 20);
    SHOW("pointers_to_rows", a, 20 * n);
    out_of_a_row((int (*)[20])a, n);
    SHOW("out_of_a_row", a, 20 * n);
    int *own[2] = {b, b + n};
    rows_in_memory(own, a, n);
    SHOW("rows_in_memory a", a, 2 * n);
    SHOW("rows_in_memory b", b, 2 * n);
    return 0;
}
