/* Declarations under case labels, and loops over threads in a switch that threads go through together. */
#include "show.h"

enum { V = 40 };

typedef struct {
    int x;
    float y[2];
} Pair;

#pragma acc routine seq
static int chosen(int k)
{
    switch (k % 3) {
    case 0:;
        const int twice = k * 2;
        return twice;
    case 1:;
        int r = k;
        r += 3;
        return r;
    }
    return -k;
}

static void declarations(const int *a, int *b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        switch (a[i] % 6) {
            int kept;
        case 0:;
            int t = a[i], k = 2;
            b[i] += t + k;
            break;
        case 1: {
            int u = 3;
            b[i] += u;
        } break;
        case 2:
            kept = 5;
            Pair p = {kept, {1, 2}}, q = p;
            q.y[1] += p.x;
            b[i] += (int)q.y[1];
            break;
        case 3:;
            int few[4] = {a[i], 7}, *first = few;
            for (int j = 0; j < 4; j++)
                b[i] += first[j];
            break;
        default:
            t = chosen(a[i]);
            k = 3;
            b[i] -= t + k;
        }
    }
}

static void together(const int *a, int *b, int n)
{
#pragma acc parallel loop gang vector_length(32) copyin(a[0:n*V]) copy(b[0:n*V])
    for (int i = 0; i < n; i++) {
        unsigned char kind = (unsigned char)(a[i * V] % 7);
        switch (kind) {
        case 0:
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] += j;
            break;
        case 1:
        case 2: {
            int sum = 0;
#pragma acc loop vector reduction(+: sum)
            for (int j = 0; j < V; j++)
                sum += a[i * V + j];
            b[i * V] = sum;
            break;
        }
        case 3:
            continue;
        case 4:
            break;
        case 5:
        default:;
            int least = kind;
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] -= least;
        }
        b[i * V + 1] += 1;
    }
}

static void running_on(int *b, int n)
{
#pragma acc parallel loop gang vector_length(32) copy(b[0:n*V])
    for (int i = 0; i < n; i++) {
        switch (i % 11) {
        case 0:
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] += 1;
        case 1:
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] *= 2;
            break;
        case 9:
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] += 9;
        case 2:
        case 3:
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] ^= 2;
        default:
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] -= 5;
        case 4:;
            int least = i % 7;
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] = b[i * V + j] * 3 + least;
            continue;
        case 5:
#pragma acc loop vector
            for (int j = 0; j < V; j++)
                b[i * V + j] |= 64;
        case 6:
            b[i * V] += 1;
        }
        b[i * V + 1] += 1;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *a = new_ints(n * V, 1), *b = new_ints(n * V, 2);
    declarations(a, b, n);
    SHOW("declarations", b, n * V);
    together(a, b, n);
    SHOW("together", b, n * V);
    running_on(b, n);
    SHOW("running on", b, n * V);
    return 0;
}
