/* Gotos that lead forward in an iteration: out of loops and blocks, over declarations, to several labels. */
#include "show.h"

enum { N = 300, M = 12 };

static int in[N][M], out[N], more[N];

/* Out of loops in each other. */
static void out_of_loops(int n)
{
#pragma acc parallel loop copyin(in[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        int sum = 0;
        for (int j = 0; j < M; ++j) {
            sum += 1;
            for (int k = 0; k < M; ++k) {
                int l = 0;
                while (l < 3) {
                    if (in[i][j] + in[i][k] + l > 37)
                        goto done;
                    sum += in[i][k] - l++;
                }
                sum -= j;
            }
            sum += 3;
        }
        sum = -sum;
    done:
        out[i] = sum;
    }
}

/* To the end of the iteration, from several places and before others. */
static void to_the_end(int n)
{
#pragma acc parallel loop copyin(in[0:n]) copy(out[0:n]) copyout(more[0:n])
    for (int i = 0; i < n; ++i) {
        more[i] = 1;
        if (in[i][0] < 4)
            goto next;
        {
            int own = in[i][1];
            more[i] = own;
            if (own > 9) {
                more[i] += 2;
                goto next;
            }
            more[i] *= 3;
        }
        const int other = in[i][2];
        if (other > 5) {
            if (in[i][3] > 5)
                goto next;
            out[i] -= 7;
        } else if (in[i][4] > 8) {
            out[i] += 1;
            goto next;
        } else {
            out[i] += 2;
        }
        out[i] += other;
    next:;
    }
}

/* Labels in each other's way; what was declared in between is used behind. */
static void several_labels(int n)
{
#pragma acc parallel loop copyin(in[0:n]) copy(out[0:n])
    for (int i = 0; i < n; ++i) {
        int first = 5;
        if (in[i][0] > 8)
            goto late;
        for (int j = 0; j < M; ++j) {
            if (in[i][j] == 3)
                goto early;
            if (in[i][j] == 4)
                goto late;
            if (in[i][j] == 5)
                break;
            if (in[i][j] == 6)
                continue;
            out[i] += j;
        }
        int second = in[i][1];
        out[i] ^= second;
    early:
        second = out[i] & 7;
        out[i] += 2 * second + first;
        if (second == 3)
            goto late;
        first = 9;
    late:
        do {
            if (out[i] % 3 == 0)
                goto over;
            out[i] += first;
        } while (out[i] % 5 != 0);
        out[i] -= 1;
    over:
        out[i] *= 2;
    }
}

#pragma acc routine seq
static int position(const int *row, int value)
{
    int found;
    for (int j = 0; j < M; ++j)
        for (int k = j; k < M; ++k)
            if (row[j] - row[k] == value) {
                found = j * M + k;
                goto there;
            }
    return -1;
there:
    return found;
}

static void in_a_routine(int n)
{
#pragma acc parallel loop copyin(in[0:n]) copyout(more[0:n])
    for (int i = 0; i < n; ++i)
        more[i] = position(in[i], i % 9);
}

/* What all threads of a gang do together. */
static void between_vector_loops(int n)
{
#pragma acc parallel loop gang copy(in[0:n]) copyout(more[0:n])
    for (int i = 0; i < n; ++i) {
        int rounds = 0;
        for (int t = 0; t < 5; ++t) {
#pragma acc loop vector
            for (int j = 0; j < M; ++j)
                in[i][j] += t + j % 2;
            if (in[i][3] > 9)
                goto finished;
            ++rounds;
        }
        rounds = -1;
    finished:
        more[i] = rounds;
    }
}

/* One iteration after the other. */
static void sequentially(int n)
{
#pragma acc kernels copy(out[0:n])
    for (int i = 1; i < n; ++i) {
        if (out[i] % 2)
            goto odd;
        out[i] += out[i - 1] % 11;
    odd:
        out[i] -= 1;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, N);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < M; ++j)
            in[i][j] = (i * 7 + j * 5 + i * j) % 23;
    out_of_loops(n);
    SHOW("out of loops", out, n);
    to_the_end(n);
    SHOW("to the end", out, n);
    SHOW("to the end, more", more, n);
    several_labels(n);
    SHOW("several labels", out, n);
    in_a_routine(n);
    SHOW("in a routine", more, n);
    between_vector_loops(n);
    SHOW("between vector loops", more, n);
    sequentially(n);
    SHOW("sequentially", out, n);
    return 0;
}
