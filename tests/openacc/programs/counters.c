/* What the counters of loops without a loop directive hold behind their loops: what C says, on the host and in the
   construct. */
#include <stdio.h>
#include <stdlib.h>

#define MOST 600

static int a[MOST], of_file;

/* one loop, which runs in parallel or not, with all kinds of heads */
static void behind_constructs(int n)
{
    int i = -1;
    long l = -1;
    unsigned u = 7;
    short s = 3;
#pragma acc kernels copy(a)
    for (i = 3; i < n; i += 2)
        a[i] = i;
    printf("%d ", i);
#pragma acc kernels copy(a)
    for (i = 5; i < 19; i += 4)
        a[i] = i;
    printf("%d ", i);
#pragma acc kernels copy(a)
    for (i = 9; i >= 0; i -= 3)
        a[i] += i;
    printf("%d ", i);
#pragma acc kernels copy(a)
    for (i = 7; i < 2; i++)
        a[i] += i;
    printf("%d ", i);
#pragma acc kernels copy(a)
    for (l = n; l > 0; l -= 3)
        a[l] = l;
    printf("%ld ", l);
#pragma acc kernels copy(a)
    for (u = n; u-- > 0;)
        a[u] += u;
    printf("%u ", u);
#pragma acc kernels copy(a)
    for (s = n; s >= 0; --s)
        a[s] += s;
    printf("%d ", s);
#pragma acc kernels copy(a)
    for (i = 30; i < n; i++)
        a[i] = i;
    printf("%d ", i);
#pragma acc kernels copy(a)
    for (i = 0; i != n; i++)
        a[i] += i;
    printf("%d ", i);
#pragma acc kernels copy(a)
    for (of_file = 0; of_file <= n; of_file++)
        a[of_file] += 2;
    printf("%d ", of_file);
#pragma acc kernels copy(a)
    for (i = 0; i < n; i++) {
        if (a[i] == 13)
            break;
        a[i] += i;
    }
    printf("%d\n", i);
}

/* in other kernels of the construct, or behind the loop in the same one */
static void inside_constructs(int n)
{
    int i, k, w = 0, b[3] = {0};
#pragma acc kernels copy(a, w, b)
    {
        for (i = 0; i < n; i++)
            a[i] = i;
        w = i;
        for (int g = 0; g < 3; g++) {
            int j;
            for (j = g; j < 20; j += 3)
                a[j] += g;
            b[g] = j;
        }
        {
            int m;
            for (m = 0; m < n / 2; m++)
                a[m]++;
            w += m;
        }
    }
    printf("%d %d %d %d %d\n", i, w, b[0], b[1], b[2]);
#pragma acc kernels loop independent copy(b) copyin(a)
    for (int g = 0; g < 3; g++) {
        int j;
        for (j = 0; j < g; j++)
            b[g] += a[j];
        b[g] += j;
    }
    printf("%d %d %d\n", b[0], b[1], b[2]);
#pragma acc kernels copy(a)
    for (i = 0; i < 8; i++)
        for (k = 0; k < 8; k++)
            a[i * 8 + k] += i + k;
    printf("%d %d %d\n", i, k, a[63]);
}

/* variables in data clauses */
static void in_clauses(int n)
{
    int i = -1, k = -1;
#pragma acc kernels copy(a) copy(k)
    for (k = 0; k < n; k++)
        a[k] = k;
    printf("%d ", k);
#pragma acc serial copy(a, i, k)
    {
        for (i = 0; a[i] < n - 1; i++)
            a[i] = i;
        for (k = 0; k < n; k++)
            a[k] += i;
    }
    printf("%d %d ", i, k);
#pragma acc data copy(i)
    {
#pragma acc serial copy(a)
        for (i = 2; i < n; i++)
            a[i] = i;
#pragma acc parallel num_gangs(1) copy(a)
        for (; i < n + 5; i += 4)
            a[i] += i;
    }
    printf("%d %d\n", i, a[n]);
}

/* as C89 has them: at the top of the function, for all of its loops; the outer loops carry dependences */
static void of_the_function(int n)
{
    static int b[8][MOST];
    int i, j, t, *p;
#pragma acc kernels copy(b)
    {
        for (i = 0; i < 8; i++) {
            p = b[i];
            for (j = 0; j < n; j++)
                p[j] = i + j;
        }
        for (i = 1; i < 8; i++)
            for (j = 0; j < n; j++)
                b[i][j] += b[i - 1][j];
    }
    for (i = 0; i < 8; i++)
        printf("%d ", b[i][n / 2]);
#pragma acc kernels copy(b)
    for (i = 1; i < 8; i++) {
        for (j = 0; j < n; j++) {
            t = b[i][j] * 2;
            b[i][j] = t + 1;
        }
        b[i][0] += b[i - 1][0];
    }
    for (i = 0; i < 8; i++)
        printf("%d %d ", b[i][0], b[i][n - 1]);
    printf("\n");
}

/* counters of the file: what inner loops end with is known behind the outermost one, or changes in it */
static int fi, fj, fk;

static void of_the_whole_file(int n)
{
    static int b[8][8][MOST];
    int none = n - n;
#pragma acc kernels copy(b)
    for (fi = 0; fi < 8; fi++) {
        for (fj = 0; fj < 7; fj++)
            for (fk = 1; fk < n; fk += 3)
                b[fi][fj][fk] = fi - fj + fk;
        for (fj = 2; fj < 5; fj++)
            b[fi][fj][0]++;
    }
    printf("%d %d %d ", fi, fj, fk);
#pragma acc kernels copy(b)
    for (fi = 0; fi < none; fi++)
        for (fj = 0; fj < n; fj++)
            b[fi][0][fj]++;
    printf("%d %d ", fi, fj);
#pragma acc kernels copy(b)
    for (fi = 1; fi < n; fi++) {
        for (fj = none; fj < fi % 8; fj++)
            b[fj][0][fi] += fi;
        for (fk = 0; fk < fj; fk++)
            b[fk][1][fi] += fj;
    }
    printf("%d %d %d ", fi, fj, fk);
#pragma acc kernels copy(b)
    for (fi = 0; fi < 8; fi++) {
        if (b[fi][1][1] == 3)
            continue;
        for (fj = 0; fj < fi; fj++)
            b[fi][fj][2]--;
    }
    printf("%d %d ", fi, fj);
    /* the outer loop might be parallel, for all its directive says */
#pragma acc kernels copy(b)
    {
#pragma acc loop
        for (fi = 0; fi < 8; fi++)
            for (fj = 0; fj < 8; fj++)
                b[fi][fj][3] += fi;
#pragma acc loop auto
        for (int i = 0; i < 8; i++)
            for (fk = i; fk < 8; fk++)
                b[i][fk][4] += i;
    }
    printf("%d %d ", fj, fk);
    long sum = 0;
    for (int i = 0; i < 8 * 8 * MOST; i++)
        sum += (long)(&b[0][0][0])[i] * (i % 7);
    printf("%ld\n", sum);
}

/* one variable counts in a loop with a directive, which has a copy of it, and in one without */
static void with_and_without(int n)
{
    int k = -1;
#pragma acc kernels copy(a)
    {
#pragma acc loop independent
        for (k = 0; k < n; ++k)
            a[k] = k;
        for (k = 0; k < n - 2; ++k)
            a[k] += 2;
    }
    printf("%d ", k);
}

/* one variable counts lanes first, and then rounds in which all threads of a gang wait for each other */
static void lanes_and_rounds(int n)
{
    int i, j, k, c[20][20], d[20][20];
    for (i = 0; i < 400; i++)
        c[i / 20][i % 20] = i;
#pragma acc parallel copy(c) copyout(d)
    {
#pragma acc loop
        for (i = 0; i < 20; i++)
#pragma acc loop
            for (j = 0; j < 20; j++)
                d[i][j] = i - j;
#pragma acc loop gang
        for (i = 0; i < 20; i++) {
            int row[20];
            for (j = 0; j < n; j++) {
#pragma acc loop vector
                for (k = 0; k < 20; k++)
                    row[k] = c[i][k] + j;
#pragma acc loop vector
                for (k = 0; k < 20; k++)
                    c[i][k] = row[19 - k];
            }
        }
    }
    long sum = 0;
    for (i = 0; i < 20; i++)
        for (j = 0; j < 20; j++)
            sum += (long)c[i][j] * (20 * i + j) + d[i][j];
    printf("%ld ", sum);
}

int main(int argc, char **argv)
{
    with_and_without(20);
    lanes_and_rounds(3);
    int n = argc > 1 ? atoi(argv[1]) : 300;
    behind_constructs(n);
    inside_constructs(n);
    in_clauses(n);
    of_the_function(n);
    of_the_whole_file(n);
    long sum = 0;
    for (int k = 0; k < MOST; k++)
        sum += (long)a[k] * k;
    printf("%ld\n", sum);
    return 0;
}
