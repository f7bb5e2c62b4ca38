/* Limits of loops that live in the device's memory, where they differ from the host's: as many iterations as there are
   for the device. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 5000

struct limits {
    unsigned kind : 4, narrow : 20;
    int many[3];
};

static int changing = 1;
#pragma acc declare create(changing)

static int v[MOST], w[40][60];

static int counted(void)
{
    int count = 0;
    for (int i = 0; i < MOST; i++) {
        count += v[i];
        v[i] = 0;
    }
    return count;
}

/* a scalar that the region itself assigns, in the kernel before */
static void of_kernels(int n)
{
    int k = 2;
#pragma acc kernels copy(v)
    {
        k = 10 * n;
        for (int i = 0; i < k; i++)
            v[i]++;
    }
    printf("of_kernels %d %d\n", counted(), k);
}

/* a scalar in a data clause around, also where only the launch computes with it: a block for each iteration */
static void of_scalars(int n)
{
    int k = 2, rows = 1;
#pragma acc data copy(k, rows)
    {
#pragma acc serial
        {
            k = 9 * n;
            rows = 30;
        }
#pragma acc parallel loop copy(v)
        for (int i = 0; i < k; i++)
            v[i]++;
#pragma acc parallel loop copy(v) async(1)
        for (int i = k; i > 1; i -= 3)
            v[i]++;
#pragma acc wait
#pragma acc parallel loop gang copy(w)
        for (int g = 0; g < rows; g++) {
#pragma acc loop vector
            for (int q = 0; q < 3; q++)
                w[g][q]++;
        }
    }
    printf("of_scalars %d %d %d\n", counted(), w[29][2], w[30][2]);
}

/* elements of arrays, of rows, behind pointers */
static void of_arrays(int n)
{
    int row[2] = {1, 1}, *p = calloc(5, sizeof *p), length = 4, plane[length][length];
    for (int i = 0; i < 16; i++)
        plane[i / 4][i % 4] = i;
#pragma acc data copy(row, p[0:5], plane)
    {
#pragma acc serial
        {
            row[1] = 3;
            p[3] = 8 * n;
            plane[2][3] = 7 * n;
        }
#pragma acc parallel loop copy(v)
        for (int i = p[row[1]] - 1; i >= 0; i--)
            v[i]++;
#pragma acc parallel loop copy(v)
        for (long i = 0; i < plane[2][row[1]]; i++)
            v[i]++;
#pragma acc parallel loop copy(v)
        for (int i = 0; i < *(p + 3); i++)
            v[i]++;
    }
    printf("of_arrays %d\n", counted());
    free(p);
}

/* members of structures, arrays and bit-fields among them */
static void of_structures(int n)
{
    struct limits s = {1, 20, {3, 4, 5}}, t[2] = {s, s};
#pragma acc data copy(s, t)
    {
#pragma acc serial
        {
            s.narrow = 6 * n;
            s.many[1] = 33;
            s.many[2] = 44;
            t[1].many[2] = 5 * n;
        }
#pragma acc parallel loop copy(v)
        for (unsigned i = 0; i < s.narrow; i++)
            v[i]++;
#pragma acc parallel loop copy(v)
        for (int i = 0; i < t[1].many[2]; i++)
            v[i]++;
#pragma acc parallel loop collapse(2) copy(w)
        for (int i = 1; i < s.many[1]; i++)
            for (int j = s.many[0]; j <= s.many[2]; j += 2)
                w[i][j] += 2;
    }
    printf("of_structures %d %d %d\n", counted(), w[32][43], w[33][3]);
}

/* a variable of the file that is declared for the device */
static void of_declared(int n)
{
#pragma acc serial present(changing)
    changing = 4 * n;
#pragma acc parallel loop copy(v)
    for (int i = 0; i < changing; i++)
        v[i]++;
    printf("of_declared %d\n", counted());
}

/* sizes of the construct and of its data are the host's */
static void of_clauses(int n)
{
#pragma acc data copyin(n)
    {
#pragma acc parallel num_gangs(n) copy(v)
        {
#pragma acc loop gang
            for (int i = 0; i < 300; i++)
                v[i]++;
        }
#pragma acc parallel loop copy(v[0:n])
        for (int i = 0; i < 1; i++)
            v[i]++;
    }
    printf("of_clauses %d\n", counted());
}

static int least(int i, int n) { return i < n ? i : n; }

#pragma acc routine seq
static int first_of(const int *sizes) { return sizes[0]; }

/* routines compute the limits, of the host's values and of the device's */
static void of_routines(int n)
{
    int sizes[2] = {0, 0}, rounds = 0;
#pragma acc parallel loop copy(v) reduction(+ : rounds)
    for (int i = 0; i < least(n, 200); i++) {
        v[i]++;
        rounds++;
    }
#pragma acc data copyin(sizes)
    {
#pragma acc serial
        sizes[0] = 10;
#pragma acc parallel loop collapse(2) copy(v)
        for (int i = 0; i < 20; i++)
            for (int j = 0; j < first_of(sizes); j++)
                v[10 * i + j]++;
#pragma acc kernels loop copy(v)
        for (int i = first_of(sizes); i < 300; i++)
            v[i]++;
#pragma acc update self(sizes)
    }
    printf("of_routines %d %d\n", rounds, counted());
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    of_kernels(n);
    of_scalars(n);
    of_arrays(n);
    of_structures(n);
    of_declared(n);
    of_clauses(n);
    of_routines(n);
    return 0;
}
