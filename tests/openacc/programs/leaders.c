/* Between gang, worker and vector loops one thread changes memory: in loops that end early, and before others read. */
#include "show.h"

enum { M = 40 };

static void early_ends(const int *restrict a, int *restrict b, int *restrict r, int *restrict q, int n)
{
#pragma acc parallel loop gang num_workers(2) vector_length(32) copyin(a[0:n*M]) copy(b[0:n*M], r[0:n], q[0:n])
    for (int i = 0; i < n; ++i) {
        int cum = 0, k = 0;
        for (int j = 0; j < M; ++j) {
            if (a[i * M + j] % 3 == 0) {
                q[i]++;
                continue;
            }
            cum += a[i * M + j] % 37;
            if (cum > 200) {
                r[i] = j;
                break;
            }
            q[i] += 2;
        }
        while (1) {
            if (cum % 7 == k % 7) {
                r[i] += k;
                break;
            }
            if (++k > 50)
                break;
        }
#pragma acc loop worker
        for (int j = 0; j < M; ++j) {
            int t = 0;
            for (int l = 0; l < 9; ++l) {
                t += l;
                if (t > j) {
                    b[i * M + j] -= l;
                    break;
                } else
                    b[i * M + j] += 1;
            }
#pragma acc loop vector reduction(+: t)
            for (int l = 0; l < M; ++l)
                t += a[i * M + l] * l;
            b[i * M + j] += cum + t;
        }
    }
}

static void first_of_workers(const int *a, int *b, int *r, int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:n*M]) copy(b[0:n*M], r[0:n])
    for (int i = 0; i < n; ++i) {
        r[i] = i * 2 + a[i * M + 3];
#pragma acc loop worker
        for (int j = 0; j < M; ++j) {
            b[i * M + j] = r[i] + j;
            int s = 0;
#pragma acc loop vector reduction(+: s)
            for (int k = 0; k < M; ++k)
                s += a[i * M + k];
            b[i * M + j] += s;
        }
        r[i] = b[i * M + 5] + b[i * M + M - 1];
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 60);
    int *a = new_ints(n * M, 1), *b = new_ints(n * M, 2), *r = new_ints(n, 3), *q = new_ints(n, 4);
    early_ends(a, b, r, q, n);
    show("early ends", b, n * M * sizeof *b);
    show("their sums", r, n * sizeof *r);
    show("their counts", q, n * sizeof *q);
    first_of_workers(a, b, r, n);
    show("first of workers", b, n * M * sizeof *b);
    show("their ends", r, n * sizeof *r);
    free(a), free(b), free(r), free(q);
    return 0;
}
