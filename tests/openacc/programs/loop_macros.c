/* Loops whose heads are macros: one head, two of them, one without arguments, and one that a header has. */
#include "loop_macros.h"
#include "show.h"
#define BOTH(i, j, n, m) FROM (i, 0, n) \
    FROM(j, 0, m)
#define THRICE for (int round = 0; round < 3; round++)
#define DOWN(i, n) for (long i = (n) - 1; i >= 0; --i)

void levels(float (*a)[40], float (*b)[40], int n, int m)
{
#pragma acc data copy(a[0:n], b[0:n])
    THRICE {
#pragma acc parallel loop collapse(2)
        BOTH(i, j, n, m) b[i][j] = a[i][j] + i * j;
#pragma acc kernels
        FROM(i, 1, n - 1)
            FROM(j, 1, m - 1)
                a[i][j] = b[i - 1][j] + b[i + 1][j];
#pragma acc parallel loop gang
        FROM(i, 1, n - 1) {
#pragma acc loop vector
            DOWN(j, m) {
#pragma acc cache(a[i-1:3][j:1])
                FROM(k, i - 1, i + 2)
                    b[i][j] += a[k][j];
            }
        }
    }
}

void bodies(int *c, int n)
{
#pragma acc parallel loop copy(c[0:n]) if(n > 10)
    /* a comment */ FROM(i, 0, n) // another one
        if (c[i] > 3) c[i]--; else c[i] = i;
#pragma acc parallel copy(c[0:n])
    {
#pragma acc loop
        DOWN(i, n) c[i] += 2;
    }
    _Pragma("acc serial copy(c[0:n])") FROM(i, 0, n) c[i] *= 2;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    float *a = new_floats(n * 40, 1), *b = new_floats(n * 40, 2);
    int *c = new_ints(n, 3);
    levels((float (*)[40])a, (float (*)[40])b, n, 40);
    bodies(c, n);
    show("a", a, n * 40 * sizeof *a);
    show("b", b, n * 40 * sizeof *b);
    show("c", c, n * sizeof *c);
    return 0;
}
