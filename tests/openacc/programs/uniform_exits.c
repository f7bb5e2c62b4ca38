/* Loops between gang and vector loops that all threads of a gang leave, or go on with, at the same place. */
#include <math.h>

#include "show.h"

enum { M = 100 };

/* The loop ends by what all threads wrote. */
static void ends_when_small(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 20; ++t) {
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] = a[i][j] * 0.5 + (j == 3 ? i : 0) * 0.01;
            if (a[i][7] < 1.0) break;
        }
        a[i][7] = -1;
    }
}

/* One thread stores, all leave. */
static void stores_and_leaves(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 20; ++t) {
            if (a[i][M-1-t] > 40) { its[i] = t; a[i][0] += 5; break; }
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] = a[i][j] * 1.5 + 1;
        }
#pragma acc loop vector
        for (int j = 0; j < M; ++j) a[i][j] += 1;
    }
}

/* A round ends early in front of a loop and behind one. */
static void skips_rounds(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 9; ++t) {
            if ((t + i) % 3 == 0) continue;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) b[i][j] = a[i][M - 1 - j] + t;
            if (t % 4 == 3) continue;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] = b[i][(j * 7) % M] * 0.5;
        }
    }
}

/* What decides is in memory that the rounds write. */
static void skips_by_memory(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 9; ++t) {
            if (a[i][t] > 30) { its[i] += 1; continue; }
#pragma acc loop vector
            for (int j = 0; j < M; ++j) b[i][j] = a[i][M - 1 - j] + t;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] = b[i][(j * 7) % M] * 0.9;
        }
    }
}

/* The loop behind reads what the left round wrote. */
static void leaves_in_the_middle(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; ; ++t) {
#pragma acc loop vector
            for (int j = 0; j < M; ++j) b[i][j] = a[i][M - 1 - j] + t;
            if (b[i][t] > 60 || t > 12) break;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] = b[i][(j * 7) % M] * 0.9;
        }
#pragma acc loop vector
        for (int j = 0; j < M; ++j) b[i][j] = a[i][(j*3)%M];
    }
}

/* Break and continue in a loop that tests at its end. */
static void do_while(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        int t = 0;
        double s;
        do {
            s = 0;
#pragma acc loop vector reduction(+:s)
            for (int j = 0; j < M; ++j) { a[i][j] *= 0.75; s += a[i][j]; }
            if (s < 10) break;
            if (s > 1000) continue;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] -= 0.01;
        } while (++t < 20);
        its[i] = t;
    }
}

/* No other end but break. */
static void for_ever(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        int t = 0;
        while (1) {
            if (t > i) break;
            double big = 0;
#pragma acc loop vector reduction(max:big)
            for (int j = 0; j < M; ++j) if (a[i][j] > big) big = a[i][j];
            if (big > 45) { its[i] = -t; break; }
            ++t;
            if (t & 1) continue;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] += 1;
        }
    }
}

/* Two loops, each left in its own way. */
static void leaves_inner_and_outer(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        int t, u = 0;
        for (t = 0; t < 6; ++t) {
            for (u = 0; u < 6; ++u) {
                if (u == i % 5) break;
#pragma acc loop vector
                for (int j = 0; j < M; ++j) a[i][j] = b[i][(j + u) % M] * 0.5;
#pragma acc loop vector
                for (int j = 0; j < M; ++j) b[i][j] = a[i][(j + t) % M] + 1;
            }
            if (b[i][5] > 4.5) break;
            if (u == 3) continue;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] += u;
        }
        its[i] = 10 * t + u;
    }
}

/* An atomic capture decides. */
static void old_value(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 30; ++t) {
            int old;
#pragma acc atomic capture
            old = its[i]++;
            if (old > i) break;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] += old;
        }
    }
}

/* The condition itself changes memory. */
static void counts_and_leaves(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 30; ++t) {
            if (its[i]++ > i) break;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] += t;
        }
    }
}

/* An array of the gang decides. */
static void own_array(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        double best[4];
        for (int k = 0; k < 4; ++k) best[k] = a[i][k];
        for (int t = 0; t < 30; ++t) {
            best[t & 3] += 1;
            if (best[1] > 50) break;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] += best[j & 3] * 0.1;
            if (best[2] > 48) continue;
            best[0] = a[i][5];
        }
        a[i][6] = best[0] + best[3];
    }
}

/* A loop around workers and vectors. */
static void workers_inside(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 6; ++t) {
            double s = 0;
#pragma acc loop worker reduction(+:s)
            for (int w = 0; w < 5; ++w) {
                double r = 0;
#pragma acc loop vector reduction(+:r)
                for (int j = w * 20; j < w * 20 + 20; ++j) { a[i][j] = b[i][j] * 0.5 + t; r += a[i][j]; }
                s += r;
                b[i][w * 20] = r;
            }
            if (s > 2000) { its[i] = t; break; }
            if (t == 2) continue;
            b[i][t] += s;
        }
    }
}

/* The break stands beside the loops. */
static void else_leaves(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 10; ++t) {
            if (t < i) {
#pragma acc loop vector
                for (int j = 0; j < M; ++j) a[i][j] += b[i][M-1-j];
#pragma acc loop vector
                for (int j = 0; j < M; ++j) b[i][j] = a[i][(j+1)%M] * 0.5;
            } else break;
            its[i] = t;
        }
#pragma acc loop vector
        for (int j = 0; j < M; ++j) a[i][j] += b[i][(j+3)%M];
    }
}

/* Every thread has the scalars, changed on the way out. */
static void own_scalars(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        int k = 0;
        for (int t = 0; t < 50; ++t) {
            k += t;
            if (k > 5 * i) { k = -k; break; }
            if (t & 1) continue;
            its[i] += 1;
#pragma acc loop vector
            for (int j = 0; j < M; ++j) a[i][j] += k * 0.1;
            a[i][0] = a[i][1];
        }
#pragma acc loop vector
        for (int j = 0; j < M; ++j) b[i][j] += k + a[i][0];
    }
}

/* Iterations of a Jacobi method, row by row, until nothing changes much. */
static void converges(double (*a)[M], double (*b)[M], int *its, int n)
{
#pragma acc parallel loop gang num_gangs(3) copy(a[0:n], b[0:n], its[0:n])
    for (int i = 0; i < n; ++i) {
        int t = 0;
        for (; t < 30; ++t) {
            double largest = 0;
#pragma acc loop vector
            for (int j = 1; j < M - 1; ++j)
                b[i][j] = (a[i][j - 1] + a[i][j + 1]) / 2;
#pragma acc loop vector reduction(max:largest)
            for (int j = 1; j < M - 1; ++j) {
                const double change = fabs(b[i][j] - a[i][j]);
                largest = largest > change ? largest : change;
                a[i][j] = b[i][j];
            }
            if (largest < 20)
                break;
        }
        its[i] = t;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 30);
    double (*a)[M] = malloc(n * sizeof *a), (*b)[M] = malloc(n * sizeof *b);
    int *its = new_ints(n, 3);
    void (*const cases[])(double (*)[M], double (*)[M], int *, int) = {
        ends_when_small,
        stores_and_leaves,
        skips_rounds,
        skips_by_memory,
        leaves_in_the_middle,
        do_while,
        for_ever,
        leaves_inner_and_outer,
        old_value,
        counts_and_leaves,
        own_array,
        workers_inside,
        else_leaves,
        own_scalars,
        converges,
    };
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); ++k) {
        for (int i = 0; i < n; ++i) {
            its[i] = k % 2;
            for (int j = 0; j < M; ++j) {
                a[i][j] = i % 40 + j * 0.25;
                b[i][j] = j + i % 40 * 0.5;
            }
        }
        cases[k](a, b, its, n);
        printf("%d: ", k);
        SHOW("a", a, n);
        SHOW("b", b, n);
        SHOW("its", its, n);
    }
    return 0;
}
