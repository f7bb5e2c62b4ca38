/* Subarrays that lie alike are copied by one loop, whatever their types and directives: a and b, read and written,
 * start at one element, c and d at another.
 *
 * Iteration i owns elements 2*i and 2*i + 1 of a and b, and writes some of them. The ranges of c and d pass both ends
 * of their arrays, which are not equally long; with `more` both are longer than the loop needs.
 */
#include "show.h"

void together(float *a, short *b, const float *c, const double *d, int n, int more)
{
#pragma acc parallel loop independent copy(a[0:2*n], b[0:2*n]) copyin(c[0:n+1+more], d[0:n+2+more])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[2*i:2], c[i-1:5])
#pragma acc cache(b[2*i:2], d[i-1:5])
        {
            float sum = c[i] + c[i + 1] + d[i + 1] + d[i + 2];
            if (sum > 0)
                a[2*i] += c[i + 1];
            else
                a[2*i + 1] -= c[i];
            b[2*i] += 1;
            if (d[i] > 0)
                b[2*i + 1] -= (short)a[2*i];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100), more = argument(argc, argv, 2, 0);
    float *a = filled(2 * n), *c = filled(n + 1 + more);
    short *b = malloc((2 * n + 1) * sizeof *b);
    double *d = malloc((n + 2 + more) * sizeof *d);
    for (int k = 0; k < 2 * n; ++k)
        b[k] = (short)next(100);
    for (int k = 0; k < n + 2 + more; ++k)
        d[k] = next(100) - 50;
    together(a, b, c, d, n, more);
    show("a", a, 2 * n);
    for (int k = 0; k < 2 * n; ++k)
        printf("b[%d] = %d\n", k, b[k]);
    return 0;
}
